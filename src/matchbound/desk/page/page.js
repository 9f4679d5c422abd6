// The page: shows a node, sends what is said of it, goes on.

import { get, nameLabeller, post } from "./asking.js";
import { agreed } from "./confirm.js";
import * as drafts from "./drafts.js";
import * as entities from "./entities.js";
import { chooseFields } from "./fields.js";
import { showGuide } from "./guide.js";
import { showLabels } from "./labels.js";
import * as list from "./list.js";
import { afterPaint, arrange, headingRow, headRow, made, recordRow } from "./table.js";

const at = (id) => document.getElementById(id);
const screens = ["start", "wait", "end", "stop", "work"];
let about = null; // fields and settings
let node = null; // what is shown
let busy = false;
let asked = 0; // the latest search
let shownAt = 0; // when the node came
let leaving = null; // the place at which unsaved ticks were told
let asksAnswer = false; // m was pressed, and y shows the matcher’s answer
let waiting = 0; // requests for records that may join the list
let joined = 0; // rows that joined it
let isAll = false; // no other record is like the node

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
  if (!name) return askName();
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
  arrangeFields(about.arrangement);
  at("how").textContent = about.how;
  at("why").textContent = about.live ?? "";
  at("panel").hidden = about.live !== null;
  at("answer").hidden = !about.answers;
  showGuide(about.guidelines);
  await next();
}

function arrangeFields(arrangement) {
  about.arrangement = arrangement;
  arrange(about.fields, arrangement.shown);
  document.querySelector("thead").replaceChildren(headRow(about.fields));
  const many = arrangement.hidden.length;
  at("hidden").textContent = many ? `${many} ${many === 1 ? "field is" : "fields are"} hidden by choice (c). ` : "";
}

function showRecord() {
  at("record").replaceChildren(recordRow(node.record, about.fields));
}

// The record sticks below the header; rows that get the focus come to stand below both. On a phone messages are above the footer.
function stick() {
  const parts = { "--head": document.querySelector("thead"), "--record": at("record"), "--foot": document.querySelector("footer") };
  for (const [name, part] of Object.entries(parts)) {
    document.body.style.setProperty(name, `${part.offsetHeight}px`);
  }
}

function choose() {
  chooseFields(about.arrangement, about.fields, (chosen) => acting(async () => {
    arrangeFields(await post("arrange", chosen));
    if (at("work").hidden) return;
    showRecord();
    list.rebuild();
    stick();
    count();
  }));
}

// Names that labelled before are offered, so that nobody is two people by a slip.
function askName() {
  show("start");
  const buttons = about.names.map((name) => {
    const button = made("button", { type: "button", dir: "auto", textContent: name });
    button.addEventListener("click", () => enter(name));
    return button;
  });
  at("names").replaceChildren(...(buttons.length ? ["Labelled before: ", ...buttons] : []));
  at("name").focus();
}

function enter(name) {
  localStorage.setItem("labeller", name);
  acting(begin);
}

async function next(take = false) {
  await display(await post("next", { take }));
}

// What is ticked and written is kept for when the node comes back.
function keep() {
  if (node?.place && !node.saved && !at("work").hidden && isDirty()) drafts.keep(node, list.tickedRecords(), at("note").value);
}

function display(given) {
  keep();
  node = given;
  shownAt = performance.now();
  [leaving, isAll] = [null, false];
  progress(node.state);
  if (node.place === null && node.state.stopped) return stopBeforeValidation();
  if (node.place === null) return finish(node.state);
  show("work");
  at("title").textContent = `Node ${node.place} of ${node.state.total}`;
  showRecord();
  list.begin(node.record, about.fields);
  entities.begin(node.entities);
  const draft = drafts.take(node);
  const said = draft ?? node.undone ?? node.mine;
  const mine = new Set(said?.matches ?? []);
  if (node.before.length) list.add("candidates", "Said before to be the same", node.before, mine);
  list.add("candidates", "Nearest records and candidates", node.candidates, mine);
  if (draft) list.add("candidates", "Ticked before", draft.records, mine);
  at("note").value = said?.note ?? "";
  at("text").value = "";
  at("answered").hidden = true;
  tellVerdicts();
  count();
  document.activeElement?.blur();
  window.scrollTo(0, 0);
  refreshBounds();
  afterPaint(lookAhead);
}

