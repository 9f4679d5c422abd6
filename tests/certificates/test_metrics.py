"""Pairwise and B-cubed metrics through the commands: what is said, and what is refused."""

import itertools
import random
import re
from pathlib import Path

import pytest

import matchbound as mb
from matchbound.audits.draw import Draw
from matchbound.engines import connect
from matchbound.tallies.closed import check_closed
from matchbound.tallies.label_rules import check_entities
from support.audits import certify, make_audit, make_inputs, run, run_seeded, write_csv

ROOT = Path(__file__).parents[2]
ALL = ("pairwise-precision", "pairwise-recall", "pairwise-f1", "b3-precision", "b3-recall")


def metrics(*names):
    return [word for name in names for word in ("--metric", name)]


def make_records(folder, big=100):
    """1,000 records in true pairs, as the matcher has them; but `big` are one wrong cluster."""
    ids = [f"r{i:04d}" for i in range(1000)]
    write_csv(folder / "people.csv", ["id"], [[x] for x in ids])
    clusters = [(x, f"c{i // 2}" if i < 1000 - big else "big") for i, x in enumerate(ids)]
    write_csv(folder / "clusters.csv", ["id", "cluster"], clusters)


def truth(x, big=100):
    i = int(x[1:])
    return f"r{i ^ 1:04d}" if i < 1000 - big else ""


def audit_of_records(folder, *options, labels=200, seed="s"):
    """A draw of them with its labels."""
    make_records(folder)
    audit, holdout = folder / "audit", folder / "clusters.csv"
    words = ["draw", folder / "people.csv", "--dedupe", "--labels", labels, "--holdout", holdout]
    assert run_seeded(seed, *words, *options, "--out", audit) == 0
    drawn = [x for x, _, _ in Draw.load(audit).sample]
    write_csv(audit / "labels.csv", ["x", "y"], [[x, truth(x)] for x in drawn])
    return audit


def certified(audit, *options):
    assert run("certify", audit, "--holdout", audit.parent / "clusters.csv", *options) == 0
    return mb.Certificate.load(audit / "certificate.json")


def test_one_wrong_cluster_is_told_by_pairs(tmp_path, capsys):
    """Precision of an average record is 0.9 and hardly shows it; of the pairs 450 of 5,400 are
    right."""
    audit = audit_of_records(tmp_path, *metrics("precision", "pairwise-precision"))
    certificate = certified(audit)
    words = str(certificate)
    assert 0.8 < certificate.value("precision") <= 0.9
    assert 0.01 < certificate.value("pairwise-precision") <= 450 / 5400
    shown = (ROOT / "docs" / "metrics.md").read_text("utf-8")
    assert re.search(r"  precision          of the holdout.*?(?=```)", shown, re.S)[0] in words
    assert "of the pairs that it links, the share that is right" in words
    assert "for an average record with a match, the share of its matches that is right" in words
    assert "Means over records" not in words
    shown = re.search(r"precision is (0\.\d{4}) for an average record, and (0\.\d{4}) over", words)
    assert float(shown[1]) > 0.85
    assert float(shown[2]) < 0.2
    assert run("verify", audit) == 0
    assert run("report", audit) == 0
    assert shown[0] in (audit / "report.html").read_text("utf-8")


def test_both_sample_means_are_shown_beside_precision_alone(tmp_path):
    words = str(certified(audit_of_records(tmp_path, *metrics("precision", "recall"))))
    assert "Means over records, not over pairs." in words
    assert "over pairs: records with many matches differ" in words


def test_they_are_not_shown_where_they_are_alike(tmp_path, capsys):
    audit = make_audit(tmp_path, *metrics("precision", "pairwise-precision"))
    assert certify(audit) == 0
    assert "In the sample" not in capsys.readouterr().out


