"""Point estimates: other tools' numbers where every record is labelled, and no more than that."""

import itertools
import random
from collections import Counter

import numpy as np
import pytest

import matchbound as mb
from matchbound.audits.draw import Draw
from matchbound.audits.ledger import read_ledger
from matchbound.errors import InputError
from support.audits import certify, contents, make_audit, run, run_seeded, write_csv
from support.scored_audits import audit_of

PAIRWISE = ("pairwise-precision", "pairwise-recall", "pairwise-f1")
B_CUBED = ("b3-precision", "b3-recall")


def clustered(folder, true, found, *options, labels=None, as_pairs=False):
    """An audit of one table: who belongs together, and what a matcher says, by record."""
    folder.mkdir(exist_ok=True)
    write_csv(folder / "people.csv", ["id"], [[x] for x in true])
    write_csv(folder / "found.csv", ["id", "cluster"], found.items())
    audit = folder / "audit"
    size = ["--labels", labels or len(true)]
    draw = ["draw", folder / "people.csv", *size, "--dedupe", "--out", audit, *options]
    assert run_seeded("s", *draw) == 0
    rows = [(x, y) for x, y in itertools.permutations(true, 2) if true[x] == true[y]]
    rows = [*rows, *((x, "") for x in true if list(true.values()).count(true[x]) == 1)]
    drawn = {x for x, _, _ in Draw.load(audit).sample}
    write_csv(audit / "labels.csv", ["x", "y"], [row for row in rows if row[0] in drawn])
    if not as_pairs:
        write_csv(audit / "labels.csv", ["id", "cluster"], true.items())
    return audit


def random_clusters(seed, n=60, parts=25):
    rng = random.Random(seed)
    true = {f"r{i}": rng.randrange(parts) for i in range(n)}
    return true, {x: c if rng.random() < 0.8 else rng.randrange(parts) for x, c in true.items()}


def by_scikit_learn(true, found):
    """All metrics of a fully labelled table, from matrices of who is with whom."""
    metrics = pytest.importorskip("sklearn.metrics")
    t, h = (np.equal.outer(*[list(side.values())] * 2) for side in (true, found))
    others = ~np.eye(len(true), dtype=bool)
    score = metrics.precision_recall_fscore_support
    pairs = score((t & others).ravel(), (h & others).ravel(), average="binary")[:3]
    cubed = score(t, h, average="samples")[:2]
    has_match, has_true = ((side & others).any(axis=1) for side in (h, t))
    own = {"average": "samples", "zero_division": 0}
    precision = score((t & others)[has_match], (h & others)[has_match], **own)[0]
    recall = score((t & others)[has_true], (h & others)[has_true], **own)[1]
    wrong = metrics.zero_one_loss(t, h)
    return {
        "precision": precision,
        "recall": recall,
        "error-rate": wrong,
        **dict(zip(PAIRWISE, pairs, strict=True)),
        **dict(zip(B_CUBED, cubed, strict=True)),
    }


@pytest.mark.parametrize(("train", "as_pairs"), [(0, False), (20, True)])
def test_estimates_equal_scikit_learn_s_where_all_is_labelled(tmp_path, train, as_pairs):
    true, found = random_clusters(train)
    trained = ["--train", train] if train else []
    audit = clustered(tmp_path, true, found, *trained, as_pairs=as_pairs)
    estimates = mb.estimate(audit, holdout=tmp_path / "found.csv")
    expected = by_scikit_learn(true, found)
    assert {one.metric: one.value for one in estimates.values} == pytest.approx(expected, abs=1e-12)


def test_estimates_equal_er_evaluation_s_where_all_is_labelled(tmp_path):
    """Pairwise precision, recall and F1 of these clusters by er-evaluation 2.3.0.

    Its B-cubed is another: a mean over true clusters, not over records.
    """
    audit = clustered(tmp_path, *random_clusters(22))
    estimates = mb.estimate(audit, holdout=tmp_path / "found.csv")
    values = 0.6181818181818182, 0.5396825396825397, 0.576271186440678
    for metric, value in zip(PAIRWISE, values, strict=True):
        assert estimates.value(metric) == pytest.approx(value, abs=1e-12)


@pytest.mark.parametrize(
    ("response", "precision"),
    [(["12345", "6789ABC"], 16 / 21), (["1234589ABC", "67"], 7 / 12)],
)
def test_b_cubed_is_that_of_bagga_and_baldwin(tmp_path, response, precision):
    """Their example (COLING-ACL 1998) has 76% and 58%, and recall 100%."""
    sides = [["12345", "67", "89ABC"], response]
    true, found = ({x: i for i, part in enumerate(side) for x in part} for side in sides)
    estimates = mb.estimate(clustered(tmp_path, true, found), holdout=tmp_path / "found.csv")
    assert estimates.value("b3-precision") == pytest.approx(precision, abs=1e-12)
    assert estimates.value("b3-recall") == 1