// The next node's rows are made while this one is read; which node comes, and all that labels say of it, the server tells then.
async function lookAhead() {
  stick();
  const { place } = node;
  if (place === null) return;
  const ahead = await post("ahead", { place }).catch(() => null); // nothing was asked that is missing now
  if (ahead?.record && place === node.place) list.prepare(ahead.record, ahead.candidates);
}

// Who labelled the node before, when, and what they said.
function tellVerdicts() {
  const named = node.conflict ? words : brief;
  const lines = node.said.map((said) => made("li", { dir: "auto", textContent: `${said.labeller}${said.decides ? " decided" : ""} (${localTime(said.time)}): ${named(said.matches)}${said.note ? ` (${said.note})` : ""}` }));
  const people = new Set(node.said.map((said) => said.labeller)).size;
  const before = people > 1 ? "Several people labelled this node." : "This node was labelled before.";
  at("said").replaceChildren(made("p", { textContent: node.conflict ? "Labelled differently. What you save now decides." : before }), made("ul", {}, ...lines));
  at("said").classList.toggle("conflict", node.conflict);
  at("said").hidden = lines.length === 0;
}

const localTime = (time) => new Date(time).toLocaleString([], { dateStyle: "medium", timeStyle: "short" });

function words(matches) {
  if (matches === null) return "unsure";
  return matches.length ? matches.join(", ") : "no match";
}

const MOST_NAMED = 10;

