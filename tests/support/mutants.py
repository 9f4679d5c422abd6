"""`make mutants`: do the tests notice a small fault in what the guarantees rest on?

Each mutant is a copy of the sources with one place changed (`mutating.py`), tried on the tests that
concern its module. Those that all of them pass, and that `equivalent_mutants.md` does not name with
a reason, are gaps in the tests: exit 1. A fault in a compiled kernel is tried without compilation
first; what survives that is compiled anew for all of the tests, the longest included.
"""

import argparse
import os
import queue
import re
import shutil
import sys
import tempfile
import time
from collections import Counter, defaultdict
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from support.mutant_runs import CONCERNS, PACKAGE, ROOT, Run, passes, runs_of
from support.mutating import Mutant, mutants_of

COPIED = ("src", "tests", "docs", "conftest.py", "pyproject.toml", "README.md")
EQUIVALENT = ROOT / "tests" / "support" / "equivalent_mutants.md"


def modules(chosen: list[str]) -> list[str]:
    paths = sorted(p.relative_to(PACKAGE).as_posix() for p in PACKAGE.rglob("*.py"))
    concerned = [p for p in paths if {p[:-3], p.partition("/")[0]} & CONCERNS.keys()]
    return [p for p in concerned if not chosen or any(p.startswith(name) for name in chosen)]


def equivalent() -> set[tuple[str, ...]]:
    """File and function, original and mutant, as the table names them."""
    rows = re.findall(
        r"^\| `(.+?)` \| `(.+?)` \| `(.+?)` \| `(.+?)` \|", EQUIVALENT.read_text(), re.M
    )
    return {tuple(cell.replace("\\|", "|") for cell in row) for row in rows}


def survives(copy: Path, mutant: Mutant, seconds: dict[bool, float]) -> bool:
    path = copy / "src" / "matchbound" / mutant.path
    stat, text = path.stat(), path.read_bytes()
    path.write_text(mutant.text, "utf-8")
    try:
        return all(
            passes(copy, run, timeout=60 + 5 * seconds[run.compiled])[0]
            for run in runs_of(mutant.path)
        )
    finally:
        path.write_bytes(text)
        os.utime(path, ns=(stat.st_atime_ns, stat.st_mtime_ns))  # compiled code stays good


def measure(copy: Path, runs: set[Run], compiled: bool) -> float:
    """The seconds that the tests of these runs take on the unmutated copy, which must pass them."""
    files = sorted({file for run in runs if run.compiled == compiled for file in run.files})
    if not files:
        return 0.0
    start = time.monotonic()
    passed, said = passes(copy, Run(tuple(files), compiled), timeout=3600)
    if not passed:
        raise SystemExit(f"the unmutated copy must pass its tests, but does not:\n{said}")
    seconds = time.monotonic() - start
    print(f"unmutated, {'' if compiled else 'un'}compiled: {seconds:.0f} s", file=sys.stderr)
    return seconds


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sample", type=int, help="try this many, drawn at random")
    parser.add_argument("--seed", type=int, default=0, help="of the sample")
    parser.add_argument("--module", action="append", default=[], help="such as bounds/star")
    parser.add_argument("--workers", type=int, default=2)
    options = parser.parse_args()

    every = {
        path: mutants_of(path, (PACKAGE / path).read_text("utf-8"))
        for path in modules(options.module)
    }
    mutants = sorted((m for ms in every.values() for m in ms), key=lambda m: m.lot(options.seed))
    mutants, known = mutants[: options.sample], equivalent()
    stale = {row for row in known if row[0] in every} - {m.key for ms in every.values() for m in ms}
    with tempfile.TemporaryDirectory() as folder:
        results = attempt(Path(folder), mutants, options.workers, known)
    report(every, results)
    for row in sorted(stale):
        print("listed as equivalent, but there is no such mutant:", *row, sep="\n    ")
    left = [m for m, (survived, _) in results.items() if survived and m.key not in known]
    return bool(left or stale)


def attempt(
    folder: Path, mutants: list[Mutant], workers: int, known: set[tuple[str, ...]]
) -> dict[Mutant, tuple[bool, float]]:
    """Whether each survives, and its seconds; survivors are printed as they are found."""
    first = _copied(ROOT, folder / "0")
    runs = {run for mutant in mutants for run in runs_of(mutant.path)}
    unmutated = {compiled: measure(first, runs, compiled) for compiled in (True, False)}
    copies: queue.Queue[Path] = queue.Queue()
    copies.put(first)
    for number in range(1, workers):
        copies.put(_copied(first, folder / str(number)))  # with what is compiled by now

    def attempted(mutant: Mutant) -> tuple[bool, float]:
        copy, start = copies.get(), time.monotonic()
        try:
            return survives(copy, mutant, unmutated), time.monotonic() - start
        finally:
            copies.put(copy)

    results = {}
    with ThreadPoolExecutor(workers) as pool:
        tried = pool.map(attempted, mutants)
        for mutant, (survived, seconds) in zip(mutants, tried, strict=True):
            results[mutant] = survived, seconds
            if survived:
                why = "equivalent" if mutant.key in known else "SURVIVED"
                print(f"{why} src/matchbound/{mutant.path}:{mutant.line} {mutant.function}")
                print(f"    {mutant.before}\n    {mutant.after}", flush=True)
    return results


def _copied(tree: Path, folder: Path) -> Path:
    folder.mkdir()
    for name in COPIED:
        copy = shutil.copytree if (tree / name).is_dir() else shutil.copy2
        copy(tree / name, folder / name)
    return folder


def report(every: dict[str, list[Mutant]], results: dict[Mutant, tuple[bool, float]]) -> None:
    known = equivalent()
    counts: dict[str, Counter[str]] = defaultdict(Counter)
    for mutant, (survived, seconds) in results.items():
        what = "killed" if not survived else "same" if mutant.key in known else "survived"
        for name in (mutant.path, "all"):
            counts[name].update({"tried": 1, what: 1, "seconds": seconds})
    print("\n| module | mutants | tried | killed | equivalent | survived | minutes |")
    print("| --- | ---: | ---: | ---: | ---: | ---: | ---: |")
    for name in (*sorted(counts.keys() - {"all"}), "all"):
        of = counts[name]
        total = len(every[name]) if name in every else sum(map(len, every.values()))
        cells = (total, of["tried"], of["killed"], of["same"], of["survived"])
        print(f"| {name} |", *(f"{cell} |" for cell in cells), f"{of['seconds'] / 60:.1f} |")


if __name__ == "__main__":
    sys.exit(main())