def test_the_sample_proves_a_limit(tmp_path, capsys):
    audit = audit_of_records(tmp_path, *metrics(*ALL))
    foretold = re.search(r"will prove that no node has more than (\d+)", capsys.readouterr().out)
    certificate = certified(audit)
    assert certificate.choices.limit_by_sample
    words = str(certificate)
    limit = int(re.search(r"no node to have more than (\d+) true matches", words)[1])
    assert limit == int(foretold[1])
    # 200 of 1,000 nodes miss an entity of limit + 2 with probability at most 0.01, and one of one
    # less with more.
    missed = [miss(1000, 200, e) for e in (limit + 2, limit + 1)]
    assert missed[0] <= 0.01 < missed[1]
    assert "True matches form entities" in words
    assert 0 < certificate.value("pairwise-recall") < 1
    assert run("verify", audit) == 0


def miss(size, drawn, entity):
    """The probability that a uniform draw misses every member of an entity."""
    chance = 1.0
    for i in range(drawn):
        chance *= (size - entity - i) / (size - i)
    return chance


def test_a_label_beyond_it_leaves_no_bound(tmp_path, capsys):
    audit = audit_of_records(tmp_path, *metrics("precision", "pairwise-recall"))
    drawn = {x for x, _, _ in Draw.load(audit).sample}
    entity = [f"r{i:04d}" for i in range(900, 940)]  # one entity of forty in the wrong cluster
    rows = [[x, truth(x)] for x in drawn if x not in entity]
    rows += [[x, y] for x in entity if x in drawn for y in entity if y != x]
    write_csv(audit / "labels.csv", ["x", "y"], rows)
    certificate = certified(audit)
    assert certificate.value("pairwise-recall") == 0
    assert certificate.value("precision") > 0.7
    assert "a labelled node has 39 true matches" in str(certificate)
    assert run("verify", audit) == 0


def test_a_promise_is_said_and_a_label_breaks_it(tmp_path, capsys):
    options = ("--most-true-matches", 1, *metrics("pairwise-recall"))
    audit = audit_of_records(tmp_path, *options)
    assert "promised that the number of a node's true matches is at most 1" in str(certified(audit))
    labels = (audit / "labels.csv").read_text("utf-8").splitlines()
    drawn = {x for x, _, _ in Draw.load(audit).sample}
    other = next(x for x in (f"r{i:04d}" for i in range(900, 1000)) if x not in drawn)
    row = next(row for row in labels[1:] if not row.endswith(",") and row[-5:] not in drawn)
    extra = f"{row.split(',')[0]},{other}"
    (audit / "labels.csv").write_text("\n".join([*labels, extra]) + "\n", "utf-8")
    assert run("certify", audit, "--holdout", tmp_path / "clusters.csv", "--force") == 2
    assert "most_true_matches must allow what labels show, got at most 1 and a node with 2" in (
        capsys.readouterr().err
    )


def test_records_within_a_limit_are_a_subject_of_their_own(tmp_path, capsys):
    options = ("--among-records-with-at-most", 1, *metrics("pairwise-recall", "pairwise-f1"))
    audit = audit_of_records(tmp_path, *options)
    certificate = certified(audit)
    words = str(certificate)
    assert "about nodes whose number of true matches is at most 1" in words
    assert "Of 200 labelled nodes 0 have more." in words
    subject = "pairwise-recall of the holdout matcher, among nodes with at most 1 true matches"
    assert f"  {subject}, ≥ 0." in words
    assert run("report", audit) == 0
    assert subject in (audit / "report.html").read_text("utf-8")
    holdout = tmp_path / "clusters.csv"
    capsys.readouterr()
    required = ("--require", "pairwise-recall=0.1", "--force")
    assert run("certify", audit, "--holdout", holdout, *required) == 1
    assert (
        "not certified (it is about nodes with few true matches alone)" in capsys.readouterr().err
    )
    assert run("verify", audit, "--require", "pairwise-recall=0.1") == 1
    assert run("certify", audit, "--holdout", holdout, "--complete", holdout, "--force") == 2
    assert "complete must be left out for pairwise-recall" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (metrics("pairwise-recall"), "most_true_matches must be given for pairwise-recall"),
        (metrics("b3-precision"), "metric must not be b3-precision where one table is matched"),
        (
            [*metrics("pairwise-precision"), "--gap", 50],
            "metric must have the theorem sampled for these choices, got pairwise-precision",
        ),
        (
            [*metrics("pairwise-precision"), "--future"],
            "metric must have the theorem sampled for these choices, got pairwise-precision",
        ),
        (
            [*metrics("pairwise-precision", "recall"), "--until", "recall=20"],
            "pairwise-precision must come with a draw of a fixed number of nodes",
        ),
        (
            [*metrics("pairwise-f1"), "--most-true-matches", 0],
            "most_true_matches must be a whole number from 1 on, got 0",
        ),
    ],
)
def test_what_is_refused_at_a_draw_of_two_tables(options, message, tmp_path, capsys):
    make_inputs(tmp_path)
    people, audit = tmp_path / "people.csv", tmp_path / "audit"
    assert run("draw", people, "--link", "--labels", 60, "--out", audit, *options) == 2
    assert message in capsys.readouterr().err
    assert not audit.exists()