// A message stays short: what is ticked is seen in the list.
function brief(matches) {
  const rest = (matches?.length ?? 0) - MOST_NAMED;
  return rest > 0 ? `${words(matches.slice(0, MOST_NAMED))} and ${rest} more` : words(matches);
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

function stopBeforeValidation() {
  show("stop");
  const { train } = node.state;
  at("stop-title").textContent = `${train} of ${train} training nodes done`;
  at("stop-command").textContent = about.register;
  at("again").focus();
  refreshBounds();
}

async function finish(state, stopped = false) {
  const { commands } = await get("end");
  show("end");
  const open = node.elsewhere ?? 0;
  const all = state.enough ? "Enough nodes are labelled" : "All nodes are labelled";
  const waits = open || state.conflicts.length || state.unsure.length;
  at("end-title").textContent = stopped ? "Stopped: the target is reached" : waits ? "Nothing more for you now" : all;
  const { match, none } = state.tally;
  const lines = [made("p", { textContent: `${match} with a match, ${none} without, ${state.unsure.length} unsure, ${state.conflicts.length} to decide.` })];
  if (open && !stopped) {
    const take = made("button", { type: "button", textContent: "Take them over" });
    take.addEventListener("click", () => acting(() => next(true)));
    lines.push(made("p", {}, `${open} ${open === 1 ? "node is" : "nodes are"} with another labeller. `, take));
  }
  lines.push(...jumps("To decide, labelled differently", state.conflicts), ...jumps("Unsure", state.unsure));
  if (state.unsure.length) lines.push(made("p", { className: "soft", textContent: "A node without a label is refused by certify, or counts as the worst case there." }));
  if (state.twice) lines.push(made("p", { textContent: agreement(state) }));
  const report = made("a", { href: "/report", target: "_blank", textContent: "the report" });
  lines.push(made("p", { textContent: "Every label is in labels.csv of the audit folder. Next:" }), made("pre", { textContent: commands.join("\n") }), made("p", {}, "Then open ", report, "."));
  at("end-text").replaceChildren(...lines);
  refreshBounds();
}

function agreement({ twice, agreed, kappa }) {
  return `Of ${twice} nodes that several people labelled, they agreed on ${agreed} (Cohen’s kappa ${kappa.toFixed(2)}).`;
}

function jumps(title, places) {
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
  await display(await get("node", { place }));
}

function count() {
  const many = list.ticked().length;
  at("save").disabled = many === 0;
  at("save").replaceChildren(many > 1 ? `${many} matches ` : "Match ", made("kbd", { textContent: "Enter" }));
  at("suggestion").hidden = isAll || waiting > 0 || !list.isLastTicked();
  entities.offer();
}

// What is nearest to a record that was ticked joins the list, until nothing new comes.
async function follow(ids) {
  count();
  if (ids.length === 0 || about.most === 1) return;
  const { place } = node;
  await fetching(async () => {
    const answer = await post("around", { place, matches: ids.slice(0, about.most) });
    if (place !== node.place) return;
    const before = joined;
    const joining = join("Nearest to what was ticked", answer);
    const many = joined - before;
    const warned = at("message").classList.contains("wrong"); // a warning stays
    if (many && !warned) say(`${many === 1 ? "1 more row" : `${many} more rows`}, nearest to what was ticked, joined the list at its end.`);
    await joining;
  });
}

async function more() {
  const { place } = node;
  await fetching(async () => {
    const answer = await post("more", { place });
    if (place !== node.place) return;
    isAll = !answer.found.length;
    if (isAll) say("No other record is like this one.");
    await join("Next in likeness", answer);
  });
}

// The node is the same as records that were labelled before: all of them are shown and ticked.
async function joinEntity() {
  const entity = entities.offered();
  if (!entity) return say("No record here belongs to an entity that was labelled before.");
  const { place } = node;
  return fetching(async () => {
    const { found } = await post("join", { place, member: entity[0] });
    if (place !== node.place) return;
    list.add("candidates", `The same as ${entity[0]}`, found);
    list.tickOnly(found.map((one) => one.id));
    say(`The same as ${entity[0]}: ${found.length === 1 ? "its record is" : `its ${found.length} records are`} ticked. Look at them; Enter saves.`);
  });
}

async function join(heading, { found, entities: known }) {
  entities.add(known);
  const added = list.add("candidates", heading, found);
  joined += added.fresh.length;
  await follow(added.joined); // as many again may be alike
}

async function fetching(action) {
  waiting += 1;
  document.body.dataset.waiting = "yes";
  try {
    await action();
  } catch (error) {
    say(error.message, true);
  } finally {
    waiting -= 1;
    if (!waiting) delete document.body.dataset.waiting;
    count();
  }
}

async function label(matches) {
  const { place, record } = node;
  const verdict = { place, matches, note: at("note").value, decides: node.conflict, seen: node.seen, go_on: true };
  let answer = await post("label", verdict);
  while (answer.confirm) {
    if (!(await agreed(answer.confirm))) return say("Nothing is saved.");
    answer = await post("label", { ...verdict, confirmed: answer.signature });
  }
  drafts.drop(place);
  if (matches === null) keep(); // undo brings the ticks back
  node.saved = true;
  say(`Saved ${record.id}: ${brief(matches)}.`);
  if (answer.next) await display(answer.next);
  else await next();
}

// Records that join while Enter is pressed were not looked at: they are shown first.
async function save() {
  const before = joined;
  while (waiting) await new Promise((done) => setTimeout(done, 20));
  if (joined !== before) return say("More records joined the list. Look at them, and press Enter again.", true);
  const matches = list.ticked();
  if (matches.length === 0) return say("Nothing is ticked. Tick the matches, or say “no match” (n) or “unsure” (u).", true);
  if (matches.length > about.most) return say(tooMany(matches.length), true);
  return acting(() => label(matches));
}

function tooMany(many) {
  if (about.most === 1) return "The draw promises at most one true match a node: keep one.";
  return `At most ${about.most.toLocaleString("en")} matches of a node can be saved here, and ${many.toLocaleString("en")} are ticked. Fewer would be a wrong label: say “unsure” (u), with a note.`;
}

const tooSoon = () => performance.now() - shownAt < AT_ONCE;

function saveNone() {
  if (tooSoon()) return undefined;
  if (list.ticked().length) return say("Something is ticked. Untick it, or save it as a match (Enter).", true);
  return acting(() => label([]));
}

async function undo() {
  const back = await post("undo");
  display(back);
  const stands = back.mine ? `your label before it stands: ${brief(back.mine.matches)}` : "it waits for a label again";
  say(`Taken back of ${back.record.id}: ${stands}.`);
}

function isDirty() {
  const saved = [...(node.mine?.matches ?? [])].sort().join("\n");
  return list.ticked().sort().join("\n") !== saved || at("note").value !== (node.mine?.note ?? "");
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
    const { found, entities: known } = text ? await get("search", { place, text, field: at("field").value }) : { found: [], entities: [] };
    if (mine !== asked || place !== node.place) return;
    entities.add(known);
    showFound(text, found);
  } catch (error) {
    say(error.message, true);
  }
}

