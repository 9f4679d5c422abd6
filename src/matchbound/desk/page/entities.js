// Entities that were labelled before: which records shown belong to one, and which one is offered.

import { idsOf, rows } from "./list.js";

let known = []; // lists of ids; the node's own first

export function begin(entities) {
  known = entities;
}

export function add(entities) {
  const firsts = new Set(known.map((one) => one[0]));
  known.push(...entities.filter((one) => !firsts.has(one[0])));
}

// The entity of a ticked record comes first, then the node's own, then that of the first record.
export function offered() {
  const every = rows();
  const ticked = new Set(every.filter((row) => row.querySelector("input").checked).flatMap(idsOf));
  const open = known.filter((one) => one.some((id) => !ticked.has(id)));
  const place = (one) => every.findIndex((row) => idsOf(row).some((id) => one.includes(id)));
  const isTicked = (one) => one.some((id) => ticked.has(id));
  return open.find(isTicked) ?? open.toSorted((a, b) => place(a) - place(b))[0];
}

export function offer() {
  const entity = offered();
  const button = document.getElementById("join");
  button.hidden = entity === undefined;
  if (entity === undefined) return;
  button.dataset.ids = JSON.stringify(entity);
  const key = Object.assign(document.createElement("kbd"), { textContent: "e" });
  button.replaceChildren(`The same as ${entity[0]} (${entity.length === 1 ? "1 record" : `${entity.length} records`}) `, key);
  for (const row of rows()) row.classList.toggle("entity", idsOf(row).some((id) => entity.includes(id)));
}
