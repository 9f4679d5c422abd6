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
import subprocess
import sys
import tempfile
import time
from collections import Counter, defaultdict
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

from mutating import Mutant, mutants_of

ROOT = Path(__file__).parents[1]
PACKAGE = ROOT / "src" / "matchbound"
COPIED = ("src", "tests", "docs", "conftest.py", "pyproject.toml", "README.md")
EQUIVALENT = ROOT / "tests" / "equivalent_mutants.md"
ORDERED = ("-p", "mutants_order", "-m", "not slow")
LONGEST = 4.0  # seconds; a test that takes more uncompiled waits for the second run
THEOREMS = "terms theorems gaps possible sampled parts kinds stopping guided brought"
LEDGER = "ledger attacks chain"
# module: the tests of its own, and those that concern it besides
CONCERNS = {
    "bounds/_capital": ("betting", "star coverage"),
    "bounds/_likelihood": ("likelihood", "coverage"),
    "bounds/_orderfree": ("orderfree", "coverage"),
    "bounds/_star": ("star", "coverage"),
    "bounds/_tails": ("hypergeometric binomial", "sizes coverage"),
    "bounds/bernstein": ("coverage bounds_door", ""),
    "bounds/betting": ("betting star bounds_door", "coverage"),
    "bounds/binomial": ("binomial bounds_door", "coverage"),
    "bounds/chances": ("planning", ""),
    "bounds/checks": ("bounds_door", "hypergeometric star orderfree likelihood"),
    "bounds/hoeffding": ("coverage bounds_door", ""),
    "bounds/hypergeometric": ("hypergeometric sizes bounds_door", "coverage"),
    "bounds/likelihood": ("likelihood bounds_door", "coverage"),
    "bounds/means": ("coverage bounds_door betting", "hypergeometric star"),
    "bounds/orderfree": ("orderfree bounds_door", "coverage"),
    "bounds/ranges": ("sizes hypergeometric likelihood", ""),
    "bounds/sample": ("bounds_door coverage", ""),
    "bounds/star": ("star bounds_door", "coverage"),
    "theorems": (THEOREMS, ""),
    "tallies": ("tallies", "verify " + THEOREMS),
    "counting": ("tallies forms", "sampled parts"),
    "ledger": (LEDGER, "rounds full_disk"),
    "standing": (LEDGER, "verify live"),
}


@dataclass(frozen=True)
class Run:
    """Which tests, and whether compiled; `anew` keeps no compiled code from before."""

    files: tuple[str, ...]
    compiled: bool = True
    anew: bool = False

    @property
    def times(self) -> str:
        return f"{'compiled' if self.compiled else 'plain'}-{abs(hash(self.files))}.json"


def runs_of(path: str) -> list[Run]:
    """What a mutant of this module is tried on, in this order."""
    module = path.removesuffix(".py")
    own, further = CONCERNS.get(module) or CONCERNS[module.partition("/")[0]]
    every = (f"src/matchbound/{path}", *_present(f"{own} {further}"))
    if not module.rpartition("/")[2].startswith("_") or module.endswith("__init__"):
        return [Run(every)]
    return [Run(_present(own), compiled=False), Run(every, anew=True)]


def _present(names: str) -> tuple[str, ...]:
    files = [f"tests/test_{name}.py" for name in names.split()]
    for file in files:
        if not (ROOT / file).exists():
            print(f"warning: {file} is not there and is left out", file=sys.stderr)
    return tuple(file for file in files if (ROOT / file).exists())


def modules(chosen: list[str]) -> list[str]:
    paths = sorted(p.relative_to(PACKAGE).as_posix() for p in PACKAGE.rglob("*.py"))
    concerned = [p for p in paths if {p[:-3], p.partition("/")[0]} & CONCERNS.keys() or _in(p)]
    return [p for p in concerned if not chosen or any(p.startswith(name) for name in chosen)]


def _in(path: str) -> bool:
    """A new bound, or a new theorem, may not be forgotten."""
    return path.startswith("bounds/") and path != "bounds/__init__.py"


