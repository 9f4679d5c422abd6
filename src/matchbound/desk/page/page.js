// The page: shows a node, sends what is said of it, goes on.

import { get, nameLabeller, post } from "./asking.js";
import { candidateRow, headingRow, headRow, made, recordRow } from "./table.js";

const at = (id) => document.getElementById(id);
const screens = ["start", "wait", "end", "work"];
let about = null; // fields and settings
let node = null; // what is shown
let busy = false;
let asked = 0; // the latest search
let shownAt = 0; // when the node came
let leaving = null; // the place at which unsaved ticks were told

const AT_ONCE = 300; // milliseconds: too soon for a node to have been looked at

function show(screen) {
  for (const name of screens) at(name).hidden = name !== screen;
}

function say(text, wrong = false) {
  at("message").textContent = text;
  at("message").classList.toggle("wrong", wrong);
}

// Each action waits for the one before, and tells what went wrong.
async function acting(action) {
  if (busy) return;
  busy = true;
  document.body.classList.add("busy");
  try {
    await action();
  } catch (error) {
    say(error.message, true);
  } finally {
    busy = false;
    document.body.classList.remove("busy");
  }
}

async function begin() {
  about = await get("start");
  const name = about.labeller ?? localStorage.getItem("labeller");
  if (!name) {
    show("start");
    at("name").focus();
    return;
  }
  nameLabeller(name);
  at("me").textContent = name;
  at("me").hidden = false;
  at("me").disabled = about.labeller !== null; // their address says who they are
  while (!about.ready) {
    show("wait");
    await new Promise((done) => setTimeout(done, 500));
    about = await get("start");
  }
  const every = made("option", { value: "", textContent: "any field" });
  at("field").replaceChildren(every, ...about.searchable.map((name) => made("option", { value: name, textContent: name })));
  document.querySelector("thead").replaceChildren(headRow(about.fields));
  at("how").textContent = about.how;
  at("why").textContent = about.live ?? "";
  at("panel").hidden = about.live !== null;
  at("answer").hidden = !about.answers;
  await next();
}

async function next(take = false) {
  display(await post("next", { take }));
}

function display(given) {
  node = given;
  shownAt = performance.now();
  leaving = null;
  progress(node.state);
  if (node.place === null) return finish(node.state);
  show("work");
  at("title").textContent = `Node ${node.place} of ${node.state.total}`;
  at("record").replaceChildren(recordRow(node.record, about.fields));
  const ticked = new Set(node.mine?.matches ?? []);
  at("candidates").replaceChildren(headingRow("Nearest records and candidates", about.fields.length + 2), ...rows(node.candidates, ticked));
  at("found").replaceChildren();
  at("note").value = node.mine?.note ?? "";
  at("text").value = "";
  at("answered").hidden = true;
  tellVerdicts();
  count();
  document.activeElement?.blur();
  window.scrollTo(0, 0);
  refreshBounds();
}

function rows(candidates, ticked = new Set()) {
  return candidates.map((one) => candidateRow(one, node.record, about.fields, ticked.has(one.id)));
}

function tellVerdicts() {
  const lines = node.said.map((said) => made("li", { dir: "auto", textContent: `${said.labeller}: ${words(said.matches)}${said.note ? ` (${said.note})` : ""}` }));
  const lead = node.conflict ? "Labelled differently. What you save now decides." : "Several people labelled this node.";
  at("said").replaceChildren(made("p", { textContent: lead }), made("ul", {}, ...lines));
  at("said").hidden = lines.length === 0;
  if (node.mine && !node.said.length) say(`You said: ${words(node.mine.matches)}.`);
}

function words(matches) {
  if (matches === null) return "unsure";
  return matches.length ? matches.join(", ") : "no match";
}

function progress(state) {
  at("bar").max = state.total;
  at("bar").value = state.done;
  const minutes = Math.ceil(state.seconds / 60);
  const left = state.seconds > 0 ? ` · about ${minutes > 90 ? `${Math.round(minutes / 60)} h` : `${minutes} min`} left` : "";
  at("progress").textContent = `${state.done} of ${state.total} done${left}`;
  const waiting = state.conflicts.length + state.unsure.length;
  at("todo").hidden = waiting === 0;
  at("todo").textContent = `${state.conflicts.length} to decide, ${state.unsure.length} unsure`;
  at("todo").classList.toggle("urgent", state.conflicts.length > 0);
  at("undo").disabled = at("back").disabled = state.last === null;
}

