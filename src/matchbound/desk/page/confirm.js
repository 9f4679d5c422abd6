// Ask whether other labels change too: one key for all of them.

import { made } from "./table.js";

const box = document.getElementById("confirm");
const MOST = 20;

box.addEventListener("keydown", (event) => event.repeat && event.preventDefault()); // a key held down

export function agreed(changes) {
  const lines = changes.slice(0, MOST).map((change) => {
    const parts = [["gains", change.gains], ["loses", change.loses]].filter(([, ids]) => ids.length);
    return made("li", { dir: "auto", textContent: `${change.node} ${parts.map(([verb, ids]) => `${verb} ${named(ids)}`).join(", and ")}` });
  });
  if (changes.length > MOST) lines.push(made("li", { textContent: `and ${changes.length - MOST} more labels` }));
  document.getElementById("changes").replaceChildren(...lines);
  box.returnValue = "";
  box.showModal();
  return new Promise((done) => box.addEventListener("close", () => done(box.returnValue === "yes"), { once: true }));
}

function named(ids) {
  const rest = ids.length - 5;
  return ids.slice(0, 5).join(", ") + (rest > 0 ? ` and ${rest} more` : "");
}
