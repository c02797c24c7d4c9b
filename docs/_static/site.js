"use strict";
/* Copy buttons on code, and sections of the sidebar that open and close; pages are whole without it. */
document.addEventListener("DOMContentLoaded", () => {
  for (const block of document.querySelectorAll("article div.highlight")) {
    if (block.closest(".cell_output, .highlight-text, .highlight-none, .highlight-default, .programoutput")) continue;
    const pre = block.querySelector("pre");
    if (!pre || !navigator.clipboard) continue;
    const button = document.createElement("button");
    button.className = "copy";
    button.textContent = "copy";
    button.setAttribute("aria-label", "Copy this code");
    button.addEventListener("click", () => {
      navigator.clipboard.writeText(pre.textContent.replace(/\n$/, "")).then(() => { button.textContent = "copied"; });
      setTimeout(() => { button.textContent = "copy"; }, 1500);
    });
    block.append(button);
  }
  const captions = [...document.querySelectorAll(".sidebar-tree p.caption")];
  for (const caption of captions) {
    const list = caption.nextElementSibling;
    if (!list) continue;
    const here = list.classList.contains("current");
    const set = open => { list.hidden = !open; caption.classList.toggle("open", open); caption.setAttribute("aria-expanded", open); };
    caption.setAttribute("role", "button");
    caption.tabIndex = 0;
    caption.addEventListener("click", () => set(list.hidden));
    caption.addEventListener("keydown", e => { if (e.key === "Enter" || e.key === " ") { e.preventDefault(); set(list.hidden); } });
    set(here);
  }
  if (captions.length && !captions.some(c => c.classList.contains("open")))
    for (const caption of captions.slice(0, 2)) caption.click();
});
