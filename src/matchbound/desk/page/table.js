// The record and its candidates, fields in columns, as text and nothing else.

import { pieces } from "./differences.js";

export function made(tag, properties = {}, ...children) {
  const element = Object.assign(document.createElement(tag), properties);
  element.append(...children);
  return element;
}

export function headRow(fields) {
  const heads = ["id", ...fields].map((name) => made("th", { scope: "col", textContent: name, dir: "auto" }));
  return made("tr", {}, made("td"), ...heads);
}

export function recordRow(record, fields) {
  const cells = record.values.map((value, i) => cell(fields[i], valueBox(value)));
  const row = made("tr", { className: "record" }, cell("", "Record"), cell("id", valueBox(record.id)), ...cells);
  row.firstChild.className = "tick";
  return row;
}

export function candidateRow(candidate, record, fields) {
  const tick = made("input", { type: "checkbox" });
  const cells = candidate.values.map((value, i) => cell(fields[i], compared(record.values[i], value)));
  const first = cell("", made("label", {}, tick, made("kbd")));
  first.className = "tick";
  const row = made("tr", { className: "candidate" }, first, cell("id", ""), ...cells);
  row.dataset.values = JSON.stringify(candidate.values);
  return showIds(row, [candidate.id]);
}

const MOST_IDS = 3;

// Records that are alike are one row: it has their ids, and how many they are.
export function showIds(row, ids) {
  const tick = row.querySelector("input");
  tick.value = ids[0];
  tick.setAttribute("aria-label", ids.length > 1 ? `Match ${ids.length} records, ${ids[0]} and others` : `Match ${ids[0]}`);
  row.dataset.ids = JSON.stringify(ids);
  const rest = ids.length - MOST_IDS;
  const text = ids.slice(0, MOST_IDS).join(", ") + (rest > 0 ? ` and ${rest} more` : "");
  const many = made("button", { type: "button", className: "many", textContent: `×${ids.length}`, title: "Alike in every field. Show one by one" });
  row.children[1].replaceChildren(valueBox(text), ...(ids.length > 1 ? [many] : []));
  return row;
}

export function headingRow(text, columns) {
  return made("tr", { className: "heading" }, made("th", { colSpan: columns, scope: "rowgroup", textContent: text }));
}

function cell(head, content) {
  const made_ = made("td", {}, content);
  made_.dataset.head = head;
  if (content.classList?.contains("differs")) made_.classList.add("differs"); // comes first on a phone
  return made_;
}

// Columns that are empty in the record and in all rows shown are folded away.
export function foldEmpty(table) {
  const heads = table.tHead.rows[0]?.cells ?? [];
  const body = [...table.querySelectorAll("tr.record, tr.candidate")];
  let folded = 0;
  for (let i = 2; i < heads.length; i += 1) {
    const isEmpty = body.every((row) => row.cells[i].firstChild.classList.contains("empty"));
    for (const row of [heads[i].parentNode, ...body]) row.cells[i].hidden = isEmpty;
    folded += isEmpty;
  }
  return folded;
}

const ADDRESS = /^https?:\/\/[^\s<>"]+$/i;

// A link that can be opened beside the text; what it leads to is not told where it came from.
function link(value) {
  const made_ = made("a", { href: value.trim(), target: "_blank", rel: "noopener noreferrer", referrerPolicy: "no-referrer", textContent: "↗", title: "Open in a new tab" });
  made_.setAttribute("aria-label", `Open ${value.trim()} in a new tab`);
  return made_;
}

function valueBox(value) {
  if (value === null || value === "") return made("span", { className: "empty", textContent: "—", title: "empty" });
  const box = made("div", { className: "value", dir: "auto" }, ...breakable(value));
  if (ADDRESS.test(value.trim())) box.append(" ", link(value));
  return box;
}

// Lines break after punctuation, never within a word.
function breakable(text) {
  if (text.length > 1_000) return [text];
  return text.split(/(?<=[\p{P}\p{S}])(?=[\p{L}\p{N}])/u).flatMap((part, i) => (i ? [made("wbr"), part] : [part]));
}

// What is cut can be scrolled, also by keys.
export function letScroll(table) {
  for (const box of table.querySelectorAll(".value:not([tabindex])")) {
    if (box.scrollHeight > box.clientHeight + 1 || box.scrollWidth > box.clientWidth + 1) box.tabIndex = 0;
  }
}

function compared(theirs, value) {
  if (!theirs || !value) {
    const box = valueBox(value);
    if (theirs || value) box.classList.add("differs");
    return box;
  }
  const box = made("div", { className: "value", dir: "auto" });
  for (const { text, is } of pieces(theirs, value)) {
    if (is === "same") box.append(...breakable(text));
    else if (is === "other") box.append(made("mark", {}, ...breakable(text)));
    else box.append(made("span", { className: "lack", title: `the record has “${text}” here` }));
  }
  box.classList.add(box.querySelector("mark, .lack") ? "differs" : "same");
  if (ADDRESS.test(value.trim())) box.append(" ", link(value));
  return box;
}
