"""Commands at the same moment: every certificate verifies, and the ledger counts them all."""

import pytest

from support.forks import Job
from support.races import rounds


@pytest.mark.parametrize("times", [1, pytest.param(50, marks=pytest.mark.slow)])
def test_eight_certificates_at_once(forks, tmp_path, times):
    kept = tmp_path / "kept"
    made = forks.one(Job("support.fault_rows:make", {"kind": "labelled", "folder": str(kept)}))
    assert made.status == 0, made.said
    assert list(rounds(forks, kept, tmp_path / "round", times, 8, labelling=False)) == []


@pytest.mark.parametrize("times", [1, pytest.param(100, marks=pytest.mark.slow)])
def test_two_certificates_while_four_people_label(forks, tmp_path, times):
    kept = tmp_path / "kept"
    made = forks.one(Job("support.races:make_half_labelled", {"folder": str(kept)}))
    assert made.status == 0, made.said
    assert list(rounds(forks, kept, tmp_path / "round", times, 2, labelling=True)) == []
