"use strict";
// A click on the head of a column sorts; the third click brings back the order of the page.

for (const table of document.querySelectorAll("table.sortable")) {
  const bodies = [...table.tBodies];
  const written = bodies.map((body) => [...body.rows]);
  const heads = [...table.tHead.rows[0].cells];
  heads.forEach((head, column) => {
    if (!head.textContent.trim()) return;
    const key = head.dataset.sort;
    const numeric = Boolean(key) || head.classList.contains("number");
    const button = Object.assign(document.createElement("button"), { type: "button", className: "sort" });
    button.append(...head.childNodes);
    head.append(button);
    button.addEventListener("click", () => {
      const steps = numeric ? ["descending", "ascending", ""] : ["ascending", "descending", ""];
      const next = steps[(steps.indexOf(head.getAttribute("aria-sort") || "") + 1) % 3];
      for (const other of heads) other.removeAttribute("aria-sort");
      if (next) head.setAttribute("aria-sort", next);
      const value = (row) => valueOf(row, column, key, numeric);
      const sorted = written.map((rows) => arranged(rows, value, next));
      bodies.forEach((body, index) => body.append(...sorted[index]));
      if (bodies.length > 1) {
        const firsts = bodies.map((body, index) => ({ body, row: sorted[index].find((row) => !row.matches(".file")) }));
        const order = next ? firsts.sort((a, b) => compared(value(a.row), value(b.row), next)) : firsts;
        for (const { body } of order) table.append(body);
      }
    });
  });
}

function valueOf(row, column, key, numeric) {
  const cell = row.cells[column];
  const text = (key ? row.dataset[key] : cell.dataset.v) ?? cell.textContent.trim();
  if (!numeric) return text === "–" ? null : text;
  const number = Number.parseFloat(text.replaceAll(",", ""));
  return Number.isNaN(number) ? null : number;
}

// What is unknown comes last either way.
function compared(a, b, direction) {
  if (a === null || b === null) return (a === null) - (b === null);
  const order = typeof a === "number" ? a - b : a.localeCompare(b, "en", { numeric: true });
  return direction === "descending" ? -order : order;
}

function arranged(rows, value, direction) {
  const fixed = rows.filter((row) => row.matches(".file"));
  const others = rows.filter((row) => !row.matches(".file"));
  if (!direction) return rows;
  const keyed = others.map((row) => [value(row), row]);
  return [...fixed, ...keyed.sort((a, b) => compared(a[0], b[0], direction)).map((pair) => pair[1])];
}
