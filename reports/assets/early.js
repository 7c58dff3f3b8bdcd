// Before the first paint, so that a chosen theme does not flash.
try { document.documentElement.dataset.theme = localStorage.getItem("compilescope-theme") || ""; } catch {}
document.documentElement.classList.add("scripted");
