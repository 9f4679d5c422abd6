// Ask whether other labels change too: one key for all of them.

import { made } from "./table.js";

const box = document.getElementById("confirm");
const MOST = 20;
const AT_ONCE = 400; // milliseconds: too soon for the changes to have been read
let openedAt = 0;

box.addEventListener("keydown", (event) => event.repeat && event.preventDefault()); // a key held down
box.addEventListener("submit", (event) => {
  if (event.submitter?.value === "yes" && performance.now() - openedAt < AT_ONCE) event.preventDefault(); // a key pressed twice
});

export function agreed(changes) {
  const lines = changes.slice(0, MOST).map((change) => {
    const parts = [["gains", change.gains], ["loses", change.loses]].filter(([, ids]) => ids.length);
    const told = parts.flatMap(([verb, ids], i) => [i ? ", and " : " ", made("strong", { className: verb, textContent: verb }), ` ${named(ids)}`]);
    return made("li", { dir: "auto" }, change.node, ...told);
  });
  if (changes.length > MOST) lines.push(made("li", { textContent: `and ${changes.length - MOST} more labels` }));
  document.getElementById("changes").replaceChildren(...lines);
  box.returnValue = "";
  box.showModal();
  openedAt = performance.now();
  return new Promise((done) => box.addEventListener("close", () => done(box.returnValue === "yes"), { once: true }));
}

function named(ids) {
  const rest = ids.length - 5;
  return ids.slice(0, 5).join(", ") + (rest > 0 ? ` and ${rest} more` : "");
}
