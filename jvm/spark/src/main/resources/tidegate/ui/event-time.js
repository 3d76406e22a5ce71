// Sorts tables by a click on the head of a column, and fetches the page again every 5 seconds.
(function () {
  "use strict";
  const content = document.getElementById("tg-content");
  const live = document.getElementById("tg-live");
  // What each table is sorted by, so that a refresh keeps it.
  const order = {};

  function compared(a, b) {
    const x = a.dataset.key, y = b.dataset.key;
    if (x === "" || y === "") return (x === "") - (y === "");
    const m = Number(x), n = Number(y);
    return Number.isNaN(m) || Number.isNaN(n) ? x.localeCompare(y) : m - n;
  }

  function sort(table, column, isDescending) {
    const body = table.tBodies[0];
    const rows = Array.from(body.rows);
    rows.sort((a, b) => (isDescending ? -1 : 1) * compared(a.cells[column], b.cells[column]));
    rows.forEach((row) => body.appendChild(row));
    Array.from(table.tHead.rows[0].cells).forEach((head, i) => {
      const now = i !== column ? "none" : isDescending ? "descending" : "ascending";
      head.setAttribute("aria-sort", now);
    });
    order[table.id] = [column, isDescending];
  }

  content.addEventListener("click", (event) => {
    const head = event.target.closest(".tg-sortable th");
    if (!head) return;
    const table = head.closest("table");
    sort(table, head.cellIndex, head.getAttribute("aria-sort") === "ascending");
  });

  async function refresh() {
    if (!live.checked) return;
    try {
      const answer = await fetch(window.location.href);
      if (!answer.ok) return;
      const page = new DOMParser().parseFromString(await answer.text(), "text/html");
      content.replaceChildren(...page.getElementById("tg-content").childNodes);
      for (const [id, [column, isDescending]] of Object.entries(order)) {
        const table = document.getElementById(id);
        if (table) sort(table, column, isDescending);
      }
    } catch (error) {
      // The application has ended: what is shown stays.
      live.checked = false;
    }
  }

  setInterval(refresh, 5000);
})();
