"use strict";
// Theme: as the system, light, dark.

const themeButton = document.getElementById("theme");
function showTheme() {
  const name = document.documentElement.dataset.theme || "as the system";
  themeButton.setAttribute("aria-label", `Theme: ${name}`);
  themeButton.title = `Theme: ${name}`;
}
function nextTheme() {
  const order = ["", "light", "dark"];
  document.documentElement.dataset.theme = order[(order.indexOf(document.documentElement.dataset.theme || "") + 1) % 3];
  try { localStorage.setItem("compilescope-theme", document.documentElement.dataset.theme); } catch { /* a private window */ }
  showTheme();
}
themeButton.addEventListener("click", nextTheme);
showTheme();
