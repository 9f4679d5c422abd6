"""Whatever matchbound returns shows itself in one short line."""

from dataclasses import replace

import pytest

import matchbound as mb
from matchbound.engines import connect
from matchbound.reprs import LONGEST, brief
from matchbound.tables import Matching, Reading, register_outputs
from support.audits import make_audit, read_csv, write_csv

PLAIN = {"labels", "register", "seal", "write_report", "__version__"}
"""Names of text, and of functions that return paths, numbers and lists of these."""
ERRORS = {"AssumptionError", "EngineError", "InputError", "MatchboundError"}
MANY = ("precision", "recall", "error-rate", "pairwise-precision")


@pytest.fixture(scope="module")
def values(tmp_path_factory):
    """By public name: values of that class, or that this function returns."""
    folder = tmp_path_factory.mktemp("a folder with a long name, as many folders have it") / "base"
    audit = make_audit(folder, "--one-to-one")
    holdout = folder / "holdout.csv"
    given = {"holdout": holdout, "complete": folder / "complete.csv"}
    certificate = mb.certify(audit, **given, out=audit / "certificate.json")
    mb.certify(audit, **given, release="2026-12")
    draw, choices = mb.Draw.load(audit), mb.Choices(metrics=MANY, guesses={"recall": 0.9})
    with connect() as con:
        outputs = register_outputs(con, holdout, Reading(), (), Matching())
    links = [("a", "c"), ("b", "c"), ("a", "d"), ("b", "d"), ("c", "e")]
    edges = write_csv(folder / "edges.csv", ["src", "dst"], links)
    seeds = [("a", "a"), ("b", "b"), ("e", "e")]
    names = [(i, f"name {i % 5}") for i in range(10)]
    records = write_csv(folder / "names.csv", ["id", "name"], names)
    others = write_csv(folder / "others.csv", ["id"], [[f"b{i}"] for i in range(400)])
    pairs = [tuple(row) for row in read_csv(holdout)]
    tables = {"records": folder / "people.csv", "against": others, "clusters": False}
    unmet = {"precision": 0.999, "recall": 0.999}
    mb.certify(audit, **given, release="r" * 64)
    listed = mb.releases(audit, targets=unmet)
    expected = {"size": 1000, "matched": 0.8, "guesses": {"precision": 0.9}, "one_to_one": True}
    return {
        "Certificate": [
            *(certificate, *certificate.guarantees, *outputs),
            replace(certificate, guarantees=certificate.guarantees * 9),
            replace(certificate, guarantees=()),
            replace(certificate, exploratory=("delta",)),
        ],
        "Choices": [mb.Choices(), choices, replace(choices, one_to_one=True, bands=(0.5, 0.9))],
        "Draw": [draw],
        "Tally": certificate.tallies.values(),
        "audit": [mb.audit(holdout, **tables, labels=20, out=folder / "started")],
        "bounds": [mb.bounds.Sample(mb.bounds.sequence([True] * 50, size=None, delta=0.5))],
        "certify": [certificate],
        "draw": [mb.draw(folder / "people.csv", train=30)],
        "estimate": [mb.estimate(audit, holdout=holdout)],
        "export": [mb.export(audit, folder / "export", redacted=True)],
        "list_errors": [mb.list_errors(audit, holdout=holdout, out=folder / "errors.csv")],
        "match": [mb.match(records, labels=[("0", "5"), ("1", "6")])],
        "matchers": [mb.matchers.graph(edges)],
        "patch": [
            mb.patch(draw, holdout=holdout, labels=audit / "labels.csv", out=folder / "p.csv")
        ],
        "plan": [
            mb.plan(**expected, targets={"precision": 0.8}),
            mb.plan(**expected, labels=100),
            mb.plan(**expected, targets={"precision": 0.9}),
        ],
        "reconcile": [mb.reconcile(edges, edges, seeds)],
        "releases": [
            *(listed, *listed.rows, *listed.rows[0].verdicts.values()),
            replace(listed, rows=()),
        ],
        "verify": [mb.verify(certificate), mb.verify(certificate, require=unmet)],
        "withhold": [mb.withhold(lambda labels: pairs, draw, audit / "labels.csv")],
        "forget": [mb.forget(audit, [draw.sample[0][0]])],
    }


def test_every_public_name_is_tried(values):
    assert values.keys() | PLAIN | ERRORS == set(dir(mb))


def test_reprs_are_short_and_name_what_they_show(values):
    for name, some in values.items():
        for value in some:
            text = repr(value)
            assert len(text) <= LONGEST, (name, text)
            assert "\n" not in text
            assert type(value).__name__ in text


def test_what_a_certificate_shows(values):
    certificate, precision, *_, many, none, explored = values["Certificate"]
    assert repr(certificate) == (
        f"<Certificate: precision {precision.text}, recall {certificate.guarantees[1].text} (95%)>"
    )
    assert repr(precision) == f"<Guarantee: precision of the complete matcher {precision.text}>"
    assert " and 16 more (95%)>" in repr(many)
    assert repr(none) == "<Certificate: nothing is certified>"
    assert repr(explored) == "<Certificate: exploratory, no guarantee>"


def test_what_choices_show(values):
    usual, some, _ = values["Choices"]
    assert repr(usual) == "<Choices: the usual ones>"
    assert repr(some).startswith("<Choices: metrics=('precision', 'recall', 'error-rate', ")


def test_what_is_cut_off_is_marked():
    assert brief(1, "two\n  lines") == "<int: two lines>"
    assert brief(1, "x" * 93) == f"<int: {'x' * 93}>"
    assert brief(1, "x" * 500) == f"<int: {'x' * 92}…>"
    assert len(brief(1, "x" * 500)) == LONGEST
