// The record and its candidates, fields in columns, as text and nothing else.

import { pieces } from "./differences.js";

export function made(tag, properties = {}, ...children) {
  const element = Object.assign(document.createElement(tag), properties);
  element.append(...children);
  return element;
}

// Measuring lays the page out: it waits until people see the page.
export function afterPaint(act) {
  requestAnimationFrame(() => setTimeout(act));
}

let order = []; // the places of the fields that are shown, as people arranged them

export function arrange(names, shown) {
  order = shown.map((name) => names.indexOf(name));
}

export function headRow(fields) {
  const heads = ["id", ...order.map((i) => fields[i])].map((name) => made("th", { scope: "col", textContent: name, dir: "auto" }));
  return made("tr", {}, made("td"), ...heads);
}

export function recordRow(record, fields) {
  const cells = order.map((i) => cell(fields[i], valueBox(record.values[i])));
  const row = made("tr", { className: "record" }, cell("", "Record"), cell("id", valueBox(record.id)), ...cells);
  row.firstChild.className = "tick";
  return row;
}

export function candidateRow(candidate, record, fields) {
  const tick = made("input", { type: "checkbox" });
  const cells = order.map((i) => cell(fields[i], compared(record.values[i], candidate.values[i])));
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

export function headingRow(text) {
  return made("tr", { className: "heading" }, made("th", { colSpan: order.length + 2, scope: "rowgroup", textContent: text }));
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

const ADDRESS = /\b(?:https?:\/\/|www\.)[^\s<>"]*[^\s<>"'.,;:!?)\]]/gi;
const MOST_LINKS = 5;

// Links that can be opened, after the text; where they lead is not told where they came from.
function links(value) {
  return [...value.matchAll(ADDRESS)].slice(0, MOST_LINKS).flatMap(([address]) => {
    const href = /^www/i.test(address) ? `//${address}` : address;
    const made_ = made("a", { href, target: "_blank", rel: "noopener noreferrer", referrerPolicy: "no-referrer", textContent: "↗", title: "Open in a new tab" });
    made_.setAttribute("aria-label", `Open ${address} in a new tab`);
    return [" ", made_];
  });
}

function valueBox(value) {
  if (value === null || value === "") return made("span", { className: "empty", textContent: "—", title: "empty" });
  return made("div", { className: "value", dir: "auto" }, ...breakable(value), ...links(value));
}

// Lines break after punctuation, never within a word.
function breakable(text) {
  if (text.length > 1_000) return [text];
  return text.split(/(?<=[\p{P}\p{S}])(?=[\p{L}\p{N}])/u).flatMap((part, i) => (i ? [made("wbr"), part] : [part]));
}

const isCut = (box) => box.scrollHeight > box.clientHeight + 1 || box.scrollWidth > box.clientWidth + 1;

// What is cut has a sign, and can be scrolled, also by keys.
export function letScroll(table) {
  const boxes = [...table.querySelectorAll(".value")].map((box) => [box, isCut(box)]);
  for (const [box, cut] of boxes) {
    box.classList.toggle("cut", cut);
    if (cut) box.tabIndex = 0;
    else box.removeAttribute("tabindex");
  }
}

const WIDE = 28; // characters up to which a field is not made narrower
const NARROW = 16; // if all fields fit on the screen that way
const BOLD = 1.3; // times as wide as those of the header are the record's letters
const PADDING = 3; // characters, about, of each cell
let room = null; // characters, about, that fit; measured once, because measuring lays the page out
addEventListener("resize", () => (room = null));

// Fields share the width that there is; each is as wide as what it holds, or wraps between words.
export function setWidths(table) {
  const body = [...table.querySelectorAll("tr.record, tr.candidate")];
  const heads = [...(table.tHead.rows[0]?.cells ?? [])].slice(2).filter((head) => !head.hidden);
  const longest = heads.map(({ cellIndex }) => Math.max(...body.map((row) => row.cells[cellIndex].textContent.length)));
  const widths = (most) => longest.map((length) => Math.min(length, most));
  room ??= (0.7 * table.parentNode.clientWidth) / parseFloat(getComputedStyle(table).fontSize) / 0.55;
  const fits = widths(NARROW).reduce((sum, width) => sum + width + PADDING, 0) < room;
  const least = widths(fits ? NARROW : WIDE);
  heads.forEach((head, i) => (head.style.minWidth = `calc(${BOLD * least[i]}ch + 1.2rem)`));
}

function compared(theirs, value) {
  if (!value) {
    const box = valueBox(value);
    if (theirs) Object.assign(box, { className: "empty differs", title: "empty, and the record has a value here" });
    return box;
  }
  const box = made("div", { className: "value", dir: "auto" });
  for (const { text, is } of theirs ? pieces(theirs, value) : [{ text: value, is: "other" }]) {
    if (is === "same") box.append(...breakable(text));
    else if (is === "other") box.append(made("mark", {}, ...breakable(text)));
    else box.append(made("span", { className: "lack", title: `the record has “${text}” here` }));
  }
  box.classList.add(box.querySelector("mark, .lack") ? "differs" : "same");
  box.append(...links(value));
  return box;
}
