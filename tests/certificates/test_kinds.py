"""Bands, thresholds, samples of other kinds: from the command line to a verified certificate."""

import json
import shutil
from collections import Counter

import pyarrow as pa
import pytest

import matchbound as mb
from matchbound.theorems.tally import Cell, Label, Tally
from support.audits import NODES, contents, read_csv, run, write_csv
from support.scored_audits import audit_of, certify, label, make_scored


def load(audit):
    assert run("verify", audit) == 0
    return mb.Certificate.load(audit / "certificate.json")


def naive(audit, truth, tables, keeps, nodes=None):
    """A tally by Python sets, of the pairs whose score `keeps`, compared on `nodes`."""
    found = {name: {x: y for x, y, score in rows if keeps(score)} for name, rows in tables.items()}
    h, c = found["holdout"], found["complete"]

    def label_of(x):
        right, kept = (int(x in found and found[x] == truth.get(x)) for found in (h, c))
        return Label(int(x in h), int(x in truth), right, int(x in c), kept, both(x))

    def both(x):
        return int(x in h and h[x] == c.get(x))

    draw = mb.Draw.load(audit)
    train = sorted((t, x) for x, t, _ in draw.sample if t)
    validation = sorted((v, x) for x, _, v in draw.sample if v)
    overlap = {v - 1 for _, t, v in draw.sample if t and v}
    if nodes is None:
        drawn = {x for x, _, _ in draw.sample}
        nodes = [f"a{i}" for i in range(NODES) if f"a{i}" not in drawn]
    cells = Counter((int(x in h), int(x in c), both(x)) for x in nodes)
    return Tally(
        NODES,
        tuple(label_of(x) for _, x in train),
        tuple(label_of(x) for _, x in validation),
        tuple(sorted(overlap)),
        tuple(Cell(*cell, n) for cell, n in sorted(cells.items())),
    )


def test_bands(tmp_path, capsys):
    audit, truth, tables = audit_of(tmp_path, "--bands", "0.9,0.5", "--one-to-one")
    assert certify(audit) == 0
    shown = capsys.readouterr().out
    assert "precision  of the complete matcher, [0.5, 0.9), ≥ " in shown
    certificate = load(audit)
    assert [g.part for g in certificate.guarantees] == ["all", "all", "[0.5, 0.9)", "[0.9, ∞)"]
    assert certificate.tallies == {
        "all": naive(audit, truth, tables, lambda score: score >= 0.5),
        "[0.5, 0.9)": naive(audit, truth, tables, lambda score: 0.5 <= score < 0.9),
        "[0.9, ∞)": naive(audit, truth, tables, lambda score: score >= 0.9),
    }
    assert certificate.value("precision") == certificate.guarantees[0].value
    assert certificate.value("precision", "[0.9, ∞)") == certificate.guarantees[3].value
    assert certify(audit, "--threshold", 0.6, "--force") == 2
    assert "threshold must be left out where bands or candidates fix it" in capsys.readouterr().err


def test_bands_need_scores(tmp_path, capsys):
    audit, _, tables = audit_of(tmp_path, "--bands", "0.5")
    write_csv(tmp_path / "complete.csv", ["x", "y"], [row[:2] for row in tables["complete"]])
    assert certify(audit) == 2
    assert capsys.readouterr().err == (
        "matchbound: matchers must have scores where bands or candidates were chosen, got one "
        "without. Give pairs with a column 'score', or name it with --columns score=….\n"
    )


def test_several_algorithms(tmp_path, capsys):
    audit, truth, tables = audit_of(
        tmp_path, "--algorithm", "rules", "--algorithm", "net", "--bands", "0.4"
    )
    folder = audit.parent
    two = ["--holdout", f"rules={folder / 'holdout.csv'}", "--holdout"]
    assert run("certify", audit, *two, f"net={folder / 'complete.csv'}") == 0
    shown = capsys.readouterr().out
    assert "precision  of the holdout matcher, rules, ≥ " in shown
    assert "precision  of the holdout matcher, net [0.4, ∞), ≥ " in shown
    certificate = load(audit)
    assert list(certificate.tallies) == ["rules", "rules [0.4, ∞)", "net", "net [0.4, ∞)"]
    alone = {name: tables[name] for name in ("holdout", "complete")}
    for name, rows in (("rules", alone["holdout"]), ("net", alone["complete"])):
        both = {"holdout": rows, "complete": rows}
        assert certificate.tallies[name] == naive(audit, truth, both, lambda score: score >= 0.4)
    least = min(certificate.value("precision", name) for name in ("rules", "net"))
    assert certificate.value("precision") == least
    assert certify(audit, "--force", complete=False) == 2
    assert "holdout must be given for each of rules, net, got one table. " in (
        capsys.readouterr().err
    )


