"""Every file operation of a verb fails, or kills it: nothing is lost, and the next command works.

`make check-slow` tries every operation of every row of `support.fault_rows`, and of the labelling
desk; the ordinary suite tries a few of each. `PYTHONPATH=src:tests python -m support.fault_counts`
prints the counts that docs/reliability.md has.
"""

import random

import pytest

from support.fault_checks import Trial
from support.fault_desk import DeskTrial
from support.fault_rows import ROWS

SOME = ("draw --holdout", "certify --force")
SAMPLE = 2
"""How many faults of each of these rows the ordinary suite does."""


def tell(failures):
    assert not failures, "\n".join(map(str, failures))


@pytest.mark.parametrize("row", [row for row in ROWS if row.name in SOME], ids=lambda row: row.name)
def test_some_faults(forks, tmp_path, row):
    trial = Trial(row, forks, tmp_path)
    tell(trial.failures(random.Random(row.name).sample(trial.faults(), SAMPLE)))


def test_some_faults_while_labelling(forks, tmp_path):
    trial = DeskTrial(forks, tmp_path)
    tell(trial.failures(random.Random(1).sample(trial.faults(), 5)))


@pytest.mark.slow
@pytest.mark.parametrize("row", ROWS, ids=lambda row: row.name)
def test_every_fault(forks, tmp_path, row):
    tell(Trial(row, forks, tmp_path).failures())


@pytest.mark.slow
def test_every_fault_while_labelling(forks, tmp_path):
    tell(DeskTrial(forks, tmp_path).failures())