function finish(state) {
  show("end");
  const open = Math.max(state.total - state.done, 0);
  const all = state.enough ? "Enough nodes are labelled" : "All nodes are labelled";
  at("end-title").textContent = open || state.conflicts.length || state.unsure.length ? "Nothing more for you now" : all;
  const lines = [];
  if (open) {
    const take = made("button", { type: "button", textContent: "Take them over" });
    take.addEventListener("click", () => acting(() => next(true)));
    lines.push(made("p", {}, `${open} ${open === 1 ? "node is" : "nodes are"} with another labeller. `, take));
  }
  lines.push(...list("To decide, labelled differently", state.conflicts), ...list("Unsure", state.unsure));
  if (state.unsure.length) lines.push(made("p", { className: "soft", textContent: "A node without a label is refused by certify, or counts as the worst case there." }));
  if (state.twice) lines.push(made("p", { textContent: `Of ${state.twice} nodes that several people labelled, they agreed on ${state.agreed}.` }));
  lines.push(made("p", { textContent: "Every label is in labels.csv of the audit folder. Next: matchbound certify." }));
  at("end-text").replaceChildren(...lines);
  refreshBounds();
}

function list(title, places) {
  if (!places.length) return [];
  const buttons = places.slice(0, 100).map((place) => {
    const button = made("button", { type: "button", textContent: place });
    button.addEventListener("click", () => acting(() => open(place)));
    return button;
  });
  return [made("p", {}, `${title}: `, ...buttons)];
}

async function open(place) {
  say("");
  display(await get("node", { place }));
}

function ticks() {
  return [...document.querySelectorAll("tr.candidate input")];
}

function ticked() {
  return [...new Set(ticks().filter((tick) => tick.checked).map((tick) => tick.value))];
}

function count() {
  const many = ticked().length;
  at("save").disabled = many === 0;
  at("save").replaceChildren(many > 1 ? `${many} matches ` : "Match ", made("kbd", { textContent: "Enter" }));
  ticks().forEach((tick, i) => {
    tick.closest("tr").classList.toggle("ticked", tick.checked);
    tick.nextSibling.textContent = i < 9 ? i + 1 : "";
  });
}

async function label(matches) {
  const { place, record } = node;
  await post("label", { place, matches, note: at("note").value, decides: node.conflict });
  say(`Saved ${record.id}: ${words(matches)}.`);
  await next();
}

function save() {
  const matches = ticked();
  if (matches.length === 0) return say("Nothing is ticked. Tick the matches, or say “no match” (n) or “unsure” (u).", true);
  if (matches.length > about.most) return say("The draw promises at most one true match a node: keep one.", true);
  return acting(() => label(matches));
}

const tooSoon = () => performance.now() - shownAt < AT_ONCE;

function saveNone() {
  if (tooSoon()) return undefined;
  if (ticked().length) return say("Something is ticked. Untick it, or save it as a match (Enter).", true);
  return acting(() => label([]));
}

async function undo() {
  const back = await post("undo");
  display(back);
  const stands = back.mine ? `your label before it stands: ${words(back.mine.matches)}` : "it waits for a label again";
  say(`Taken back of ${back.record.id}: ${stands}.`);
}

function isDirty() {
  const saved = [...(node.mine?.matches ?? [])].sort().join("\n");
  return ticked().sort().join("\n") !== saved || at("note").value !== (node.mine?.note ?? "");
}

function step(forwards) {
  if (!at("work").hidden && isDirty() && leaving !== node.place) {
    leaving = node.place;
    return say("Ticks or a note are not saved. Save them, or press once more to leave.", true);
  }
  const mine = node?.state.mine ?? [];
  const here = node?.place ?? Infinity;
  const place = forwards ? mine.find((one) => one > here) : mine.findLast((one) => one < here);
  if (place !== undefined) return acting(() => open(place));
  return forwards ? acting(() => { say(""); return next(); }) : say("There is nothing before.");
}

function toDo() {
  const place = [...node.state.conflicts, ...node.state.unsure].find((one) => one !== node.place);
  return place === undefined ? say("Nothing is unsure or waits for a decision.") : acting(() => open(place));
}

async function search() {
  const text = at("text").value.trim();
  const [mine, { place }] = [(asked += 1), node];
  try {
    const { found } = text ? await get("search", { place, text, field: at("field").value }) : { found: [] };
    if (mine === asked && place === node.place) showFound(text, found);
  } catch (error) {
    say(error.message, true);
  }
}

// What is ticked stays, and what is listed below already is not listed twice.
function showFound(text, found) {
  const kept = [...at("found").querySelectorAll("input:checked")].map((tick) => tick.closest("tr"));
  const below = [...at("candidates").querySelectorAll("input")];
  const there = new Set([...below, ...kept.map((row) => row.querySelector("input"))].map((tick) => tick.value));
  const fresh = found.filter((one) => !there.has(one.id));
  const known = found.length - fresh.length;
  const many = found.length ? `Found: ${fresh.length}${known ? `, and ${known} listed already` : ""}` : "Nothing found";
  const heading = text ? [headingRow(many, about.fields.length + 2)] : [];
  at("found").replaceChildren(...heading, ...kept, ...rows(fresh));
  count();
}