def test_a_matcher_by_name_needs_names_at_the_draw(tmp_path, capsys):
    audit, _, _ = audit_of(tmp_path)
    two = ["--holdout", f"a={tmp_path / 'holdout.csv'}", "--holdout", f"b={tmp_path / 'x.csv'}"]
    assert run("certify", audit, *two) == 2
    assert capsys.readouterr().err == (
        "matchbound: holdout must be one table, because no algorithms were named at the draw, got "
        "a, b. Give one, or draw with --algorithm.\n"
    )


def test_a_threshold_is_chosen(tmp_path, capsys):
    audit, truth, tables = audit_of(
        tmp_path,
        *("--choose-threshold", "precision=0.55", "--candidates", "0.95,0.8,0.6,0.3"),
        *("--allowance", 0.02, "--one-to-one"),
        labels=300,
    )
    assert certify(audit) == 0
    shown = capsys.readouterr().out
    certificate = load(audit)
    chosen = certificate.threshold.chosen
    assert chosen in (0.8, 0.6, 0.3)
    assert f"Threshold: {chosen:g}, the loosest of 0.95, 0.8, 0.6, 0.3 that was certified" in shown
    assert [g.part for g in certificate.guarantees] == [f"score ≥ {chosen:g}"] * 2
    expected = naive(audit, truth, tables, lambda score: score >= chosen)
    assert certificate.tallies[f"score ≥ {chosen:g}"] == expected
    assert certificate.meets("precision", 0.55)


def test_no_threshold_will_do(tmp_path, capsys):
    audit, _, _ = audit_of(tmp_path, "--choose-threshold", "precision=0.99")
    assert certify(audit, "--require", "precision=0.5") == 1
    shown = capsys.readouterr()
    assert "Threshold: none of 0.99, 0.95, 0.9, 0.8, 0.7, 0.6, 0.5 was certified to have" in (
        shown.out
    )
    assert "Required precision 0.5: not certified." in shown.err
    assert load(audit).guarantees == ()


def test_a_gap_on_a_sample(tmp_path, capsys):
    audit, truth, tables = audit_of(tmp_path, "--gap", 90, "--one-to-one", "--at-most-one-match")
    compared = [x for (x,) in read_csv(audit / "gap.csv")]
    assert len(set(compared)) == 90
    drawn = {x for x, _, _ in mb.Draw.load(audit).sample}
    for name, rows in tables.items():  # both ran on the samples alone
        kept = [row for row in rows if row[0] in drawn or row[0] in compared]
        write_csv(tmp_path / f"{name}.csv", ["x", "y", "score"], kept)
    assert certify(audit, "--gap-from", "sample", "--threshold", 0.3) == 0
    assert "developed with the nodes of the gap sample" in capsys.readouterr().out
    certificate = load(audit)
    assert certificate.tallies["all"] == naive(
        audit, truth, tables, lambda score: score >= 0.3, compared
    )
    assert not certificate.exploratory
    assert certify(audit, "--gap-from", "census", "--threshold", 0.3, "--force") == 0
    assert load(audit).exploratory == ("gap",)


def test_the_gap_sample_has_a_key_of_its_own(tmp_path):
    make_scored(tmp_path)
    drawn = mb.draw(tmp_path / "people.csv", labels=100, train=100, gap=100, seed="s")
    places = {
        "train": [x for _, x in sorted((t, x) for x, t, _ in drawn.sample if t)],
        "validation": [x for _, x in sorted((v, x) for x, _, v in drawn.sample if v)],
        "gap": list(drawn.gap),
    }
    for one, other in (("gap", "train"), ("gap", "validation")):
        common = set(places[one]) & set(places[other])
        assert 10 < len(common) < 40  # 25 expected of 400 nodes, were they independent
        assert places[one][:5] != places[other][:5]


