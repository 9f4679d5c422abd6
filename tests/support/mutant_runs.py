"""Which tests concern which module, and how they are run on a mutant of it."""

import os
import signal
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from functools import cache
from pathlib import Path

ROOT = Path(__file__).parents[2]
PACKAGE = ROOT / "src" / "matchbound"
ORDERED = ("-p", "support.mutant_order", "-m", "not slow")
LONGEST = 4.0  # seconds; a test that takes more uncompiled waits for the second run
THEOREMS = (
    "terms choices gaps possible label_errors comparison guarantees sampled parts stopping brought "
    "new_metric every_node"
)
LEDGER = "ledger attacks phases"
# module: the tests of its own, and those that concern it besides
CONCERNS = {
    "bounds": ("bounds_door properties coverage", ""),
    "bounds/_betting": ("betting", "star coverage"),
    "bounds/_likelihood": ("likelihood", "coverage"),
    "bounds/_orderfree": ("orderfree bound_edges", "coverage"),
    "bounds/_star": ("star bound_edges", "coverage"),
    "bounds/_hypergeometric": ("hypergeometric binomial", "sizes coverage"),
    "bounds/bernstein": ("coverage bounds_door", ""),
    "bounds/betting": ("betting star bounds_door", "coverage"),
    "bounds/binomial": ("binomial bounds_door", "coverage"),
    "bounds/chances": ("plan", ""),
    "bounds/checks": ("bounds_door", "hypergeometric star orderfree likelihood"),
    "bounds/hoeffding": ("coverage bounds_door", ""),
    "bounds/hypergeometric": ("hypergeometric sizes bounds_door", "coverage"),
    "bounds/likelihood": ("likelihood bounds_door", "coverage"),
    "bounds/means": ("properties coverage bounds_door betting", "hypergeometric star"),
    "bounds/orderfree": ("orderfree bounds_door", "coverage"),
    "bounds/_pooled": ("pooled", ""),
    "bounds/missed": ("missed", ""),
    "bounds/pooled": ("pooled", ""),
    "bounds/urn": ("pooled", ""),
    "bounds/ranges": ("sizes hypergeometric likelihood", ""),
    "bounds/sample": ("bounds_door coverage", ""),
    "bounds/star": ("star bounds_door", "coverage"),
    "theorems": (THEOREMS, ""),
    "theorems/estimates": ("estimates estimates_by_weight", ""),
    "theorems/grown": ("grown", "growth cohorts"),
    "theorems/limits": ("pooled_metrics", "part_sums"),
    "theorems/pairwise": ("pooled_metrics", "pooled_gaps guarantees"),
    "theorems/weighted": ("pooled_metrics", "pooled_gaps weights"),
    "theorems/tally": ("counts", "verification terms gaps possible"),
    "tallies/counts": ("counts forms", ""),
    "audits/ledger": (LEDGER, ""),
    "audits/standing": (LEDGER, "verification"),
}


@dataclass(frozen=True)
class Run:
    """Which tests, and whether compiled; `anew` keeps no compiled code from before."""

    files: tuple[str, ...]
    compiled: bool = True
    anew: bool = False

    def environment(self, copy: Path, cache: str) -> dict[str, str]:
        told = {
            "PYTHONPATH": f"{copy / 'src'}:{copy / 'tests'}",
            "PYTHONDONTWRITEBYTECODE": "1",
            "MUTANTS_TIMES": str(self.times(copy)),
            "MUTANTS_GRACE": "60" if self.anew else "10",  # to compile
            "MUTANTS_LONGEST": "inf" if self.compiled else str(LONGEST),
        }
        if not self.compiled:
            told["NUMBA_DISABLE_JIT"] = "1"
        if self.anew:
            told["NUMBA_CACHE_DIR"] = cache
        return os.environ | told

    def times(self, copy: Path) -> Path:
        return copy.parent / ("compiled.json" if self.compiled else "plain.json")


@cache
def runs_of(path: str) -> list[Run]:
    """What a mutant of this module is tried on, in this order."""
    module = path.removesuffix(".py")
    own, further = CONCERNS.get(module) or CONCERNS[module.partition("/")[0]]
    every = (f"src/matchbound/{path}", *_present(f"{own} {further}"))
    if not module.rpartition("/")[2].startswith("_") or module.endswith("__init__"):
        return [Run(every)]
    return [Run(_present(own), compiled=False), Run(every, anew=True)]


def _present(names: str) -> tuple[str, ...]:
    files = []
    for name in names.split():
        (path,) = (ROOT / "tests").rglob(f"test_{name}.py")
        files.append(path.relative_to(ROOT).as_posix())
    return tuple(files)


def passes(copy: Path, run: Run, timeout: float) -> tuple[bool, str]:
    """Whether the tests pass in a copy of the tree, and what was said."""
    without = ("-p", "no:cacheprovider", "-p", "no:xdist")
    with tempfile.TemporaryDirectory() as cache:
        process = subprocess.Popen(
            [sys.executable, "-m", "pytest", "-x", "-q", *without, *ORDERED, *run.files],
            cwd=copy,
            env=run.environment(copy, cache),
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            start_new_session=True,
        )
        try:
            said, _ = process.communicate(timeout=timeout)
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            said, _ = process.communicate()
            return False, said
    if process.returncode in (4, 5):  # no such tests
        raise SystemExit(f"pytest ended with {process.returncode}:\n{said}")
    return process.returncode == 0, said
