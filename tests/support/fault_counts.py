"""Print how many faults each verb met, and after how many something went wrong.

Usage: PYTHONPATH=src:tests python -m support.fault_counts [ROW…]
"""

import sys
import tempfile
from collections import Counter
from pathlib import Path

from support.fault_checks import Trial
from support.fault_desk import DeskTrial
from support.fault_rows import ROWS
from support.forks import Forks

HEADER = "| verb | operations | killed | fails | disk full | failures |"


def main(names):
    print(HEADER, "| --- | ---: | ---: | ---: | ---: | ---: |", sep="\n")
    total = Counter()
    with Forks() as forks:
        for name in names or [*(row.name for row in ROWS), "label"]:
            failures = _count(name, forks, total)
            for failure in failures:
                print(failure, file=sys.stderr)
    print(_line("all", total))


def _count(name, forks, total):
    with tempfile.TemporaryDirectory() as folder:
        rows = [row for row in ROWS if row.name == name]
        trial = Trial(rows[0], forks, Path(folder)) if rows else DeskTrial(forks, Path(folder))
        failures = trial.failures()
        counts = Counter("killed" if f.how in ("kill", "half") else f.how for f in trial.faults())
    counts["operations"] = len(trial.operations)
    counts["failures"] = len({(failure.how, failure.at) for failure in failures})
    total.update(counts)
    print(_line(name, counts), flush=True)
    return failures


def _line(name, counts):
    columns = ("operations", "killed", "fails", "full", "failures")
    return f"| {' | '.join([name, *(str(counts[column]) for column in columns)])} |"


if __name__ == "__main__":
    main(sys.argv[1:])