def test_until_enough_have_a_match(tmp_path, capsys):
    audit, truth, _ = audit_of(
        tmp_path, "--until", "recall=30", "--one-to-one", labels=200, train=20
    )
    assert "until 30 of them count for recall" in capsys.readouterr().out
    draw = mb.Draw.load(audit)
    queue = sorted((v, x, t) for x, t, v in draw.sample if v)
    counts = [x in truth and t is None for _, x, t in queue]
    end = next(i for i in range(len(queue)) if sum(counts[: i + 1]) == 30) + 1
    read = {x for _, x, _ in queue[:end]} | {x for x, t, _ in draw.sample if t}
    rows = [[x, truth.get(x, "")] for x, _, _ in draw.sample if x in read]
    write_csv(audit / "labels.csv", ["x", "y"], rows)
    assert certify(audit, "--threshold", 0.3) == 0
    certificate = load(audit)
    assert len(certificate.tallies["all"].validation) == end
    assert [g.bound for g in certificate.guarantees] == ["likelihood", "hypergeometric"]
    write_csv(
        audit / "labels.csv", ["x", "y"], [row for row in rows if row[0] != queue[end - 1][1]]
    )
    assert certify(audit, "--threshold", 0.3, "--force") == 2
    assert "labels must go on until 30 nodes outside the training nodes" in capsys.readouterr().err


def test_until_enough_are_matched(tmp_path, capsys):
    holdout = ["--holdout", tmp_path / "holdout.csv", "--threshold", 0.8]
    audit, _, tables = audit_of(
        tmp_path, "--until", "precision=25", "--one-to-one", *holdout, labels=None
    )
    found = {x for x, _, score in tables["holdout"] if score >= 0.8}
    draw = mb.Draw.load(audit)
    order = sorted((v, x, t) for x, t, v in draw.sample if v)
    counts = [x in found and t is None for _, x, t in order]
    assert sum(counts) == 25
    assert counts[-1]
    same = mb.draw(tmp_path / "people.csv", labels=draw.labels, train=40, seed="s")
    assert same.sample == draw.sample  # the beginning of the same order
    assert certify(audit, "--threshold", 0.8) == 0
    certificate = load(audit)
    assert [g.bound for g in certificate.guarantees] == ["hypergeometric", "likelihood"]
    assert certificate.ledger.registered == 1
    assert certify(audit, "--threshold", 0.7, "--force") == 2
    assert "holdout must be the output that nodes were drawn by" in capsys.readouterr().err


def test_fewer_are_matched_than_wanted(tmp_path, capsys):
    make_scored(tmp_path)
    draw = ["draw", tmp_path / "people.csv", "--out", tmp_path / "audit", "--threshold", 0.9]
    until = ["--until", "precision=399", "--holdout", tmp_path / "holdout.csv"]
    assert run(*draw, *until) == 2
    assert "until must be at most the " in capsys.readouterr().err
    write_csv(tmp_path / "none.csv", ["x", "y", "score"], [])
    assert run(*draw, "--until", "precision=1", "--holdout", tmp_path / "none.csv") == 2
    assert "holdout must match some node, got 0 of 400" in capsys.readouterr().err


def test_bands_that_differ_in_the_last_digit_only(tmp_path):
    """Splink's probabilities crowd below 1."""
    people = pa.table({"id": [f"p{i}" for i in range(400)]})
    right = [i % 2 for i in range(400)]
    matches = pa.table(
        {
            "x": people["id"],
            "y": [f"q{i if r else i + 1}" for i, r in enumerate(right)],
            "score": [0.99999921 if r else 0.99999911 for r in right],
        }
    )
    bands = [0.9999991, 0.9999992, 0.9999993]
    draw = mb.draw(people, labels=300, seed="s", bands=bands, metrics=["precision"])
    nodes = [x for x, _, _ in draw.sample]
    labels = pa.table({"x": nodes, "y": [f"q{x[1:]}" for x in nodes]})
    certificate = mb.certify(draw, population=people, holdout=matches, labels=labels)
    assert certificate.value("precision", "[0.9999991, 0.9999992)") == 0
    assert certificate.value("precision", "[0.9999992, 0.9999993)") > 0.9
    assert certificate.value("precision", "[0.9999993, ∞)") == 0
    assert mb.verify(certificate).holds


def test_matchers_named_at_the_draw(tmp_path):
    truth, _ = make_scored(tmp_path)
    named = {"a": tmp_path / "holdout.csv", "b": tmp_path / "complete.csv"}
    drawn = mb.draw(tmp_path / "people.csv", labels=90, seed="s", holdout=named, threshold=0.4)
    assert drawn.choices.algorithms == ("a", "b")
    drawn.save(tmp_path / "audit")
    label(tmp_path / "audit", truth)
    certificate = mb.certify(tmp_path / "audit", holdout=named, threshold=0.4)
    assert certificate.ledger.registered == 3
    assert certificate.ledger.matchers == 1
    assert certificate.ledger.together == 0.95
    assert mb.verify(certificate).holds