def test_what_is_printed(tmp_path, capsys):
    audit = make_audit(tmp_path)
    before = contents(tmp_path)
    capsys.readouterr()
    assert run("certify", audit, "--holdout", tmp_path / "holdout.csv", "--estimate") == 0
    shown = capsys.readouterr().out.splitlines()
    assert shown[0] == "Estimates of the holdout matcher: no guarantee, and no certificate."
    assert [line.split()[0] for line in shown[1:7]] == [
        "precision",
        "recall",
        "error-rate",
        *PAIRWISE,
    ]
    assert shown[7] == "Not given: b3-precision, b3-recall, which need clusters of one table."
    assert shown[8] == "From the labels of 157 nodes, out of 400."
    assert shown[9].startswith("Entry 4 of the ledger says that they were shown: ")
    assert len(shown) == 10
    changed = {path.name for path, data in contents(tmp_path).items() if before.get(path) != data}
    assert changed == {"ledger.jsonl", "journal.jsonl", "paths.jsonl"}
    look = read_ledger(audit).entries[-1]
    assert (look["kind"], look["what"]) == ("look", "estimate")
    assert len(look["holdout"]) == 1


@pytest.mark.parametrize(
    "option",
    [
        ["--require", "precision=0.5"],
        ["--json"],
        ["--out", "c.json"],
        ["--complete", "complete.csv"],
        ["--metric", "recall"],
    ],
)
def test_an_estimate_is_no_certificate(tmp_path, capsys, option):
    audit = make_audit(tmp_path)
    before = contents(tmp_path)
    words = ["certify", audit, "--holdout", tmp_path / "holdout.csv", "--estimate", *option]
    assert run(*words) == 2
    assert "matchbound: estimate must come without " in capsys.readouterr().err
    assert contents(tmp_path) == before


def test_a_holdout_that_was_estimated_was_looked_at(tmp_path, capsys):
    audit = make_audit(tmp_path)
    assert run("certify", audit, "--holdout", tmp_path / "complete.csv", "--estimate") == 0
    assert run("certify", audit, "--holdout", tmp_path / "complete.csv", "--estimate") == 0
    capsys.readouterr()
    assert run("certify", audit, "--holdout", tmp_path / "holdout.csv") == 0
    shown = capsys.readouterr().out
    assert "With probability at least 90%, all together (for 2 matchers on record" in shown
    assert run("verify", audit) == 0
    assert certify(audit, "--require", "precision=0.1", "--force") == 1
    assert "Required precision 0.1: not certified (together with all" in capsys.readouterr().err


def test_the_same_holdout_may_be_estimated_and_certified(tmp_path, capsys):
    audit = make_audit(tmp_path)
    assert run("certify", audit, "--holdout", tmp_path / "holdout.csv", "--estimate") == 0
    assert certify(audit, "--require", "precision=0.1") == 0


def test_bands_and_thresholds(tmp_path):
    audit, _, _ = audit_of(tmp_path / "bands", "--bands", "0.5,0.8")
    bands = mb.estimate(audit, holdout=tmp_path / "bands" / "holdout.csv")
    inside = [one for one in bands.values if one.part != "all"]
    assert {one.metric for one in inside} == {"precision", "pairwise-precision"}
    assert bands.value("precision", "[0.8, ∞)") > bands.value("precision", "[0.5, 0.8)")
    with pytest.raises(
        InputError, match=r"^metric must be one that was estimated, got 'recall' of"
    ):
        bands.value("recall", "[0.8, ∞)")


def test_nodes_among_the_matched_tell_nothing_of_recall(tmp_path):
    among = ["--among", tmp_path / "holdout.csv", "--threshold", 0.5, "--metric", "precision"]
    audit, _, _ = audit_of(tmp_path, *among, train=0)
    estimates = mb.estimate(audit, holdout=tmp_path / "holdout.csv", threshold=0.5)
    assert estimates.value("recall") is None
    assert 0.5 < estimates.value("precision") < 1
    assert "recall             no labelled node tells" in str(estimates)


def test_nodes_without_a_label_are_left_out(tmp_path):
    true, found = random_clusters(9)
    audit = clustered(tmp_path, true, found, as_pairs=True)
    lines = (audit / "labels.csv").read_text().splitlines(keepends=True)
    (audit / "labels.csv").write_text("".join(line for line in lines if not line.startswith("r7,")))
    with pytest.raises(InputError, match="labels must cover every sampled node"):
        mb.estimate(audit, holdout=tmp_path / "found.csv")
    some = mb.estimate(audit, holdout=tmp_path / "found.csv", unlabelled="worst")
    assert some.labelled == len(true) - 1


def test_a_draw_by_weight(tmp_path):
    """All nodes that can be drawn are: the kinds of precision are exact, and others unknown."""
    true, found = random_clusters(11)
    sizes = Counter(found.values())
    matched = sum(sizes[found[x]] > 1 for x in true)
    weigh = ["--weigh", "pairwise-precision", "--metric", "pairwise-precision"]
    weigh += ["--holdout", tmp_path / "found.csv"]
    write_csv(tmp_path / "found.csv", ["id", "cluster"], found.items())
    audit = clustered(tmp_path, true, found, *weigh, labels=matched)
    estimates = mb.estimate(audit, holdout=tmp_path / "found.csv")
    expected = by_scikit_learn(true, found)
    for metric in ("precision", "pairwise-precision", "b3-precision"):
        assert estimates.value(metric) == pytest.approx(expected[metric], abs=1e-12)
    assert estimates.value("recall") is estimates.value("pairwise-f1") is None
