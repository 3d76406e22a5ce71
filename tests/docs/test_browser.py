"""A reader finds a word by search, in light and dark, and no page asks another server."""

import re

import pytest
from playwright.sync_api import Browser, Page, expect

SCHEMES = {"light": "default", "dark": "slate"}


@pytest.fixture(params=SCHEMES)
def page(request: pytest.FixtureRequest, browser: Browser, site: str) -> Page:
    """Open the start page as a reader whose system is light, or dark."""
    page = browser.new_context(color_scheme=request.param).new_page()
    page.goto(site)
    expect(page.locator("body")).to_have_attribute("data-md-color-scheme", SCHEMES[request.param])
    request.addfinalizer(page.context.close)
    return page


def _search(page: Page, word: str) -> None:
    """Type a word: the search listens to keys, and a value that is only set is not seen."""
    field = page.locator("[data-md-component=search-query]")
    field.click()
    field.press_sequentially(word)


def test_search_when_a_result_is_clicked_then_its_page_shows_the_word(
    page: Page, site: str
) -> None:
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    _search(page, "idleBehind")
    page.locator(".md-search-result__item a").first.click()
    expect(page).not_to_have_url(site)
    expect(page.locator("article")).to_contain_text("idleBehind")
    assert [url for url in asked if not url.startswith((site, "data:", "blob:"))] == []


def test_search_when_a_condition_is_pasted_then_finds_its_cause_and_cure(page: Page) -> None:
    _search(page, "TIDEGATE_HOP_SWAPPED")
    page.locator(".md-search-result__item a[href$='#tidegate_hop_swapped']").first.click()
    expect(page).to_have_url(re.compile("/errors/.*#tidegate_hop_swapped$"))
    expect(page.locator("#tidegate_hop_swapped")).to_be_in_viewport()


@pytest.mark.parametrize("symptom", ["watermark stuck", "no output", "rows missing"])
def test_search_when_a_symptom_is_typed_then_its_section_is_first(page: Page, symptom: str) -> None:
    _search(page, symptom)
    first = page.locator(".md-search-result__item a").first
    expect(first).to_have_attribute("href", re.compile("/troubleshooting/"))


WIDTHS = {"phone": 360, "tablet": 800, "screen": 1400}


@pytest.mark.parametrize("width", WIDTHS.values(), ids=list(WIDTHS))
def test_page_when_narrow_or_wide_then_does_not_scroll_sideways(
    page: Page, site: str, width: int
) -> None:
    page.set_viewport_size({"width": width, "height": 800})
    for address in ("", "troubleshooting/", "checkpoints/", "errors/"):
        page.goto(f"{site}{address}")
        assert page.evaluate("document.documentElement.scrollWidth") <= width


def test_background_when_the_system_is_dark_then_is_darker_than_the_text(page: Page) -> None:
    def brightness(name: str) -> int:
        style = f"getComputedStyle(document.body)['{name}']"
        red, green, blue = map(int, re.findall(r"\d+", page.evaluate(style))[:3])
        return red + green + blue

    is_dark = page.locator("body").get_attribute("data-md-color-scheme") == SCHEMES["dark"]
    assert (brightness("background-color") < brightness("color")) == is_dark