def test_among_the_matched(tmp_path, capsys):
    among = ["--among", tmp_path / "holdout.csv", "--threshold", 0.9]
    audit, _, tables = audit_of(tmp_path, *among, "--one-to-one", labels=25)
    found = {x for x, _, score in tables["holdout"] if score >= 0.9}
    drawn = [x for x, _, v in mb.Draw.load(audit).sample if v]
    assert set(drawn) <= found
    assert certify(audit, "--threshold", 0.9) == 0
    certificate = load(audit)
    assert [g.metric for g in certificate.guarantees] == ["precision"]
    assert sum(h for h, *_ in certificate.tallies["all"].validation) == 25
    draw = ["draw", tmp_path / "people.csv", "--labels", 25, "--out", tmp_path / "b"]
    assert run(*draw, *among, "--metric", "recall") == 2
    assert "among must come with a kind of precision alone" in capsys.readouterr().err


def test_at_any_time(tmp_path, capsys):
    """A beginning of the order, then more, then a draw that has grown; each time verified."""
    audit, truth, _ = audit_of(tmp_path, "--anytime", labels=60, train=0)
    label(audit, truth, 25)
    assert certify(audit, "--threshold", 0.3) == 0
    first = load(audit)
    assert len(first.tallies["all"].validation) == 25
    label(audit, truth)
    assert certify(audit, "--threshold", 0.3, "--force") == 0
    assert len(load(audit).tallies["all"].validation) == 60
    extend = ["draw", tmp_path / "people.csv", "--extend", "--out", audit, "--labels"]
    assert run(*extend, 120) == 0
    label(audit, truth, 100)
    assert certify(audit, "--threshold", 0.3, "--force") == 0
    last = load(audit)
    assert last.tallies["all"].validation[:25] == first.tallies["all"].validation
    assert last.ledger.certificates == 3
    assert last.ledger.together == 0.95
    assert last.value("precision") > first.value("precision")
    capsys.readouterr()
    assert run(*extend, 130, "--delta", 0.2) == 2
    assert capsys.readouterr().err == (
        "matchbound: delta must be left out with extend, got 0.2: everything but labels is as it "
        "was drawn. Drop it.\n"
    )
    assert run(*extend, 50) == 2
    assert capsys.readouterr().err == (
        "matchbound: labels must be more than the 120 that were drawn, got 50. "
        "Give a larger number.\n"
    )


def test_an_extension_that_was_interrupted_is_repeated(tmp_path, capsys):
    """The ledger was told, the files were not written, or one of them."""
    audit, truth, _ = audit_of(tmp_path, "--anytime", labels=60, train=0)
    before = {name: (audit / name).read_text() for name in ("draw.json", "sample.csv")}
    extend = ["draw", tmp_path / "people.csv", "--extend", "--out", audit, "--labels", 120]
    assert run(*extend) == 0
    drawn = contents(audit)
    for name in before:  # draw.json is written last
        (audit / name).write_text(before[name])
        assert certify(audit, "--threshold", 0.3) == 2
        assert "audit must hold the draw that is last in its ledger" in capsys.readouterr().err
    assert run(*extend) == 0
    assert contents(audit) == drawn
    label(audit, truth)
    assert certify(audit, "--threshold", 0.3) == 0
    load(audit)


def test_only_an_anytime_draw_is_read_early_or_grows(tmp_path, capsys):
    audit, truth, _ = audit_of(tmp_path, labels=60, train=0)
    label(audit, truth, 25)
    before = contents(audit)
    assert certify(audit, "--threshold", 0.3) == 2
    assert "labels must cover every sampled node; 35 of 60 have none" in capsys.readouterr().err
    assert certify(audit, "--threshold", 0.3, "--bound", "anytime") == 2
    extend = ["draw", tmp_path / "people.csv", "--extend", "--out", audit, "--labels", 120]
    assert run(*extend) == 2
    assert contents(audit) == before


def test_an_anytime_draw_read_as_a_fixed_one_is_exploratory(tmp_path):
    audit, _, _ = audit_of(tmp_path, "--anytime", labels=60, train=0)
    assert certify(audit, "--threshold", 0.3, "--bound", "auto") == 0
    assert load(audit).exploratory == ("bound",)


def test_nodes_to_come(tmp_path, capsys):
    audit, truth, tables = audit_of(tmp_path, "--future", "--one-to-one", "--at-most-one-match")
    assert certify(audit, "--future", "--threshold", 0.3) == 0
    shown = capsys.readouterr().out
    assert "all together, about nodes to come:" in shown
    assert "the nodes to come are independent draws from the same distribution" in shown
    certificate = load(audit)
    labelled = {x for x, _, _ in mb.Draw.load(audit).sample}
    rest = [f"a{i}" for i in range(NODES) if f"a{i}" not in labelled]
    assert certificate.tallies["all"] == naive(
        audit, truth, tables, lambda score: score >= 0.3, rest
    )
    assert {g.bound for g in certificate.guarantees} == {"binomial"}


