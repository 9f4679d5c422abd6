"""A metric is one row and its theorems: a new one is known everywhere, no other room touched.

The toy is the share of records that have no right match, bounded from above.
"""

import json
import re

import pytest

import matchbound as mb
from matchbound.theorems import gaps
from matchbound.theorems.metrics import METRICS, Metric
from matchbound.theorems.ratios import Ratio
from matchbound.theorems.terms import (
    Finding,
    bounded,
    count_with,
    estimate,
    mean_lower,
    sampled,
    trained,
)
from support.audits import certify, make_audit, make_inputs, run

NAME = "blank-rate"


def is_blank(found, true, both):
    return int(not both)


def blank_rate(tally, design, complete):
    """H's blanks outside D bounded from S − D, and every node on which the matchers differ."""
    (delta,) = design.shares(1)
    bound = design.labels_bound(binary=True)
    filled = [float(bool(label.ht)) for label in sampled(tally)]
    rest = tally.size - len(tally.train)
    high = bounded(
        "sharp blank-rate labels",
        delta,
        lambda d: 1 - mean_lower(filled, rest, d, bound, design.planned_variance()),
    )
    blank = sum(not label.ht for label in trained(tally)) + rest * high
    blank += count_with(tally.everywhere, gaps.differs)
    return Finding(blank / tally.size, 1 - estimate(filled), bound)


@pytest.fixture
def toy(monkeypatch, tampering):  # the schemas list the metrics that there are
    row = Metric(
        NAME,
        "the share of records for which no right match was found",
        "upper",
        "all",
        Ratio(is_blank, lambda found, true, both: 1),
        {"sharp": blank_rate},
    )
    monkeypatch.setitem(METRICS, NAME, row)
    return row


@pytest.fixture
def audit(toy, tmp_path):
    return make_audit(tmp_path, "--metric", NAME, "--metric", "recall")


def test_it_is_certified_and_verified(audit, toy, capsys):
    assert certify(audit) == 0
    certificate = mb.Certificate.load(audit / "certificate.json")
    (guarantee,) = (g for g in certificate.guarantees if g.metric == NAME)
    assert (guarantee.side, guarantee.bound) == ("upper", "hypergeometric")
    assert guarantee.estimate < certificate.value(NAME) == guarantee.value < 0.5
    assert f"{NAME} of the complete matcher ≤ {toy.text(guarantee.value)}" in str(certificate)
    assert f"{NAME}: {toy.words}." in str(certificate).lower()
    assert certificate.meets(NAME, 0.5)
    assert not certificate.meets(NAME, 0.1)
    assert run("verify", audit) == 0
    assert "blank" in capsys.readouterr().out


def test_it_is_required_on_the_command_line(audit, capsys):
    assert certify(audit, "--require", f"{NAME}=0.5") == 0
    assert f"Required {NAME} 0.5: certified." in capsys.readouterr().err
    assert certify(audit, "--require", f"{NAME}=0.1", "--force") == 1
    assert f"Required {NAME} 0.1: not certified." in capsys.readouterr().err


def test_it_is_in_the_report(audit):
    assert certify(audit) == 0
    assert run("report", audit, "--target", f"{NAME}=0.5") == 0
    page = (audit / "report.html").read_text("utf-8")
    value = mb.Certificate.load(audit / "certificate.json").value(NAME)
    assert f'data-metric="{NAME}"' in page
    assert f'data-value="{value}"' in page
    assert re.search(r"target 0\.5: certified", page)
    assert "it is told for the metrics precision, recall, error-rate alone" in page


def test_it_is_planned(toy, capsys):
    guesses = ["--guess", f"{NAME}=0.25"]
    arguments = ["plan", "--size", 5000, "--matched", 0.8, *guesses]
    assert run(*arguments, "--target", f"{NAME}=0.3") == 0
    words = capsys.readouterr().out
    assert f"for {NAME} ≤ 0.3 with probability 0.9" in words
    assert f"--metric {NAME}" in words
    planned = mb.plan(size=5000, matched=0.8, guesses={NAME: 0.25}, labels=300)
    assert 0.25 < planned.rows[1].outlooks[NAME].typical < 0.35
    assert planned.rows[0].outlooks[NAME].typical > planned.rows[2].outlooks[NAME].typical


def test_its_power_is_that_of_an_error_rate(toy):
    """Both are means of zeros and ones over all nodes: the same numbers are planned for."""
    plans = [
        mb.plan(size=2000, matched=0.8, guesses={metric: 0.2}, targets={metric: 0.3})
        for metric in (NAME, "error-rate")
    ]
    assert plans[0].needed == plans[1].needed


def test_help_and_errors_name_it(toy, tmp_path, capsys):
    with pytest.raises(SystemExit):
        run("plan", "--help")
    *others, _ = METRICS
    words = " ".join(capsys.readouterr().out.split()).replace("- ", "-")  # lines end at hyphens
    assert f"{', '.join(others)} or {NAME}" in words
    make_inputs(tmp_path)
    people = tmp_path / "people.csv"
    assert run("draw", people, "--labels", 9, "--metric", "f1", "--out", tmp_path / "audit") == 2
    assert f"{', '.join(others)}, {NAME}; got 'f1'" in capsys.readouterr().err


def test_what_has_no_theorem_is_refused(toy):
    for how in ({"theorem": "paper"}, {"gap": 50}, {"future": True}):
        with pytest.raises(mb.InputError, match=rf"^metric must have the theorem .* got {NAME}, "):
            mb.Choices(metrics=(NAME,), **how)


def test_it_is_not_certified_by_default(toy, tmp_path):
    audit = make_audit(tmp_path)
    assert certify(audit) == 0
    made = json.loads((audit / "certificate.json").read_text("utf-8"))
    assert {g["metric"] for g in made["guarantees"]} == {"precision", "recall"}


def test_without_its_row_it_is_refused():
    with pytest.raises(
        mb.InputError, match=r"^metric must be one of precision, recall, error-rate"
    ):
        mb.Choices(metrics=(NAME,))