// What is ticked stays; what is listed below already is shown there.
function showFound(text, found) {
  for (const row of at("found").querySelectorAll("tr")) if (!row.querySelector("input:checked")) row.remove();
  for (const row of list.rows()) row.classList.remove("there");
  const there = new Set(found.map((one) => list.rowOf(one.id)).filter(Boolean));
  for (const row of there) row.classList.add("there");
  const { fresh } = list.add("found", "", found);
  const known = there.size ? `, and ${there.size} listed already (marked)` : "";
  const heading = headingRow(found.length ? `Found: ${fresh.length}${known}` : "Nothing found");
  if (text) at("found").prepend(heading);
  count();
}

// Two keys, so that it is never shown by a slip.
function askAnswer() {
  if (!about.answers) return;
  asksAnswer = true;
  say("Show the matcher’s answer? Labelling is no longer blind then, and the ledger has it. Press y, or any other key to leave it.", true);
}

async function skip() {
  const { place } = node;
  await display(await post("skip", { place }));
  if (node.place === place) say("No other node comes before this one.");
  else say(`Node ${place} comes again later.`);
}

async function listLabels() {
  const { labels } = await get("labels");
  showLabels(labels, (place) => acting(() => open(place)));
}

async function showAnswer() {
  asksAnswer = false;
  say("");
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
  if (answer.why) return at("bounds-text").replaceChildren(...waitsFor(answer.waits), made("p", { textContent: answer.why }));
  const lines = answer.bounds.map((bound) => {
    const place = (value) => `${100 * Math.min(Math.max(value, 0), 1)}%`;
    const [reach, goal] = [made("div", { className: "reach" }), made("div", { className: "goal" })];
    reach.style.width = place(bound.value);
    goal.style.left = place(bound.target ?? 0);
    goal.hidden = bound.target === null;
    const target = bound.target === null ? "" : ` · target ${bound.target}${bound.reached ? ", reached" : ""}`;
    return made("div", { className: "bound" }, made("p", {}, made("b", { textContent: `${bound.metric} ${bound.text}` }), target), made("div", { className: "line" }, reach, goal));
  });
  const stop = answer.stop ? [made("p", { className: "stop", textContent: "The target is reached: you may stop here. " }, stopButton())] : [];
  at("bounds-text").replaceChildren(...stop, ...waitsFor(answer.waits), ...lines, made("p", { className: "soft", textContent: `From ${answer.labels} validation nodes${answer.within ? `, about the nodes in ${answer.within} alone` : ""}. These bounds may be watched, and labelling stopped, at any time.` }));
}

// Bounds count labels up to the first node without one: say which that is, and why.
function waitsFor(waits) {
  if (!waits) return [];
  const [place, status] = waits;
  const why = { conflict: "waits for a decision (d)", unsure: "is unsure", open: "is with another labeller" }[status];
  return [made("p", { className: "waits", textContent: `Only labels before node ${place} count: it ${why}.` })];
}

function stopButton() {
  const button = made("button", { type: "button", id: "stop-here", textContent: "Stop here" });
  button.addEventListener("click", () => finish(node.state, true).catch((error) => say(error.message, true)));
  return button;
}

function toggleBounds() {
  if (about.live !== null) return say(about.live);
  at("bounds").hidden = !at("bounds").hidden;
  at("panel").setAttribute("aria-expanded", String(!at("bounds").hidden));
  return refreshBounds();
}

