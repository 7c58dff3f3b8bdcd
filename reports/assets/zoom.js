"use strict";
// Zoom: drag over a range of calls; a double click shows all again.

for (const plot of document.querySelectorAll(".field:not(.still)")) {
  const calls = +plot.dataset.calls;
  const svg = plot.querySelector("svg");
  const ends = plot.parentElement.querySelectorAll(".ends span");
  const bands = [...plot.querySelectorAll(".warm, .eager")].map((band) => [band, parseFloat(band.style.left), parseFloat(band.style.width)]);
  const labels = [...plot.querySelectorAll(".letters a")];
  let from = 0, to = calls, start = null, box = null;

  const show = () => {
    svg.setAttribute("viewBox", `${from} 0 ${to - from} 100`);
    ends[0].textContent = `call ${Math.floor(from).toLocaleString("en")}`;
    ends[1].textContent = calls > 1 ? (Math.ceil(to) - 1).toLocaleString("en") : "";
    const scale = calls / (to - from);
    for (const [band, left, width] of bands) {
      const begin = Math.max(0, (left - (100 * from) / calls) * scale);
      const end = Math.min(100, (left + width - (100 * from) / calls) * scale);
      Object.assign(band.style, { left: `${begin}%`, width: `${Math.max(0, end - begin)}%` });
      band.hidden = end <= 0 || begin >= 100;
    }
    let last = -99;
    for (const label of labels) {
      const share = (+label.dataset.call + 0.5 - from) / (to - from);
      const x = share * plot.clientWidth;
      const room = x - last >= 6 + 8 * label.textContent.length;
      label.hidden = share < 0 || share > 1 || !room;
      label.style.left = `${100 * share}%`;
      if (!label.hidden) last = x;
    }
  };
  const at = (event) => Math.min(1, Math.max(0, (event.clientX - plot.getBoundingClientRect().left) / plot.clientWidth));
  plot.addEventListener("pointerdown", (event) => {
    if (event.button === 0 && event.pointerType !== "touch" && !event.target.closest(".letters")) start = at(event);
  });
  addEventListener("pointermove", (event) => {
    if (start === null) return;
    if (!box) plot.append((box = Object.assign(document.createElement("i"), { className: "zoom" })));
    const [left, right] = [start, at(event)].sort((a, b) => a - b);
    Object.assign(box.style, { left: `${left * 100}%`, width: `${(right - left) * 100}%` });
  });
  addEventListener("pointerup", (event) => {
    if (start === null) return;
    const [left, right] = [start, at(event)].sort((a, b) => a - b);
    if (right - left > 0.01 && (right - left) * (to - from) >= 2) {
      [from, to] = [from + left * (to - from), from + right * (to - from)];
      show();
      plot.addEventListener("click", (click) => click.stopPropagation(), { once: true, capture: true });
    }
    start = null;
    box?.remove();
    box = null;
  });
  plot.addEventListener("dragstart", (event) => event.preventDefault());
  svg.addEventListener("click", (event) => { if (event.target.dataset.link) location.hash = event.target.dataset.link; });
  plot.addEventListener("dblclick", () => { [from, to] = [0, calls]; show(); });
  new ResizeObserver(show).observe(plot);
}
