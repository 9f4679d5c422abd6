"""Trace a verb: which modules it crosses, and which rooms its own module calls, in order.

A module is crossed if one of its functions runs; loading a module does not count. A visit is a call
from the verb's own module into another room, with neighbours joined; the root and `engines`, which
every room may use, are left out, and `commands`, which is only called back with progress. For a
table of the four journeys:

    PYTHONPATH=src:tests python -m support.trace
"""

import os
import sys
import tempfile
from collections import Counter
from collections.abc import Callable, Iterable
from contextlib import redirect_stdout
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path
from types import FrameType

import matchbound
from support.audits import make_audit, run, write_csv

PACKAGE = Path(matchbound.__file__).parent
NO_VISIT = ("", "engines", "commands")
"""Rooms that are no visit: the root, the engines, and who asked for the work."""
OWN = {
    "draw": "audits.sample",
    "certify": "certificates.certification",
    "verify": "certificates.verification",
    "reconcile": "matchers.reconciliation",
}
"""The module that a verb's journey is told from."""


@dataclass(frozen=True)
class Journey:
    modules: tuple[str, ...]
    """In the order of their first call, dotted from the package on."""
    visits: tuple[str, ...]
    """Rooms that the verb's own module calls, neighbours joined."""

    @property
    def rooms(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys(room for module in self.modules if (room := room_of(module))))

    @property
    def returns(self) -> int:
        """How often the room that is visited most often is come back to."""
        return max(Counter(self.visits).values(), default=1) - 1


def room_of(module: str) -> str:
    """The room of a module; empty for one of the root."""
    return module.rpartition(".")[0]


def traced(own: str, work: Callable[[], object], package: Path = PACKAGE) -> Journey:
    """Run `work`, and return the journey as the module `own` calls it."""
    modules: dict[str, None] = {}
    visits: list[str] = []
    names: dict[str, str | None] = {}

    def module_of(frame: FrameType | None) -> str | None:
        """Of a function's frame; None for another package's, or for a module being loaded."""
        if frame is None or frame.f_code.co_name == "<module>":
            return None
        file = frame.f_code.co_filename
        if file not in names:
            names[file] = _name(file, package)
        return names[file]

    def profile(frame: FrameType, event: str, _: object) -> None:
        if event != "call" or (module := module_of(frame)) is None or _is_loading(frame, package):
            return
        modules.setdefault(module)
        if module != own and module_of(frame.f_back) == own:
            visits.append(room_of(module))

    sys.setprofile(profile)
    try:
        work()
    finally:
        sys.setprofile(None)
    return Journey(tuple(modules), joined(visits, room_of(own)))


def joined(rooms: Iterable[str], own: str) -> tuple[str, ...]:
    """Visits without what is no visit, neighbours joined."""
    visited = (room for room in rooms if room not in (*NO_VISIT, own))
    return tuple(room for room, _ in groupby(visited))


def _name(file: str, package: Path) -> str | None:
    path = Path(file)
    if not path.is_relative_to(package):
        return None
    return path.relative_to(package).with_suffix("").as_posix().replace("/", ".")


def _is_loading(frame: FrameType, package: Path) -> bool:
    """Whether it runs because a module of the package is being loaded, as decorators do."""
    return any(
        outer.f_code.co_name == "<module>" and _name(outer.f_code.co_filename, package)
        for outer in _outer(frame)
    )


def _outer(frame: FrameType) -> Iterable[FrameType]:
    while frame.f_back is not None:
        frame = frame.f_back
        yield frame


def journeys(folder: Path) -> dict[str, Journey]:
    """The four verbs on a small audit."""
    audit = make_audit(folder / "small")
    inputs = folder / "small"
    edges = [(f"a{i}", f"a{(i * 7 + j) % 60}") for i in range(60) for j in range(1, 5)]
    write_csv(inputs / "edges.csv", ["src", "dst"], edges)
    write_csv(inputs / "seeds.csv", ["x", "y"], [(f"a{i}", f"a{i}") for i in range(20)])
    words = {
        "draw": [inputs / "people.csv", "--labels", 50, "--out", folder / "drawn"],
        "certify": [
            audit,
            *("--holdout", inputs / "holdout.csv"),
            *("--complete", inputs / "complete.csv"),
        ],
        "verify": [audit],
        "reconcile": [
            *(inputs / "edges.csv", inputs / "edges.csv"),
            *("--seeds", inputs / "seeds.csv"),
            *("--out", folder / "matches.csv"),
        ],
    }

    def work(verb: str) -> None:
        assert run(verb, *words[verb]) == 0

    return {verb: traced(OWN[verb], lambda verb=verb: work(verb)) for verb in words}


def table(journeys: dict[str, Journey]) -> str:
    lines = ["| verb | modules | rooms | visits | returns |", "| --- | --- | --- | --- | --- |"]
    for verb, journey in journeys.items():
        counts = f"{len(journey.modules)} | {len(journey.rooms)}"
        lines.append(f"| {verb} | {counts} | {', '.join(journey.visits)} | {journey.returns} |")
    lines.append("")
    for verb, journey in journeys.items():
        by_room: dict[str, list[str]] = {}
        for module in journey.modules:
            by_room.setdefault(room_of(module) or "root", []).append(module.rpartition(".")[2])
        rooms = " · ".join(f"{room}: {', '.join(names)}" for room, names in by_room.items())
        lines.append(f"- `{verb}`: {rooms}")
    return "\n".join(lines)


def main() -> None:
    with tempfile.TemporaryDirectory() as folder, open(os.devnull, "w") as nowhere:
        with redirect_stdout(nowhere):
            traces = journeys(Path(folder))
        print(table(traces))


if __name__ == "__main__":
    main()
