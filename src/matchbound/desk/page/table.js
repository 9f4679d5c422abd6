// The record and its candidates, fields in columns, as text and nothing else.

import { pieces } from "./differences.js";

export function made(tag, properties = {}, ...children) {
  const element = Object.assign(document.createElement(tag), properties);
  element.append(...children);
  return element;
}

export function headRow(fields) {
  const heads = ["", "id", ...fields].map((name) => made("th", { scope: "col", textContent: name, dir: "auto" }));
  return made("tr", {}, ...heads);
}

export function recordRow(record, fields) {
  const cells = record.values.map((value, i) => cell(fields[i], valueBox(value)));
  const row = made("tr", { className: "record" }, cell("", "Record"), cell("id", valueBox(record.id)), ...cells);
  row.firstChild.className = "tick";
  return row;
}

export function candidateRow(candidate, record, fields, ticked) {
  const tick = made("input", { type: "checkbox", checked: ticked, value: candidate.id });
  tick.setAttribute("aria-label", `Match ${candidate.id}`);
  const cells = candidate.values.map((value, i) => cell(fields[i], compared(record.values[i], value)));
  const first = cell("", made("label", {}, tick, made("kbd")));
  first.className = "tick";
  return made("tr", { className: "candidate" }, first, cell("id", valueBox(candidate.id)), ...cells);
}

export function headingRow(text, columns) {
  return made("tr", { className: "heading" }, made("th", { colSpan: columns, scope: "rowgroup", textContent: text }));
}

function cell(head, content) {
  const made_ = made("td", {}, content);
  made_.dataset.head = head;
  return made_;
}

function valueBox(value) {
  if (value === null || value === "") return made("span", { className: "empty", textContent: "—", title: "empty" });
  return made("div", { className: "value", dir: "auto", textContent: value });
}

function compared(theirs, value) {
  if (!theirs || !value) return valueBox(value);
  const box = made("div", { className: "value", dir: "auto" });
  for (const { text, is } of pieces(theirs, value)) {
    if (is === "same") box.append(text);
    else if (is === "other") box.append(made("mark", { textContent: text }));
    else box.append(made("span", { className: "lack", title: `the record has “${text}” here` }));
  }
  if (!box.querySelector("mark, .lack")) box.classList.add("same");
  return box;
}
