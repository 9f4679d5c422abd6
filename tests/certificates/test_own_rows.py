"""Labels whose every match is a row of the holdout's own table."""

import json
import random
from dataclasses import replace

import pyarrow as pa
import pytest

import matchbound as mb
from matchbound.audits import Provenance
from matchbound.audits.draw import Draw
from matchbound.certificates.assumptions import on_record
from matchbound.errors import InputError
from matchbound.theorems import METRICS
from support.audits import NODES, certify, make_audit, run, write_csv

SAID = "Every labelled match is a row of the holdout matcher's own table"
REASON = "every labelled match is a row of the holdout matcher's own table"
SEARCHED = "two clerks searched the whole register by name and by date of birth"


def only_candidates(folder, *options):
    """An audit whose labels have a match only where a row of the holdout's table proposed it."""
    audit = make_audit(folder, *options)
    rng = random.Random(2)
    rows = []
    for i in range(NODES):
        if i % 5 and rng.random() < 0.6:
            rows.append((f"a{i}", f"b{i}", rng.choice((0.2, 0.9, 0.95))))
    write_csv(folder / "scored.csv", ["x", "y", "score"], rows)
    proposed = {x: y for x, y, _ in rows}
    sample = [x for x, _, _ in Draw.load(audit).sample]
    write_csv(audit / "labels.csv", ["x", "y"], [[x, proposed.get(x, "")] for x in sample])
    return audit


def certify_scored(audit, *options):
    scored = audit.parent / "scored.csv"
    return run("certify", audit, "--holdout", scored, "--threshold", 0.5, "--force", *options)


def test_recall_is_not_certified_from_a_matchers_own_candidates(tmp_path, capsys):
    audit = only_candidates(tmp_path)
    assert certify_scored(audit, "--require", "recall=0.1", "--require", "precision=0.5") == 1
    shown = capsys.readouterr()
    assert SAID in shown.out
    assert shown.out.index(SAID) < shown.out.index("Assumed:")
    assert f"Required recall 0.1: not certified ({REASON}" in shown.err
    assert "Required precision 0.5: certified." in shown.err
    certificate = mb.Certificate.load(audit / "certificate.json")
    assert certificate.value("recall") > 0.1
    assert not certificate.meets("recall", 0.1)
    assert run("verify", audit) == 0
    assert run("verify", audit, "--require", "recall=0.1") == 1
    assert run("verify", audit, "--require", "precision=0.5") == 0
    report = tmp_path / "report.html"
    assert run("report", audit, "--out", report, "--target", "recall=0.1") in (0, 1)
    assert "target 0.1: not certified (every labelled match is a row" in report.read_text()


def test_who_says_how_matches_were_looked_for_can_require_recall(tmp_path, capsys):
    audit = only_candidates(tmp_path)
    said = ("--truth-searched", SEARCHED)
    assert certify_scored(audit, "--require", "recall=0.1", *said) == 0
    out = capsys.readouterr().out
    assert SAID in out
    assert f"The user says how truth was looked for: {SEARCHED}." in out
    entry = json.loads((audit / "ledger.jsonl").read_text().splitlines()[-1])
    assert entry["truth_searched"] == SEARCHED
    certificate = mb.Certificate.load(audit / "certificate.json")
    assert certificate.truth_searched == SEARCHED
    assert run("verify", audit, "--require", "recall=0.1") == 0
    assert run("report", audit, "--out", tmp_path / "report.html") == 0
    assert SEARCHED in (tmp_path / "report.html").read_text()


def test_one_match_from_elsewhere_is_enough(tmp_path, capsys):
    """Made-up labels of the other tests: the matcher misses some of the matches."""
    audit = make_audit(tmp_path)
    assert certify(audit, "--require", "recall=0.1") == 0
    assert SAID not in capsys.readouterr().out


def test_a_certificate_that_hides_it_is_contradicted(tmp_path, capsys):
    audit = only_candidates(tmp_path)
    brought = {
        "population": tmp_path / "people.csv",
        "labels": tmp_path / "brought.csv",
        "holdout": tmp_path / "scored.csv",
    }
    (tmp_path / "brought.csv").write_bytes((audit / "labels.csv").read_bytes())
    given = {name: str(path) for name, path in brought.items()}
    certificate = mb.certify(**given, threshold=0.5, assume_uniform=True)
    assert SAID in str(certificate)
    kept = tuple(one for one in certificate.assumptions if one.code != "only_own_rows")
    assert len(kept) == len(certificate.assumptions) - 1
    hidden = tmp_path / "certificate.json"
    replace(certificate, assumptions=kept).save(hidden)
    assert run("verify", hidden) == 1
    certificate.save(hidden, force=True)
    assert run("verify", hidden) == 0


