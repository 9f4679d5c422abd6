"""A scripted labeller in Chromium, for any tables whose truth is known.

It ticks every true match that the page shows, by as few keys and clicks as it can, and asks for
more records only when the page suggests it; it never searches. With `slips` it errs as people do.

    PYTHONPATH=src:tests python -m support.labeller FOLDER … [--nodes 300] [--slips 0.02] [--seed s]
"""

import argparse
import random
import tempfile
from collections.abc import Mapping, Set
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from statistics import fmean

from support.audits import read_csv, run_seeded, write_csv
from support.browsers import CHROMIUM
from support.desks import serving

PARTS = [a + b for a in "bdfghklmnprstvw" for b in ("a", "e", "i", "o", "u", "an", "or")]
ROWS = """() => [...document.querySelectorAll('tr.candidate')].map((row) => {
  const tick = row.querySelector('input');
  const ids = row.dataset.ids ? JSON.parse(row.dataset.ids) : [tick.value];
  return {ids, ticked: tick.checked};
})"""
IDLE = """() => !document.body.dataset.waiting && (
  !document.body.classList.contains('busy') || document.querySelector('#confirm[open]') !== null)"""


@dataclass(frozen=True)
class Tables:
    """Records to match with themselves, or with those of `against`; the matches of each node."""

    records: Path
    truth: Mapping[str, Set[str]]
    against: Path | None = None


@dataclass
class Node:
    """What labelling one node took: keys and clicks, and the records that were on the page."""

    id: str
    keys: int = 0
    looked: int = 0
    rows: int = 0
    joined: bool = False


@dataclass
class Outcome:
    """The nodes as they were labelled, and labels.csv at the end."""

    nodes: list[Node]
    truth: Mapping[str, Set[str]]
    labels: dict[str, set[str]] = field(default_factory=dict)

    @property
    def matches(self) -> float:
        """The share of the drawn nodes' true matches that are in labels.csv."""
        true = [(node.id, y) for node in self.nodes for y in self.truth.get(node.id, ())]
        return fmean(y in self.labels.get(x, ()) for x, y in true) if true else 1.0

    @property
    def complete(self) -> float:
        """The share of nodes whose true matches are all in labels.csv."""
        whole = [self.labels.get(n.id, set()) >= self.truth.get(n.id, set()) for n in self.nodes]
        return fmean(whole)

    @property
    def wrong(self) -> int:
        """How many matches in labels.csv are none."""
        return sum(len(ys - self.truth.get(x, set())) for x, ys in self.labels.items())

    def __str__(self) -> str:
        return (
            f"{len(self.nodes)} nodes: {self.matches:.2%} of true matches, {self.complete:.1%} of "
            f"nodes complete, {self.wrong} wrong matches, {fmean(n.keys for n in self.nodes):.2f} "
            f"keys and {fmean(n.looked for n in self.nodes):.1f} records "
            f"({fmean(n.rows for n in self.nodes):.1f} rows) a node, "
            f"{sum(n.joined for n in self.nodes)} joined"
        )


def of_shared(folder: Path) -> Tables:
    """One of the data sets of entity resolution in ../shared/data/er."""
    import duckdb

    truth: dict[str, set[str]] = {}
    table = duckdb.read_parquet(str(folder / "truth.parquet"))
    if "cluster" in table.columns:
        return Tables(folder / "records.parquet", of_clusters(table.fetchall()))
    for x, y in table.fetchall():
        truth.setdefault(x, set()).add(y)
    return Tables(folder / "left.parquet", truth, folder / "right.parquet")


def of_clusters(rows) -> dict[str, set[str]]:
    """The matches of each record, from rows of a record and its cluster."""
    clusters: dict[str, set[str]] = {}
    for x, cluster in rows:
        clusters.setdefault(cluster, set()).add(x)
    return {x: members - {x} for members in clusters.values() for x in members}


def made_entities(folder: Path, records=5_000, seed=1) -> Tables:
    """People in entities of 50 to 300 records: in each record a field or two has a typo, is
    shortened or is empty, and some are copies of others."""
    rng, rows, clusters = random.Random(seed), [], []
    while len(rows) < records:
        person = _person(rng)
        for _ in range(min(rng.randint(50, 300), records - len(rows))):
            clusters.append((f"r{len(rows)}", person))
            rows.append([f"r{len(rows)}", *_variant(person, rng)])
    rng.shuffle(rows)
    folder.mkdir(parents=True, exist_ok=True)
    write_csv(folder / "people.csv", ["id", "name", "street", "city", "employer", "year"], rows)
    return Tables(folder / "people.csv", of_clusters(clusters))


def _person(rng):
    word = lambda: "".join(rng.choice(PARTS) for _ in range(rng.randint(2, 3))).title()  # noqa: E731
    street, employer = f"{rng.randint(1, 200)} {word()} Street", f"{word()} {word()} Ltd"
    return (f"{word()} {word()}", street, word(), employer, str(rng.randint(1950, 2020)))


def _variant(person, rng):
    values = list(person)
    for place in rng.sample(range(len(values)), rng.choice([0, 1, 1, 2])):
        value = values[place]
        i = rng.randrange(len(value))
        ways = ["", value[:i] + value[i + 1 :], value.split()[0], value[:i] + "x" + value[i:]]
        values[place] = rng.choice(ways)
    return values