async function showAnswer() {
  const answer = await post("answer", { place: node.place });
  const said = answer.matches?.map(({ id, score }) => (score === null ? id : `${id} (${score})`));
  const scores = Object.entries(answer.scores).filter(([, score]) => score !== null).map(([id, score]) => `${id} ${score}`);
  const parts = said ? [`The matcher’s answer: ${said.join(", ") || "none"}.`] : [];
  if (scores.length) parts.push(`Candidates’ scores: ${scores.join(", ")}.`);
  at("answered").textContent = parts.join(" ");
  at("answered").hidden = false;
}

async function refreshBounds() {
  if (at("bounds").hidden || about.live !== null) return;
  const answer = await post("bounds").catch((error) => ({ why: error.message }));
  if (answer.why) return at("bounds-text").replaceChildren(made("p", { textContent: answer.why }));
  const lines = answer.bounds.map((bound) => {
    const place = (value) => `${100 * Math.min(Math.max(value, 0), 1)}%`;
    const [reach, goal] = [made("div", { className: "reach" }), made("div", { className: "goal" })];
    reach.style.width = place(bound.value);
    goal.style.left = place(bound.target ?? 0);
    goal.hidden = bound.target === null;
    const target = bound.target === null ? "" : ` · target ${bound.target}${bound.reached ? ", reached" : ""}`;
    return made("div", { className: "bound" }, made("p", {}, made("b", { textContent: `${bound.metric} ${bound.text}` }), target), made("div", { className: "line" }, reach, goal));
  });
  const stop = answer.stop ? [made("p", { className: "stop", textContent: "The target is reached: you may stop here." })] : [];
  at("bounds-text").replaceChildren(...stop, ...lines, made("p", { className: "soft", textContent: `From ${answer.labels} validation nodes${answer.within ? `, about the nodes in ${answer.within} alone` : ""}. These bounds may be watched, and labelling stopped, at any time.` }));
}

function toggleBounds() {
  if (about.live !== null) return say(about.live);
  at("bounds").hidden = !at("bounds").hidden;
  at("panel").setAttribute("aria-expanded", String(!at("bounds").hidden));
  return refreshBounds();
}

function move(by) {
  const every = ticks();
  const here = every.indexOf(document.activeElement);
  every.at(here < 0 ? (by > 0 ? 0 : -1) : Math.min(Math.max(here + by, 0), every.length - 1))?.focus();
}

function tick(number) {
  const one = ticks()[number - 1];
  if (!one) return;
  one.checked = !one.checked;
  one.focus();
  count();
}

const keys = {
  j: () => move(1),
  ArrowDown: () => move(1),
  k: () => move(-1),
  ArrowUp: () => move(-1),
  Enter: save,
  n: saveNone,
  u: () => tooSoon() || acting(() => label(null)),
  z: () => tooSoon() || acting(undo),
  b: () => step(false),
  f: () => step(true),
  d: toDo,
  m: () => about.answers && acting(showAnswer),
  p: toggleBounds,
  "/": () => at("text").focus(),
  s: () => at("field").focus(),
  o: () => at("note").focus(),
  "?": () => at("keys").showModal(),
};
const anywhere = ["z", "b", "f", "d", "p", "?"]; // also where no node is shown

document.addEventListener("keydown", (event) => {
  const { target } = event;
  const key = event.key.length === 1 ? event.key.toLowerCase() : event.key;
  const typing = target.matches("input:not([type=checkbox]), select");
  if (key === "Escape" && typing) {
    event.preventDefault(); // the browser would empty the search, and what was found would go
    return target.blur();
  }
  if (typing || event.ctrlKey || event.metaKey || event.altKey || at("keys").open) return undefined;
  if (key === "Enter" && target.matches("button")) return undefined;
  if (!about || (at("work").hidden && (at("end").hidden || !anywhere.includes(key)))) return undefined;
  const act = /^[1-9]$/.test(key) ? () => tick(Number(key)) : keys[key];
  if (!act) return undefined;
  event.preventDefault();
  if (event.repeat && !["j", "k", "ArrowDown", "ArrowUp"].includes(key)) return undefined;
  return act();
});

at("who").addEventListener("submit", (event) => {
  event.preventDefault();
  const name = at("name").value.trim();
  if (!name) return;
  localStorage.setItem("labeller", name);
  acting(begin);
});
at("me").addEventListener("click", () => {
  localStorage.removeItem("labeller");
  acting(begin);
});
let typed = 0;
at("text").addEventListener("input", () => {
  clearTimeout(typed);
  typed = setTimeout(search, 200);
});
at("field").addEventListener("change", search);
at("search").addEventListener("submit", async (event) => {
  event.preventDefault();
  clearTimeout(typed);
  await search();
  at("found").querySelector("input")?.focus();
});
at("work").addEventListener("change", (event) => event.target.matches("tr.candidate input") && count());
at("note").addEventListener("keydown", (event) => event.key === "Enter" && event.target.blur());
const buttons = { save, none: saveNone, undo: keys.z, unsure: keys.u, back: keys.b, forward: keys.f, todo: toDo, answer: keys.m, panel: toggleBounds, help: keys["?"] };
for (const [id, act] of Object.entries(buttons)) at(id).addEventListener("click", act);
acting(begin);
