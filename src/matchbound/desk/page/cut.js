// Signs at the edges of what can be scrolled: that there is more to the right, or below.

import { letScroll } from "./table.js";

const at = (id) => document.getElementById(id);

export function tellCut() {
  const region = document.querySelector(".scroll");
  const frame = region.parentNode;
  frame.classList.toggle("right", region.scrollLeft + region.clientWidth < region.scrollWidth - 1);
  frame.classList.toggle("below", region.scrollTop + region.clientHeight < region.scrollHeight - 1);
  const record = at("record"); // scrolls by itself on a phone
  record.classList.toggle("below", record.scrollTop + record.clientHeight < record.scrollHeight - 1);
}

document.querySelector(".scroll").addEventListener("scroll", tellCut, { passive: true });
at("record").addEventListener("scroll", tellCut, { passive: true });
addEventListener("resize", () => {
  letScroll(document.querySelector("table"));
  tellCut();
});
