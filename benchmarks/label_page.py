"""The labelling page in Chromium: from the key that saves a node to the next one painted.

    python benchmarks/label.py --page [SETTING …] [--nodes 60] [--rows 1000000]

Somebody who knows the truth reads each node for READING seconds, half of them before the first
tick and half before the key that saves; then the same without reading at all: keys follow as soon
as the page takes them (it takes none in the first 0.3 seconds). The time is measured in the page,
from the key's own time stamp to the moment after the frame with the next node.
"""

import os
import sys
import tempfile
import threading
from collections.abc import Callable, Mapping, Set
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from label_tables import linked, people, wide

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))

from matchbound.audits import Draw
from matchbound.desk.desk import Desk
from support.audits import run_seeded, write_csv
from support.desks import serving
from support.labeller import Labeller, made_entities, of_clusters, open_page

READING = 1.5
CLOCK = """() => {
  window.times = [];
  let pressed = 0;
  document.addEventListener("keydown", (event) => { pressed = event.timeStamp; }, true);
  const painted = () => requestAnimationFrame(() => setTimeout(
    () => window.times.push(performance.now() - pressed)));
  new MutationObserver(painted).observe(document.getElementById("record"), {childList: true});
}"""


@dataclass(frozen=True)
class Case:
    """An audit to label, how its page is opened, and the truth."""

    audit: Path
    options: tuple[object, ...]
    truth: Mapping[str, Set[str]]
    people: int = 1
    keys: str = ""


def _drawn(folder: Path, population: Path, nodes: int, *options: object) -> Path:
    draw = ["draw", population, "--labels", nodes, *options, "--out", folder / "audit"]
    assert run_seeded("s", *draw) == 0
    return folder / "audit"


def _of_one_table(folder: Path, table: pa.Table, clusters: list[int], nodes: int, **more) -> Case:
    records = folder / "records.parquet"
    pq.write_table(table, records)
    truth = of_clusters(zip(table["id"].to_pylist(), clusters, strict=True))
    audit = _drawn(folder, records, nodes, "--dedupe")
    return Case(audit, ("--records", records), truth, **more)


def _people(folder, nodes, rows):
    return _of_one_table(folder, *people(rows), nodes)


def _two(folder, nodes, rows):
    return _of_one_table(folder, *people(rows), 2 * nodes, people=2)


def _wide(folder, nodes, rows):
    return _of_one_table(folder, *wide(rows // 10), nodes)


def _linked(folder, nodes, rows):
    """Two tables, candidates, and a holdout matcher whose bounds are watched all the time."""
    left, right, pairs, candidates = linked(rows)
    paths = {name: folder / f"{name}.parquet" for name in ("left", "right")}
    pq.write_table(left, paths["left"])
    pq.write_table(right, paths["right"])
    write_csv(folder / "candidates.csv", ["x", "y"], candidates)
    write_csv(folder / "holdout.csv", ["x", "y"], pairs[: len(pairs) * 9 // 10])
    audit = _drawn(folder, paths["left"], nodes, "--link", "--anytime")
    given = {"records": paths["left"], "against": paths["right"]}
    given |= {name: folder / f"{name}.csv" for name in ("candidates", "holdout")}
    options = [part for name, path in given.items() for part in (f"--{name}", path)]
    return Case(audit, tuple(options), {x: {y} for x, y in pairs}, keys="p")


def _entities(folder, nodes, rows):
    tables = made_entities(folder / "tables", records=rows // 50)
    audit = _drawn(folder, tables.records, nodes, "--dedupe")
    return Case(audit, ("--records", tables.records), tables.truth)


def _late(folder, nodes, rows):
    """The last nodes of an audit that has 2,000 labels."""
    case = _of_one_table(folder, *people(rows // 10), 2_000 + nodes)
    desk = Desk(case.audit, Draw.load(case.audit))
    for place in range(1, 2_001):
        desk.next("Eve")
        true = sorted(case.truth[desk.order[place - 1]])
        desk.label("Eve", place, true)
    return case


SETTINGS: dict[str, Callable[[Path, int, int], Case]] = {
    "people": _people,
    "linked": _linked,
    "wide": _wide,
    "entities": _entities,
    "two": _two,
    "late": _late,
}


class Reader(Labeller):
    """A labeller who looks at each node for some time."""

    def __init__(self, page, truth, reading):
        super().__init__(page, truth)
        self.reading = reading

    def _tick(self):
        self.page.wait_for_timeout(500 * self.reading)
        super()._tick()
        self.page.wait_for_timeout(500 * self.reading)


def _label(client, case, name, nodes, times):
    """Label so many nodes with reading, and the rest without; keep the times of both."""
    with open_page(client, name) as page:
        for key in case.keys:
            page.keyboard.press(key)
        page.evaluate(CLOCK)
        for reading, so_many in ((READING, nodes * 2 // 3), (0, nodes // 3 - 1)):
            before = len(page.evaluate("window.times"))
            for _, _ in zip(range(so_many), Reader(page, case.truth, reading), strict=False):
                pass
            page.wait_for_timeout(200)
            times[reading].append(page.evaluate("window.times")[before:])


def report_all(names: list[str], nodes: int, rows: int) -> None:
    head = "nodes   50%   95%   most"
    print(
        f"{'ms':9} {READING} s of reading           none\n{'':8} {head}  {head}   memory  processor"
    )
    for name in names or SETTINGS:
        print(measured(name, nodes, rows), flush=True)


def measured(setting: str, nodes: int, rows: int) -> str:
    """Label nodes of a setting in Chromium; how long the next one takes to be painted."""
    with tempfile.TemporaryDirectory() as name:
        case = SETTINGS[setting](Path(name), nodes, rows)
        times: dict[float, list[list[float]]] = {READING: [], 0: []}
        with serving(case.audit, *case.options, tables=False) as client:
            labellers = [
                threading.Thread(target=_label, args=(client, case, f"Ann{i}", nodes, times))
                for i in range(case.people)
            ]
            for one in labellers:
                one.start()
            for one in labellers:
                one.join()
            peak, seconds = _memory(client.process.pid), _processor(client.process.pid)
    read, not_read = (np.concatenate(times[reading]) for reading in times)
    return (
        f"{setting:9} {_quantiles(read)}   {_quantiles(not_read)}   {peak:5.2f} GB "
        f"{seconds / (len(read) + len(not_read)):5.2f} s"
    )


def _quantiles(times) -> str:
    middle, slow = np.quantile(times, [0.5, 0.95])
    return f"{len(times):4} {middle:5.0f} {slow:5.0f} {max(times):5.0f}"


def _memory(pid: int) -> float:
    """Gigabytes that a process held at most: Linux tells."""
    lines = Path(f"/proc/{pid}/status").read_text("ascii").splitlines()
    return next(int(line.split()[1]) for line in lines if line.startswith("VmHWM")) / 1e6


def _processor(pid: int) -> float:
    """Seconds of processor time that a process took."""
    fields = Path(f"/proc/{pid}/stat").read_text("ascii").rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")
