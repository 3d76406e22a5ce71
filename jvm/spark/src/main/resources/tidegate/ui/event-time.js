// Sorts tables by a click on the head of a column, puts the time of this browser beside UTC, and fetches
// the page again every 5 seconds.
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

  const moment = /\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ/g;
  const zone = Intl.DateTimeFormat().resolvedOptions().timeZone;
  const isElsewhere = (date) => date.getTimezoneOffset() !== 0;

  // The day as well, if it is another one.
  function local(date) {
    const two = (n) => String(n).padStart(2, "0");
    const day = `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())}`;
    const time = `${two(date.getHours())}:${two(date.getMinutes())}:${two(date.getSeconds())}`;
    return date.toISOString().startsWith(day) ? time : `${day} ${time}`;
  }

  // Spark's own header has a zone of its own; the pictures have axes in UTC.
  function addLocalTimes() {
    const walker = document.createTreeWalker(content, NodeFilter.SHOW_TEXT);
    const texts = [];
    while (walker.nextNode()) {
      const text = walker.currentNode;
      if (text.data.match(moment) && !text.parentElement.closest("svg")) texts.push(text);
    }
    texts.forEach((text) => {
      const parts = document.createDocumentFragment();
      let end = 0;
      for (const found of text.data.matchAll(moment)) {
        const date = new Date(found[0]);
        if (Number.isNaN(date.getTime()) || !isElsewhere(date)) continue;
        const to = found.index + found[0].length;
        parts.append(text.data.slice(end, to));
        const own = document.createElement("span");
        own.className = "tg-local";
        own.textContent = ` [${local(date)}]`;
        parts.append(own);
        end = to;
      }
      parts.append(text.data.slice(end));
      text.replaceWith(parts);
    });
    if (isElsewhere(new Date())) {
      document.getElementById("tg-zone").textContent = `Times are in UTC, and in [ ] in ${zone}.`;
    }
  }

  async function refresh() {
    if (!live.checked) return;
    try {
      const answer = await fetch(window.location.href);
      if (!answer.ok) return;
      const page = new DOMParser().parseFromString(await answer.text(), "text/html");
      content.replaceChildren(...page.getElementById("tg-content").childNodes);
      addLocalTimes();
      for (const [id, [column, isDescending]] of Object.entries(order)) {
        const table = document.getElementById(id);
        if (table) sort(table, column, isDescending);
      }
    } catch (error) {
      // The application has ended: what is shown stays.
      live.checked = false;
    }
  }

  addLocalTimes();
  setInterval(refresh, 5000);
})();