def equivalent() -> set[tuple[str, ...]]:
    """File and function, original and mutant, as the table names them."""
    rows = re.findall(
        r"^\| `(.+?)` \| `(.*?)` \| `(.+?)` \| `(.+?)` \|", EQUIVALENT.read_text(), re.M
    )
    return {tuple(cell.replace("\\|", "|") for cell in row) for row in rows}


def pytest(copy: Path, run: Run, timeout: float) -> tuple[bool, str]:
    """Whether the tests pass in a copy of the tree, and what was said."""
    without = ("-p", "no:cacheprovider", "-p", "no:xdist")
    times = copy.parent / run.times
    environment = os.environ | {
        "PYTHONPATH": f"{copy / 'src'}:{copy / 'tests'}",
        "PYTHONDONTWRITEBYTECODE": "1",
        "MUTANTS_TIMES": str(times),
    }
    if not run.compiled:
        environment |= {"NUMBA_DISABLE_JIT": "1", "MUTANTS_LONGEST": str(LONGEST)}
    with tempfile.TemporaryDirectory() as cache:
        if run.anew:
            environment["NUMBA_CACHE_DIR"] = cache
        process = subprocess.Popen(
            [sys.executable, "-m", "pytest", "-x", "-q", *without, *ORDERED, *run.files],
            cwd=copy,
            env=environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )
        try:
            said, _ = process.communicate(timeout=timeout)
        except subprocess.TimeoutExpired:
            process.kill()
            said, _ = process.communicate()
            return False, said
    if process.returncode not in (0, 1, 2, 3):  # 2 and 3: it could not be imported, or run
        raise SystemExit(f"pytest ended with {process.returncode}:\n{said}")
    return process.returncode == 0, said


def survives(copy: Path, mutant: Mutant, timeouts: dict[Run, float]) -> bool:
    path = copy / "src" / "matchbound" / mutant.path
    stat, text = path.stat(), path.read_bytes()
    path.write_text(mutant.text, "utf-8")
    try:
        return all(pytest(copy, run, timeouts[run])[0] for run in runs_of(mutant.path))
    finally:
        path.write_bytes(text)
        os.utime(path, ns=(stat.st_atime_ns, stat.st_mtime_ns))  # compiled code stays good


def measure(copy: Path, run: Run) -> float:
    """Time the tests on the unmutated copy, which must pass them."""
    start = time.monotonic()
    passed, said = pytest(copy, run, timeout=1800)
    if not passed:
        raise SystemExit(f"the unmutated copy must pass its tests, but does not:\n{said}")
    return 60 + 5 * (time.monotonic() - start)


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
    open_ = [m for m, (survived, _) in results.items() if survived and m.key not in known]
    return bool(open_ or stale)


def attempt(
    folder: Path, mutants: list[Mutant], workers: int, known: set[tuple[str, ...]]
) -> dict[Mutant, tuple[bool, float]]:
    """Whether each survives, and its seconds; survivors are printed as they are found."""
    copies: queue.Queue[Path] = queue.Queue()
    for number in range(workers):
        copies.put(_copy(folder / str(number)))

    def with_copy(work, *arguments):
        copy, start = copies.get(), time.monotonic()
        try:
            return work(copy, *arguments), time.monotonic() - start
        finally:
            copies.put(copy)

    with ThreadPoolExecutor(workers) as pool:
        runs = list(dict.fromkeys(run for m in mutants for run in runs_of(m.path)))
        measured = pool.map(lambda run: with_copy(measure, run)[0], runs)
        timeouts = dict(zip(runs, measured, strict=True))
        results = {}
        tried = pool.map(lambda m: with_copy(survives, m, timeouts), mutants)
        for mutant, (survived, seconds) in zip(mutants, tried, strict=True):
            results[mutant] = survived, seconds
            if survived:
                why = "equivalent" if mutant.key in known else "SURVIVED"
                print(f"{why} src/matchbound/{mutant.path}:{mutant.line} {mutant.function}")
                print(f"    {mutant.before}\n    {mutant.after}", flush=True)
    return results


def _copy(folder: Path) -> Path:
    folder.mkdir()
    for name in COPIED:
        copy = shutil.copytree if (ROOT / name).is_dir() else shutil.copy2
        copy(ROOT / name, folder / name)
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