TRUE = [(i, i + 1) for i in range(0, 300, 3)]  # of one table: two of three records are the same


@pytest.mark.parametrize(
    ("matches", "own"),
    [
        ({"x": [b for _, b in TRUE], "y": [a for a, _ in TRUE]}, True),
        ({"x": [a for a, _ in TRUE[1:]], "y": [b for _, b in TRUE[1:]]}, False),
        (
            {
                "ltable_id": [a for a, _ in TRUE],
                "rtable_id": [b for _, b in TRUE],
                "predicted": [int(a % 2) for a, _ in TRUE],
            },
            True,
        ),
        ({"id": [i for p in TRUE for i in p], "cluster": [a for a, _ in TRUE for _ in "ab"]}, True),
        (
            {
                "id": [i for p in TRUE[1:] for i in p],
                "cluster": [a for a, _ in TRUE[1:] for _ in "ab"],
            },
            False,
        ),
    ],
)
@pytest.mark.parametrize("ids", [int, str])
def test_rows_of_one_table_count_in_either_order_and_whatever_their_verdict(matches, own, ids):
    matches = {k: v if k == "predicted" else list(map(ids, v)) for k, v in matches.items()}
    partner = dict(TRUE) | {b: a for a, b in TRUE}
    labels = {"x": [str(i) for i in range(300)], "y": [str(partner.get(i, "")) for i in range(300)]}
    certificate = mb.certify(
        population=pa.table({"id": [ids(i) for i in range(300)]}),
        labels=pa.table(labels),
        holdout=pa.table(matches),
        assume_uniform=True,
        dedupe=True,
    )
    assert (SAID in str(certificate)) == own
    assert bool(certificate.why_unmet("recall")) == own
    assert not certificate.why_unmet("precision")


def test_without_a_labelled_match_nothing_is_said():
    certificate = mb.certify(
        population=pa.table({"id": ["a", "b", "c"]}),
        labels=pa.table({"x": ["a", "b"], "y": ["", ""]}),
        holdout=pa.table({"x": ["a"], "y": ["y"]}),
        assume_uniform=True,
        metrics=["error-rate"],
    )
    assert SAID not in str(certificate)


@pytest.mark.parametrize("text", ["", "  ", "two\nlines", "long" * 200, 3])
def test_text_that_says_nothing_is_refused(text):
    nodes = ["a", "b", "c"]
    with pytest.raises(InputError, match="truth_searched must"):
        mb.certify(
            population=pa.table({"id": nodes}),
            labels=pa.table({"x": nodes, "y": nodes}),
            holdout=pa.table({"x": nodes, "y": nodes}),
            assume_uniform=True,
            link=True,
            truth_searched=text,
        )


def test_only_metrics_that_count_missed_matches_are_concerned():
    concerned = {name for name, metric in METRICS.items() if metric.counts_missed}
    assert concerned == {"recall", "error-rate", "pairwise-recall", "pairwise-f1", "b3-recall"}


def test_labels_of_the_page_are_searched_for_everywhere(tmp_path):
    """The page's own search is on record: nothing is said, whatever the matches are."""
    audit = only_candidates(tmp_path)
    assert certify_scored(audit) == 0
    certificate = mb.Certificate.load(audit / "certificate.json")
    assert certificate.why_unmet("recall")
    page = Provenance(180, 1, 0, 0, 0, 0, False, ())
    labelled = on_record(certificate, replace(certificate.ledger, labelled=page))
    assert not labelled.why_unmet("recall")
    assert SAID not in str(labelled)


def test_what_was_said_is_entered_again_after_a_crash(tmp_path):
    audit = only_candidates(tmp_path)
    assert certify_scored(audit, "--truth-searched", SEARCHED) == 0
    ledger = audit / "ledger.jsonl"
    whole = ledger.read_bytes()
    ledger.write_bytes(whole[:-40])
    assert run("repair", audit) == 0
    assert json.loads(ledger.read_text().splitlines()[-1])["truth_searched"] == SEARCHED
    assert run("verify", audit, "--require", "recall=0.1") == 0


def test_text_that_was_added_to_the_certificate_is_contradicted(tmp_path):
    audit = only_candidates(tmp_path)
    assert certify_scored(audit) == 0
    certificate = mb.Certificate.load(audit / "certificate.json")
    replace(certificate, truth_searched=SEARCHED).save(audit / "certificate.json", force=True)
    assert run("verify", audit, "--require", "recall=0.1") == 1