def test_nodes_to_come_as_an_afterthought_are_exploratory(tmp_path):
    audit, _, _ = audit_of(tmp_path)
    assert certify(audit, "--future", "--threshold", 0.3) == 0
    assert load(audit).exploratory == ("future",)


def test_the_same_from_python(tmp_path):
    truth, _ = make_scored(tmp_path)
    drawn = mb.draw(
        tmp_path / "people.csv",
        labels=200,
        seed="s",
        choose_threshold={"precision": 0.7},
        candidates=[0.8, 0.5],
        one_to_one=True,
    )
    assert drawn.choices.allowance == 0.03
    drawn.save(tmp_path / "audit")
    label(tmp_path / "audit", truth)
    mb.register(tmp_path / "audit", holdout=tmp_path / "holdout.csv")
    certificate = mb.certify(tmp_path / "audit", holdout=tmp_path / "holdout.csv")
    assert certificate.ledger.registered is None  # labels were there before
    assert certificate.threshold.chosen in (0.8, 0.5, None)
    shutil.copy(tmp_path / "audit/labels.csv", tmp_path / "had.csv")
    brought = mb.certify(
        population=tmp_path / "people.csv",
        labels=tmp_path / "had.csv",
        holdout={"a": tmp_path / "holdout.csv", "b": tmp_path / "complete.csv"},
        assume_uniform=True,
        algorithms=["a", "b"],
        bands=[0.5, 0.9],
    )
    assert len(brought.guarantees) == 8
    assert mb.verify(brought).holds
    with pytest.raises(mb.InputError, match=r"^anytime, until, among, gap and the bounds"):
        mb.certify(
            population=tmp_path / "people.csv",
            labels=tmp_path / "had.csv",
            holdout=tmp_path / "holdout.csv",
            threshold=0.5,
            assume_uniform=True,
            bound="anytime",
        )


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--until", "precision=5"], "holdout must be given where the draw counts or takes its "),
        (["--until", "recall"], "until must be given as name=value, got 'recall'. "),
        (["--until", "recall=x"], "until must be one metric and a number of nodes, got recall=x. "),
        (
            ["--until", "recall=21"],
            "labels must be a whole number from 21 to the population's size",
        ),
        (
            ["--theorem", "paper", "--gap", 50],
            "at_most_one_match must be promised for the paper's theorem with a sampled gap, got ",
        ),
        (
            ["--theorem", "paper", "--gap", 50, "--bound", "star"],
            "bound must not be star for the paper's theorem with a sampled gap, got it: ",
        ),
        (["--future", "--dedupe"], "future must not come with dedupe, got both: "),
        (
            ["--algorithm", "all", "--algorithm", "b"],
            "algorithm must be a name other than all, without '[' or spaces around it, got 'all'. ",
        ),
        (["--bands", "0.5;0.9"], "bands must be scores with commas between them, got '0.5;0.9'. "),
        (["--gap", 9999], "gap must be a whole number from 0 to the population's size, 400; got "),
        (["--anytime", "--bound", "hoeffding"], "bound must be left out with anytime, got "),
        (["--choose-threshold", "recall=0.9"], "choose_threshold must be a precision, got "),
        (
            ["--among", "h.csv", "--holdout", "g.csv", "--metric", "precision"],
            "holdout must be left out with among, got 'g.csv': that is the matcher. ",
        ),
    ],
)
def test_draws_that_are_refused(tmp_path, capsys, options, message):
    make_scored(tmp_path)
    before = contents(tmp_path)
    draw = ["draw", tmp_path / "people.csv", "--labels", 20, "--out", tmp_path / "audit"]
    assert run(*draw, *options) == 2
    assert capsys.readouterr().err.startswith(f"matchbound: {message}")
    assert contents(tmp_path) == before


def test_what_a_draw_is_made_of_is_checked_again(tmp_path, capsys):
    """gap.csv is part of the draw."""
    audit, _, _ = audit_of(tmp_path, "--gap", 90)
    rows = read_csv(audit / "gap.csv")
    write_csv(audit / "gap.csv", ["id"], rows[:-1])
    assert certify(audit, "--threshold", 0.3) == 2
    assert "audit must hold draw.json and sample.csv as drawn, got them changed" in (
        capsys.readouterr().err
    )
    assert json.loads((audit / "draw.json").read_text())["choices"]["gap"] == 90