def test_labels_without_a_draw_are_refused(tmp_path, capsys):
    truth = make_inputs(tmp_path)
    labels = write_csv(tmp_path / "labels.csv", ["x", "y"], list(truth.items())[:50])
    words = ["certify", "--population", tmp_path / "people.csv", "--labels", labels]
    words += ["--assume-uniform", "--holdout", tmp_path / "holdout.csv", "--out", tmp_path / "c"]
    assert run(*words, *metrics("pairwise-precision")) == 2
    assert "pairwise-precision must come with a draw" in capsys.readouterr().err


def test_both_matchers_together(tmp_path):
    """In linkage, with a promise; the complete matcher's truth is above every bound."""
    names = ("precision", "recall", *ALL[:3])
    audit = make_audit(tmp_path, *metrics(*names), "--one-to-one", labels=200)
    assert certify(audit) == 0
    certificate = mb.Certificate.load(audit / "certificate.json")
    true = make_inputs(tmp_path)
    found = [row.split(",") for row in (tmp_path / "complete.csv").read_text().split()[1:]]
    right = sum(true.get(x) == y for x, y in found)
    exact = {
        "pairwise-precision": right / len(found),
        "pairwise-recall": right / len(true),
        "pairwise-f1": 2 * right / (len(found) + len(true)),
    }
    for metric, value in exact.items():
        assert 0.5 < certificate.value(metric) <= value
    assert run("verify", audit) == 0


def closed(pairs):
    """Whether pairs are all pairs of clusters, by Python sets."""
    linked = {x: {y for a, y in pairs if a == x} for x, _ in pairs}
    return all(linked[x] - {y} == linked[y] - {x} for x, y in pairs)


def test_pairs_are_closed_or_not():
    rng = random.Random(1)
    both_kinds = set()
    with connect() as con:
        for _ in range(200):
            groups = [rng.randrange(4) for _ in range(8)]
            edges = [
                (a, b)
                for a, b in itertools.combinations(range(8), 2)
                if groups[a] == groups[b] and rng.random() < 0.95
            ]
            pairs = [pair for a, b in edges for pair in ((f"{a}", f"{b}"), (f"{b}", f"{a}"))]
            rows = ", ".join(f"('{a}', '{b}')" for a, b in pairs)
            if not pairs:
                continue
            con.keep("holdout", f"select * from (values {rows}) t(x, y)")
            both_kinds.add(closed(pairs))
            if closed(pairs):
                check_closed(con, "holdout")
            else:
                with pytest.raises(mb.InputError, match="holdout must hold whole clusters"):
                    check_closed(con, "holdout")
    assert both_kinds == {True, False}


