// The list of records that may match: rows, ticks, and what joins it.

import { tellCut } from "./cut.js";
import { afterPaint, candidateRow, foldEmpty, headingRow, letScroll, setWidths, showIds } from "./table.js";

const at = (id) => document.getElementById(id);
let record = null;
let fields = [];
let prepared = new Map(); // rows of the node that may come next, by all that they show
let last = null; // the row that was ticked last: a range goes from there

export function begin(shown, names) {
  [record, fields, last] = [shown, names, null];
  for (const part of ["found", "candidates"]) at(part).replaceChildren();
}

const shows = (of, candidate) => JSON.stringify([fields, of, candidate]);
const whenIdle = window.requestIdleCallback ?? setTimeout;

// Make rows before they are needed, one at a time, so that no key waits.
export function prepare(next, candidates) {
  const made = (prepared = new Map());
  const rest = [...candidates];
  const step = () => {
    const one = rest.shift();
    if (!one || made !== prepared) return;
    made.set(shows(next, one), candidateRow(one, next, fields));
    whenIdle(step);
  };
  whenIdle(step);
}

function rowOfCandidate(one) {
  const key = shows(record, one);
  const row = prepared.get(key) ?? candidateRow(one, record, fields);
  prepared.delete(key);
  return row;
}

export const rows = () => [...document.querySelectorAll("tr.candidate")];
const box = (row) => row.querySelector("input");
export const idsOf = (row) => JSON.parse(row.dataset.ids);

export function ticked() {
  return [...new Set(rows().filter((row) => box(row).checked).flatMap(idsOf))];
}

// The same with their values, so that they can be shown again.
export function tickedRecords() {
  const values = (row) => JSON.parse(row.dataset.values);
  return rows().filter((row) => box(row).checked).flatMap((row) => idsOf(row).map((id) => ({ id, values: values(row) })));
}

// Records that are alike in every field shown are one row; one that is listed already is not
// listed twice. Returns how many rows are new, and the ids that came to a ticked row.
export function add(part, heading, records, ticks = new Set()) {
  const known = new Set(rows().flatMap(idsOf));
  const alike = new Map(rows().filter((row) => !row.dataset.alone).map((row) => [row.dataset.values, row]));
  const [fresh, joined] = [[], []];
  for (const one of records.filter((one) => !known.has(one.id))) {
    const values = JSON.stringify(one.values);
    const row = alike.get(values);
    if (row) {
      showIds(row, [...idsOf(row), one.id]);
      if (box(row).checked) joined.push(one.id);
    } else {
      alike.set(values, rowOfCandidate(one));
      fresh.push(alike.get(values));
    }
  }
  if (fresh.length && heading) at(part).append(headingRow(heading));
  at(part).append(...fresh);
  if (ticks.size) for (const row of rows()) restore(row, ticks);
  fit();
  return { fresh, joined };
}

// A row as it was saved: what comes later does not join it, and with some of its records ticked it is taken apart.
function restore(row, ticks) {
  const many = idsOf(row).filter((id) => ticks.has(id)).length;
  if (many && many < idsOf(row).length) return split(row, ticks);
  if (many) [box(row).checked, row.dataset.alone] = [true, "yes"];
  return undefined;
}

// Fold fields that are empty, let what is cut be scrolled, and give the rows their keys.
function fit() {
  const table = document.querySelector("table");
  const folded = foldEmpty(table);
  setWidths(table);
  afterPaint(() => {
    letScroll(table);
    tellCut();
  });
  at("folded").textContent = folded ? `${folded} ${folded === 1 ? "field is" : "fields are"} empty in all records shown, and folded away. ` : "";
  number();
}

// The same rows, with the fields as they are arranged now.
export function rebuild() {
  prepared = new Map(); // they are arranged as before
  for (const row of rows()) {
    const again = showIds(candidateRow({ id: "", values: JSON.parse(row.dataset.values) }, record, fields), idsOf(row));
    again.className = row.className;
    if (row.dataset.alone) again.dataset.alone = row.dataset.alone;
    box(again).checked = box(row).checked;
    if (last === row) last = again;
    row.replaceWith(again);
  }
  for (const heading of document.querySelectorAll("tr.heading")) heading.replaceWith(headingRow(heading.textContent));
  fit();
}

// Each record of a row gets a row of its own, ticked as it was, or if it is one of these.
export function split(row, ticks = new Set(box(row).checked ? idsOf(row) : [])) {
  const values = JSON.parse(row.dataset.values);
  const alone = idsOf(row).map((id) => candidateRow({ id, values }, record, fields));
  for (const one of alone) {
    one.dataset.alone = "yes";
    box(one).checked = ticks.has(box(one).value);
  }
  row.replaceWith(...alone);
  fit();
}

// Keys 1 to 9 are of the first rows.
export function number() {
  rows().forEach((row, i) => {
    row.classList.toggle("ticked", box(row).checked);
    row.querySelector(".tick kbd").textContent = i < 9 ? i + 1 : "";
  });
}

// Tick or untick a row; or all between it and the one before, or the top. Returns what is ticked.
export function tick(row, isRange = false) {
  const every = rows();
  const [from, to] = [every.indexOf(last), every.indexOf(row)].sort((a, b) => a - b);
  const changed = isRange ? every.slice(Math.max(from, 0), to + 1) : [row];
  return set(changed, isRange || !box(row).checked, row);
}

export function tickAll() {
  return set(rows(), true, last);
}

export function set(changed, isTicked, row = last) {
  const fresh = changed.filter((one) => box(one).checked !== isTicked);
  for (const one of fresh) box(one).checked = isTicked;
  last = row;
  number();
  return isTicked ? fresh.flatMap(idsOf) : [];
}

// Tick these records and no others: a row with others too is taken apart.
export function tickOnly(ids) {
  const wanted = new Set(ids);
  const some = (row) => idsOf(row).some((id) => wanted.has(id));
  for (const row of rows().filter(some)) if (!idsOf(row).every((id) => wanted.has(id))) split(row);
  set(rows().filter(some), true);
}

export function rowOf(id) {
  return rows().find((row) => idsOf(row).includes(id));
}

export function isLastTicked() {
  const row = [...at("candidates").querySelectorAll("tr.candidate")].at(-1);
  return row !== undefined && box(row).checked;
}
