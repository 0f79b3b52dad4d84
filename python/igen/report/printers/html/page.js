// Comforts only: the page is complete without a script.
// Tooltips at once instead of after the browser's delay; every fold opens for the printer.
"use strict";
const tip = document.body.appendChild(document.createElement("div"));
tip.id = "tip";
tip.hidden = true;
for (const title of document.querySelectorAll("svg title")) {
  title.parentNode.dataset.tip = title.textContent;
  title.remove();
}
document.addEventListener("pointerover", (event) => {
  const mark = event.target.closest("[data-tip]");
  tip.hidden = !mark;
  if (!mark) return;
  tip.textContent = mark.dataset.tip;
  const box = mark.getBoundingClientRect();
  const room = document.documentElement.clientWidth - tip.offsetWidth - 8;
  tip.style.left = `${scrollX + Math.max(8, Math.min(box.left + box.width / 2 - tip.offsetWidth / 2, room))}px`;
  tip.style.top = `${scrollY + box.top - tip.offsetHeight - 4}px`;
});
addEventListener("beforeprint", () => {
  for (const fold of document.querySelectorAll("details:not([open])")) fold.open = true;
});
