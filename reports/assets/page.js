"use strict";
// Everything on the page is there without this; it adds filter, keys, copying, zoom and theme.

const field = document.getElementById("filter");
const items = [...document.querySelectorAll(".item")];
const stops = items.filter((item) => item.matches("article"));
let current = -1;

// The filter language is that of compilescope/filters.py; `is:` is added here, where all kinds share a page.

const TERM = /(!?)((?:"[^"]*"?|[^\s"])+)/g;
const COMPARISON = /^(n|s|call)(<=|>=|=|<|>)(.*)$/i;
const AMOUNT = /^(\d+(?:\.\d*)?|\.\d+)(us|µs|ms|s|min|h)?$/i;
const FIELDS = ["rule", "kind", "file", "fn", "cause", "phase", "is"];
const UNITS = { us: 1e-6, "µs": 1e-6, ms: 1e-3, s: 1, min: 60, h: 3600 };
const OPERATORS = { "<": (a, b) => a < b, "<=": (a, b) => a <= b, ">": (a, b) => a > b, ">=": (a, b) => a >= b, "=": (a, b) => a === b };

function parse(query) {
  const terms = [];
  for (const [whole, not, word] of query.matchAll(TERM)) {
    const test = whole === "!" ? null : condition(word);
    if (test) terms.push(not ? (item) => !test(item) : test);
  }
  return terms;
}

// What one word asks for; null while it is not finished, as in `file:`.
function condition(word) {
  const [, number, sign, amount] = COMPARISON.exec(word) || [];
  if (number && !amount) return null;
  const [, digits, unit] = AMOUNT.exec(amount || "") || [];
  if (digits) {
    const limit = digits * UNITS[(unit || "s").toLowerCase()];
    return ({ dataset }) => Boolean(dataset[number.toLowerCase()]) && OPERATORS[sign](+dataset[number.toLowerCase()], limit);
  }
  const colon = word.indexOf(":");
  const name = word.slice(0, Math.max(0, colon)).toLowerCase();
  const keyed = FIELDS.includes(name);
  const value = (keyed ? word.slice(colon + 1) : word).replaceAll('"', "").toLowerCase();
  if (!value) return null;
  return keyed ? ({ dataset }) => (dataset[name] || "").toLowerCase().includes(value) : (item) => textOf(item).some((text) => text.includes(value));
}

const texts = new Map();
function textOf(item) {
  if (!texts.has(item)) texts.set(item, [item.textContent, ...FIELDS.map((name) => item.dataset[name] || "")].map((text) => text.toLowerCase()));
  return texts.get(item);
}

function filter(query) {
  const terms = parse(query);
  let shown = 0;
  for (const item of items) {
    item.hidden = !terms.every((test) => test(item));
    shown += !item.hidden;
  }
  for (const section of document.querySelectorAll("section:has(.item), tbody:has(.item)")) {
    const empty = terms.length > 0 && !section.querySelector(".item:not([hidden])");
    section.hidden = empty && section.id !== "verdict" && section.id !== "timeline";
  }
  document.getElementById("matches").textContent = terms.length ? `${shown} of ${items.length}` : "";
  for (const count of document.querySelectorAll("[data-filter]")) {
    count.setAttribute("aria-pressed", query.split(/\s+/).includes(count.dataset.filter));
  }
  move(-1);
}

// The address keeps the filter (#q=...) and links to what has an id (#...).

function follow() {
  const hash = decodeURIComponent(location.hash.slice(1));
  if (hash.startsWith("q=")) {
    field.value = hash.slice(2);
    filter(field.value);
    return;
  }
  const target = hash && document.getElementById(hash);
  if (!target) return;
  if (target.closest("[hidden]")) clear();
  for (let up = target; up; up = up.parentElement) if (up.matches("details")) up.open = true;
  target.scrollIntoView();
  const at = stops.indexOf(target);
  if (at >= 0) move(at, false);
}

function remember(query) {
  const plain = location.href.split("#")[0];
  history.replaceState(null, "", query ? `${plain}#q=${encodeURIComponent(query)}` : plain);
}

function clear() {
  field.value = "";
  filter("");
}

function apply(query) {
  field.value = query;
  filter(query);
  remember(query);
}

field.addEventListener("input", () => apply(field.value));
field.form.addEventListener("submit", (event) => event.preventDefault());
addEventListener("hashchange", follow);
for (const count of document.querySelectorAll("[data-filter]")) {
  count.setAttribute("role", "button");
  count.addEventListener("click", (event) => {
    event.preventDefault();
    const words = field.value.split(/\s+/).filter(Boolean);
    const word = count.dataset.filter;
    const on = words.includes(word);
    // A second count beside the first would ask for both at once; with Ctrl that is wanted.
    const rest = words.filter((other) => (event.ctrlKey || event.metaKey ? other !== word : !/^is:/.test(other)));
    apply((on ? rest : [...rest, word]).join(" "));
    if (!on) for (const item of items) if (!item.hidden) openAround(item);
  });
}

function openAround(item) {
  const details = item.parentElement.closest("details");
  if (details) details.open = true;
}

// Keys.

function move(to, scroll = true) {
  stops[current]?.classList.remove("current");
  current = to;
  const item = stops[current];
  if (!item) return;
  item.classList.add("current");
  if (scroll) {
    openAround(item);
    item.scrollIntoView({ block: "start" });
    item.focus({ preventScroll: true });
  }
}

function step(by) {
  let to = current + by;
  while (stops[to]?.hidden) to += by;
  if (stops[to]) move(to);
}

const spikes = [...document.querySelectorAll('tr[data-is="call"]')];
let spike = -1;
function stepCall(by) {
  const to = Math.min(spikes.length - 1, Math.max(0, spike + by));
  if (!spikes[to]) return;
  spike = to;
  location.hash = spikes[to].id;
}

const help = document.getElementById("help");
document.getElementById("help-button").addEventListener("click", () => help.showModal());
const ACTIONS = {
  "/": () => field.focus(),
  j: () => step(1),
  k: () => step(-1),
  o: () => stops[current]?.querySelectorAll("details").forEach((details, index, all) => { details.open = index ? all[0].open : !all[0].open; }),
  c: () => stops[current]?.querySelector("[data-copy]")?.click(),
  t: () => document.getElementById("timeline")?.scrollIntoView(),
  d: nextTheme,
  "[": () => stepCall(-1),
  "]": () => stepCall(1),
  "?": () => help.showModal(),
};
addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey || help.open) return;
  if (event.key === "Escape") {
    apply("");
    field.blur();
  } else if (event.target.matches("input, textarea")) {
    if (event.key === "Enter") field.blur();
  } else if (Object.hasOwn(ACTIONS, event.key)) {
    event.preventDefault();
    ACTIONS[event.key]();
  }
});

// On paper the evidence of causes and breaks is open.

let opened = [];
addEventListener("beforeprint", () => {
  opened = [...document.querySelectorAll("article details:not([open])")];
  for (const details of opened) details.open = true;
});
addEventListener("afterprint", () => { for (const details of opened) details.open = false; });

follow();
