"use strict";
/* Copy buttons on code, and sections of the sidebar that open and close; pages are whole without it. */
function copy(text) {
  if (navigator.clipboard) { navigator.clipboard.writeText(text); return; }
  const area = document.createElement("textarea");  // a page that is opened as a file has no clipboard
  area.value = text;
  document.body.append(area);
  area.select();
  document.execCommand("copy");
  area.remove();
}
document.addEventListener("DOMContentLoaded", () => {
  for (const block of document.querySelectorAll("article div.highlight")) {
    if (block.closest(".cell_output, .highlight-text, .highlight-none, .highlight-default:not(.doctest), .programoutput")) continue;
    const pre = block.querySelector("pre");
    if (!pre) continue;
    const button = document.createElement("button");
    button.className = "copy";
    button.textContent = "copy";
    button.setAttribute("aria-label", "Copy this code");
    button.addEventListener("click", () => {
      const lines = pre.textContent.split("\n"), typed = lines.filter(line => /^(>>>|\.\.\.)/.test(line));
      copy((typed.length ? typed : lines).join("\n").replace(/^(>>>|\.\.\.) ?/gm, "").replace(/\n$/, ""));
      button.textContent = "copied";
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
  const current = document.querySelector(".sidebar-tree .current-page");
  if (current) current.scrollIntoView({ block: "nearest" });
  if (!captions.length || captions.some(c => c.classList.contains("open"))) return;
  /* A page that the sidebar does not name: where the index of its folder is. */
  const folder = a => new URL(a.href).pathname.replace(/[^/]*$/, "");
  const index = [...document.querySelectorAll(".sidebar-tree a.reference")].find(
    a => /generated\/\w+\/$/.test(folder(a)) && folder(a) === folder(location));
  const list = document.querySelector(".sidebar-scroll"), fits = () => list.scrollHeight <= list.clientHeight;
  if (!index) {
    for (const caption of captions.slice(0, 2)) caption.click();
    if (!fits()) captions[0].click();  // the guide stays open
    return;
  }
  index.closest("li").classList.add("current-page");
  index.closest(".sidebar-tree > ul").previousElementSibling.click();
});