def label(tables: Tables, folder: Path, nodes: int, *, slips=0.0, seed="s", options=()) -> Outcome:
    """Draw nodes, label them all on the page, and return what came of it."""
    audit = folder / "audit"
    kind = "--dedupe" if tables.against is None else "--link"
    draw = ["draw", tables.records, "--labels", nodes, kind, "--out", audit]
    assert run_seeded(seed, *draw) == 0
    given = ["--records", tables.records]
    given += [] if tables.against is None else ["--against", tables.against]
    with serving(audit, *given, *options, tables=False) as client, open_page(client) as page:
        outcome = Outcome(list(Labeller(page, tables.truth, slips)), tables.truth)
    for x, y in read_csv(audit / "labels.csv"):
        outcome.labels.setdefault(x, set()).update([y] if y else [])
    return outcome


@contextmanager
def open_page(client, name="Ann"):
    """Chromium with the page, past its first question."""
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        launch = playwright.chromium.launch
        browser = launch(executable_path=CHROMIUM, args=["--no-sandbox", "--disable-gpu"])
        page = browser.new_context(viewport={"width": 1440, "height": 900}).new_page()
        page.set_default_timeout(180_000)
        page.goto(client.new_address())
        page.wait_for_url(f"{client.origin}/")
        page.fill("#name", name)
        page.click("#who button")
        page.wait_for_selector("#work:not([hidden]), #end:not([hidden])", timeout=180_000)
        yield page
        browser.close()


class Labeller:
    """Somebody at the page who knows the truth; iterate over it to label node after node."""

    def __init__(self, page, truth, slips=0.0, seed=1):
        self.page, self.truth, self.slips, self.rng = page, truth, slips, random.Random(seed)

    def __iter__(self):
        while self.page.is_visible("#work"):
            self.node = Node(self.page.text_content("#record .value"))
            self.true = self.truth.get(self.node.id, set())
            self.page.wait_for_timeout(310)  # the page takes no verdict at once
            self._tick()
            self._save()
            yield self.node

    def press(self, key):
        self.node.keys += 1
        self.page.keyboard.press(key)
        self.page.wait_for_function(IDLE)

    def click(self, row, *modifiers):
        self.node.keys += 1
        tick = self.page.locator("tr.candidate input").nth(row)
        tick.click(modifiers=list(modifiers))
        self.page.wait_for_function(IDLE)

    def _rows(self):
        rows = self.page.evaluate(ROWS)
        self.node.rows, self.node.looked = len(rows), sum(len(row["ids"]) for row in rows)
        return rows

    def _slips(self):
        return self.rng.random() < self.slips

    def _tick(self):
        """Tick what is shown until nothing new is, and the page suggests no more."""
        missed: set[str] = set()
        while True:
            rows, joins = self._rows(), None if self.node.joined else self._joins()
            if joins or (joins is False and self._slips()):
                self.node.joined = True
                self.press("e")
                if joins:
                    continue
                return  # a wrong join, which a person who slips does not see
            wanted = []
            for place, row in enumerate(rows):
                is_true = row["ids"][0] in self.true
                if is_true and not row["ticked"] and self._slips():
                    missed.add(row["ids"][0])
                if row["ticked"] != (is_true and row["ids"][0] not in missed):
                    wanted.append(place)
            if wanted:
                self._change(rows, wanted)
            elif self.page.is_visible("#suggestion"):
                self.press("x")
            else:
                break
        if rows and self._slips():
            self.click(self.rng.randrange(len(rows)))

    def _joins(self):
        """Whether the entity that the page offers is this node's; None if it offers none."""
        if not self.page.is_visible("#join"):
            return None
        members = self.page.evaluate("JSON.parse(document.querySelector('#join').dataset.ids)")
        return sum(y in self.true for y in members) * 2 > len(members)

    def _change(self, rows, wanted):
        """Tick rows, or untick them: one by one, as a range, or all and then some not."""
        rest = [place for place, row in enumerate(rows) if not row["ticked"]]
        ticks = [place for place in wanted if not rows[place]["ticked"]]
        if len(ticks) > 2 and 1 + len(rest) - len(ticks) < min(len(ticks), 2 * len(runs(ticks))):
            return self.press("a")
        run = max(runs(ticks), key=len, default=[])
        if len(run) > 2:
            self.click(run[0])
            return self.click(run[-1], "Shift")
        place = wanted[0]
        return self.press(str(place + 1)) if place < 9 else self.click(place)

    def _save(self):
        page, key = self.page, "Enter" if any(row["ticked"] for row in self._rows()) else "n"
        before = page.evaluate("document.getElementById('title').textContent")
        self.press(key)
        if page.locator("#confirm[open]").count():
            page.wait_for_timeout(420)  # to read it
            self.press("Enter")
        page.wait_for_function(
            "before => document.getElementById('title').textContent !== before "
            "|| document.getElementById('work').hidden",
            arg=before,
        )
        page.wait_for_function(IDLE)


def runs(places):
    """Neighbouring places, together."""
    found: list[list[int]] = []
    for place in places:
        if found and found[-1][-1] == place - 1:
            found[-1].append(place)
        else:
            found.append([place])
    return found


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("data", nargs="+", help="folders as in ../shared/data/er, or `entities`")
    parser.add_argument("--nodes", type=int, default=300)
    parser.add_argument("--slips", type=float, default=0.0)
    parser.add_argument("--seed", default="s", help="of the draw")
    options = parser.parse_args()
    for data in options.data:
        with tempfile.TemporaryDirectory() as name:
            folder = Path(name)
            tables = made_entities(folder) if data == "entities" else of_shared(Path(data))
            outcome = label(tables, folder, options.nodes, slips=options.slips, seed=options.seed)
            print(f"{Path(data).name}: {outcome}", flush=True)


if __name__ == "__main__":
    main()
