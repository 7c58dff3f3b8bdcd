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
      table.classList.toggle("sorted", Boolean(next));
      const value = (row) => valueOf(row, column, key, numeric);
      bodies.forEach((body, index) => body.replaceChildren(...arranged(written[index], value, next)));
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

const collator = new Intl.Collator("en", { numeric: true });
// What is unknown comes last either way.
function compared(a, b, direction) {
  if (a === null || b === null) return (a === null) - (b === null);
  const order = typeof a === "number" ? a - b : collator.compare(a, b);
  return direction === "descending" ? -order : order;
}

function arranged(rows, value, direction) {
  if (!direction) return rows;
  const keyed = rows.map((row) => [value(row), row]);
  return keyed.sort((a, b) => compared(a[0], b[0], direction)).map((pair) => pair[1]);
}