def star(folder, *options):
    """500 of 1,000 records have one true match, the same record, which was not drawn."""
    audit = audit_of_records(folder, *metrics("pairwise-recall"), *options)
    drawn = [x for x, _, _ in Draw.load(audit).sample]
    hub = next(f"r{i:04d}" for i in range(1000) if f"r{i:04d}" not in drawn)
    rows = [[x, hub if int(x[1:]) % 2 else ""] for x in drawn]
    write_csv(audit / "labels.csv", ["x", "y"], rows)
    return audit


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ((), "labels must form entities for these metrics"),
        (("--most-true-matches", 15), "most_true_matches must allow what labels show"),
        (("--one-to-one",), "one_to_one must allow what labels show"),
    ],
)
def test_other_nodes_labels_break_a_limit_too(options, message, tmp_path, capsys):
    audit = star(tmp_path, *options)
    assert run("certify", audit, "--holdout", tmp_path / "clusters.csv") == 2
    assert message in capsys.readouterr().err


def entities(sets):
    """Whether sets that share a member are the same."""
    return all(a == b or not a & b for a, b in itertools.combinations(sets, 2))


def test_labels_form_entities_or_not():
    rng = random.Random(1)
    both_kinds = set()
    with connect() as con:
        for _ in range(300):
            group = [rng.randrange(4) for _ in range(9)]
            drawn = rng.sample(range(9), 4)
            sets = {
                x: {y for y in range(9) if group[y] == group[x] and (y == x or rng.random() < 0.9)}
                for x in drawn
            }
            rows = [(x, y) for x in drawn for y in sets[x] - {x}]
            if not rows:
                continue
            values = ", ".join(f"('{x}', '{y}')" for x, y in rows)
            con.keep("labels", f"select * from (values {values}) t(x, y)")
            right = entities([sets[x] for x in drawn if len(sets[x]) > 1])
            both_kinds.add(right)
            if right:
                check_entities(con)
            else:
                with pytest.raises(mb.InputError, match="labels must form entities"):
                    check_entities(con)
    assert both_kinds == {True, False}


def test_another_limit_takes_the_place_of_the_draw_s(tmp_path, capsys):
    audit = audit_of_records(tmp_path, *metrics("pairwise-recall"))
    holdout = ("--holdout", tmp_path / "clusters.csv", "--out", tmp_path / "c.json")
    assert run("certify", audit, *holdout, "--most-true-matches", 4) == 0
    assert "Exploratory: no guarantee." in capsys.readouterr().out


def test_a_sample_of_two_tables_proves_no_limit(tmp_path):
    make_inputs(tmp_path)
    with pytest.raises(mb.InputError, match="limit_by_sample must come with dedupe"):
        mb.draw(
            tmp_path / "people.csv",
            labels=50,
            link=True,
            metrics=["pairwise-recall"],
            limit_by_sample=True,
        )


def test_b_cubed_of_pairs_that_are_no_clusters_is_refused(tmp_path, capsys):
    audit = audit_of_records(tmp_path, *metrics("b3-precision"))
    chain = [(f"r{i:04d}", f"r{i + 1:04d}") for i in range(2)]
    pairs = write_csv(tmp_path / "pairs.csv", ["x", "y"], chain)
    assert run("certify", audit, "--holdout", pairs, "--pairs") == 2
    assert "holdout must hold whole clusters for B-cubed" in capsys.readouterr().err
    whole = write_csv(tmp_path / "pairs.csv", ["x", "y"], [*chain, ("r0000", "r0002")])
    assert run("certify", audit, "--holdout", whole, "--pairs") == 0
    again = ("--holdout", whole, "--complete", tmp_path / "chain.csv", "--force")
    write_csv(tmp_path / "chain.csv", ["x", "y"], chain)
    assert run("certify", audit, *again) == 2
    assert "complete must hold whole clusters for B-cubed" in capsys.readouterr().err
    words = ["draw", tmp_path / "people.csv", "--dedupe", "--labels", 9, *metrics("b3-recall")]
    assert run(*words, "--holdout", tmp_path / "chain.csv", "--out", tmp_path / "b") == 2
    assert "holdout must hold whole clusters for B-cubed" in capsys.readouterr().err
