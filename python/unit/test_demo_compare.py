"""What counts as dropped, wrong and still open."""

from tidegate.demo.compare import Comparison, Expected, compare

EXPECTED = Expected({0: (10, 3), 10: (20, 4), 20: (30, 5)}, rows_in_files=14)


def test_windows_when_all_are_equal_then_nothing_is_wrong() -> None:
    found = compare(EXPECTED, {0: 3, 10: 4, 20: 5}, watermark=40)

    assert found == Comparison(rows_dropped=0, windows=3, wrong=0, still_open=0)


def test_window_when_it_lacks_rows_then_is_wrong_and_they_are_dropped() -> None:
    found = compare(EXPECTED, {0: 3, 10: 1, 20: 5}, watermark=40)

    assert found == Comparison(rows_dropped=3, windows=3, wrong=1, still_open=0)


def test_window_when_missing_behind_the_watermark_then_is_wrong() -> None:
    found = compare(EXPECTED, {0: 3}, watermark=20)

    assert found == Comparison(rows_dropped=4, windows=3, wrong=1, still_open=1)


def test_window_when_the_watermark_is_below_its_end_then_is_still_open() -> None:
    found = compare(EXPECTED, {0: 3, 10: 4}, watermark=29)

    assert found == Comparison(rows_dropped=0, windows=3, wrong=0, still_open=1)


def test_window_when_there_is_no_watermark_then_is_still_open() -> None:
    assert compare(EXPECTED, {}, watermark=None).still_open == 3


def test_window_of_an_end_marker_when_it_came_out_then_is_left_out() -> None:
    found = compare(EXPECTED, {0: 3, 10: 4, 20: 5, 3600: 7}, watermark=9999)

    assert found == Comparison(rows_dropped=0, windows=3, wrong=0, still_open=0)


def test_expected_when_asked_then_counts_without_the_end_markers() -> None:
    assert (EXPECTED.rows, EXPECTED.last_window) == (12, 20)
    assert Expected({}, rows_in_files=0).last_window is None
