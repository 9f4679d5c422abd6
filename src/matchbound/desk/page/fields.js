// Which fields are shown, and in which order: chosen here, remembered in the audit folder.

import { made } from "./table.js";

const at = (id) => document.getElementById(id);
const box = at("arrange");

export function chooseFields({ shown, hidden }, names, save) {
  fill(shown, hidden);
  box.returnValue = "";
  box.showModal();
  box.onclose = () => {
    if (box.returnValue === "save") save(chosen());
    if (box.returnValue === "all") save({ shown: names, hidden: [] });
  };
}

function fill(shown, hidden) {
  at("arrange-rows").replaceChildren(...shown.map((name) => line(name, true)), ...hidden.map((name) => line(name, false)));
  at("arrange-rows").querySelector("input").focus();
  check();
}

function line(name, isShown) {
  const tick = made("input", { type: "checkbox", checked: isShown, value: name });
  const row = made("li", {}, made("label", {}, tick, made("span", { dir: "auto", textContent: name })), arrow(name, "up", "↑", -1), arrow(name, "down", "↓", 1));
  return row;
}

function arrow(name, way, sign, by) {
  const button = made("button", { type: "button", textContent: sign, title: `Move ${way}` });
  button.setAttribute("aria-label", `Move ${name} ${way}`);
  button.addEventListener("click", () => {
    move(button.closest("li"), by);
    button.focus();
  });
  return button;
}

function move(row, by) {
  if (by < 0) row.previousElementSibling?.before(row);
  else row.nextElementSibling?.after(row);
}

const ticks = () => [...at("arrange-rows").querySelectorAll("input")];

function chosen() {
  const named = (isShown) => ticks().filter((one) => one.checked === isShown).map((one) => one.value);
  return { shown: named(true), hidden: named(false) };
}

function check() {
  at("arrange-save").disabled = !ticks().some((one) => one.checked);
}

at("arrange-rows").addEventListener("change", check);
// Arrows go from field to field; with Shift they take the field along.
at("arrange-rows").addEventListener("keydown", (event) => {
  const by = { ArrowUp: -1, ArrowDown: 1 }[event.key];
  const row = event.target.closest("li");
  if (!by || !row) return;
  event.preventDefault();
  if (event.shiftKey) move(row, by);
  const next = event.shiftKey ? row : by < 0 ? row.previousElementSibling : row.nextElementSibling;
  next?.querySelector("input").focus();
});
