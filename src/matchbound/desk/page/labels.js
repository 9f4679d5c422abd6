// A list of all labels, with filters, and a way to each.

import { made } from "./table.js";

const at = (id) => document.getElementById(id);
let rows = [];
let go = () => {};

export function showLabels(labels, open) {
  [rows, go] = [labels, open];
  refresh();
  at("list").showModal();
}

function refresh() {
  const wanted = at("filter").value;
  const fits = (row) => wanted === "all" || row.kind === wanted || (wanted === "note" && row.note);
  const shown = rows.filter(fits);
  at("list-count").textContent = `${shown.length} of ${rows.length} labels`;
  at("list-rows").replaceChildren(...shown.map((row) => made("li", {}, button(row))));
}

function button(row) {
  const said = { match: row.matches?.join(", "), none: "no match", unsure: "unsure", conflict: "to decide" }[row.kind];
  const text = `${row.place} · ${row.node}: ${said}${row.note ? ` (${row.note})` : ""}`;
  const made_ = made("button", { type: "button", dir: "auto", textContent: text });
  made_.addEventListener("click", () => {
    at("list").close();
    go(row.place);
  });
  return made_;
}

at("filter").addEventListener("change", refresh);
