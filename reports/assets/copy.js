"use strict";
// Copying.

async function copy(button) {
  const text = document.getElementById(button.dataset.copy).textContent;
  let done = true;
  try {
    await navigator.clipboard.writeText(text);
  } catch {
    const area = Object.assign(document.createElement("textarea"), { value: text });
    document.body.append(area);
    area.select();
    done = document.execCommand("copy");
    area.remove();
  }
  button.textContent = done ? "Copied" : "Press Ctrl+C";
  if (!done) getSelection().selectAllChildren(document.getElementById(button.dataset.copy));
  setTimeout(() => { button.textContent = "Copy"; }, 1500);
}
for (const button of document.querySelectorAll("[data-copy]")) button.addEventListener("click", () => copy(button));