function move(by) {
  const every = list.rows().map((row) => row.querySelector("input"));
  const here = every.indexOf(document.activeElement);
  every.at(here < 0 ? (by > 0 ? 0 : -1) : Math.min(Math.max(here + by, 0), every.length - 1))?.focus();
}

function tick(row, isRange) {
  if (!row) return;
  row.querySelector("input").focus();
  follow(list.tick(row, isRange));
}

const keys = {
  j: () => move(1),
  ArrowDown: () => move(1),
  k: () => move(-1),
  ArrowUp: () => move(-1),
  Enter: save,
  n: saveNone,
  a: () => follow(list.tickAll()),
  x: () => more(),
  e: joinEntity,
  u: () => tooSoon() || acting(() => label(null)),
  z: () => tooSoon() || acting(undo),
  b: () => step(false),
  f: () => step(true),
  d: toDo,
  m: askAnswer,
  y: () => asksAnswer && acting(showAnswer),
  w: () => acting(skip),
  l: () => acting(listLabels),
  c: choose,
  g: () => at("guide").showModal(),
  p: toggleBounds,
  "/": () => at("text").focus(),
  s: () => at("field").focus(),
  o: () => at("note").focus(),
  "?": () => at("keys").showModal(),
};
const anywhere = ["z", "b", "f", "d", "p", "l", "c", "g", "?"]; // also where no node is shown

document.addEventListener("keydown", (event) => {
  const { target } = event;
  const key = event.key.length === 1 ? event.key.toLowerCase() : event.key;
  const typing = target.matches("input:not([type=checkbox]), select");
  if (document.querySelector("dialog[open]")) return undefined; // Escape closes it
  if (key === "Escape" && typing) {
    event.preventDefault(); // the browser would empty the search, and what was found would go
    return target.blur();
  }
  if (typing || event.ctrlKey || event.metaKey || event.altKey) return undefined;
  if (key === "Enter" && target.matches("button")) return undefined;
  if (!about || (at("work").hidden && (at("end").hidden || !anywhere.includes(key)))) return undefined;
  const digit = /^Digit([1-9])$/.exec(event.code)?.[1] ?? (/^[1-9]$/.test(key) ? key : null);
  const act = digit ? () => tick(list.rows()[digit - 1], event.shiftKey) : keys[key];
  if (!act) return undefined;
  event.preventDefault();
  if (key !== "y") asksAnswer = false;
  if (event.repeat && !["j", "k", "ArrowDown", "ArrowUp"].includes(key)) return undefined;
  return act();
});

at("who").addEventListener("submit", (event) => {
  event.preventDefault();
  const name = at("name").value.trim();
  if (!name) return;
  enter(name);
});
at("me").addEventListener("click", () => {
  localStorage.removeItem("labeller");
  drafts.forget();
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
  (at("found").querySelector("input") ?? document.querySelector("tr.there input"))?.focus();
});
// A click anywhere in a row ticks it, unless text is being selected; with Shift, a range.
document.querySelector("table").addEventListener("click", (event) => {
  const row = event.target.closest("tr.candidate");
  if (!row || event.target.closest("a")) return;
  if (event.target.matches(".many")) return list.split(row);
  if (!event.target.matches("input") && (event.target.closest("label") || getSelection().toString())) return;
  if (event.target.matches("input")) event.target.checked = !event.target.checked; // as it was before
  tick(row, event.shiftKey);
});
at("note").addEventListener("keydown", (event) => event.key === "Enter" && event.target.blur());
const buttons = { save, all: keys.a, more: keys.x, join: keys.e, none: saveNone, undo: keys.z, unsure: keys.u, back: keys.b, forward: keys.f, todo: toDo, answer: () => (asksAnswer ? acting(showAnswer) : askAnswer()), skip: keys.w, labels: keys.l, fields: choose, guidelines: keys.g, panel: toggleBounds, help: keys["?"] };
for (const [id, act] of Object.entries(buttons)) at(id).addEventListener("click", act);
at("proceed").addEventListener("click", () => acting(async () => display(await post("proceed"))));
at("again").addEventListener("click", () => acting(next));
addEventListener("resize", stick);
acting(begin);
