"""A part of the population, through the commands and from Python: one year, a network's nodes."""

import json
import random
import shutil
from collections import Counter

import numpy as np
import pyarrow as pa
import pytest

import matchbound as mb
from matchbound.audits.draw import Draw
from matchbound.audits.ledger import read_ledger
from matchbound.certificates.remark import Remark
from support.audits import (
    certify,
    contents,
    make_inputs,
    read_csv,
    run,
    run_seeded,
    write_csv,
)
from support.damage import resealed as reseal
from support.networks import erdos_renyi, views
from support.oracles import tally_by_sets
from support.random_tables import metrics_by_sets

YEARS = range(2019, 2025)


def make_years(folder):
    """Records of six years with doubles in the same year and in the next; the matcher errs."""
    rng, entities, year = random.Random(6), [], {}
    for i in range(360):
        first = rng.choice(YEARS)
        some = [f"r{i}.{k}" for k in range(rng.choice([1, 2, 2, 3]))]
        year |= {x: min(first + k // 2 * 1, YEARS[-1]) for k, x in enumerate(some)}
        entities.append(some)
    pairs = [(x, y) for some in entities for i, x in enumerate(some) for y in some[i + 1 :]]
    found = [pair for pair in pairs if rng.random() < 0.9]
    found += [tuple(sorted(rng.sample(sorted(year), 2))) for _ in range(30)]
    truth = {x: {y for some in entities if x in some for y in some} - {x} for x in year}
    write_csv(folder / "people.csv", ["id", "year"], list(year.items()))
    write_csv(folder / "holdout.csv", ["x", "y"], sorted({*found} - {(x, x) for x in year}))
    of_2024 = [(x, y) for x, y in year.items() if y == YEARS[-1]]
    write_csv(folder / "of2024.csv", ["id", "year"], of_2024)
    return truth, [x for x, _ in of_2024]


def linked(folder, nodes):
    found = {x: set() for x in nodes}
    for x, y in read_csv(folder / "holdout.csv"):
        found[x].add(y)
        found[y].add(x)
    return found


def make_truth(folder):
    """The tables of two sides that everybody uses, and the true matches of each node as a set."""
    truth = make_inputs(folder)
    return {f"a{i}": {truth[f"a{i}"]} if f"a{i}" in truth else set() for i in range(400)}


def label(audit, truth, nodes=None):
    drawn = [x for x, _, _ in Draw.load(audit).sample] if nodes is None else nodes
    rows = [[x, y] for x in drawn for y in sorted(truth[x]) or [""]]
    write_csv(audit / "labels.csv", ["x", "y"], rows)


@pytest.fixture(scope="module")
def years(tmp_path_factory):
    """2024 drawn, labelled and certified; what `draw` said."""
    folder = tmp_path_factory.mktemp("years")
    truth, part = make_years(folder)
    audit, metrics = folder / "audit", ("precision", "recall", "pairwise-precision")
    words = ["--labels", 60, "--holdout", folder / "holdout.csv", "--dedupe", "--out", audit]
    words += [word for name in metrics for word in ("--metric", name)]
    drawn_from = folder / "people.csv", "--within", folder / "of2024.csv"
    assert run_seeded("s", "draw", *drawn_from, *words) == 0
    label(audit, truth)
    assert run("certify", audit, "--holdout", folder / "holdout.csv") == 0
    return folder, truth, part


@pytest.fixture
def copied(years, tmp_path):
    """A copy of it to break."""
    shutil.copytree(years[0], tmp_path / "copy")
    (tmp_path / "copy/audit/paths.jsonl").unlink()
    return tmp_path / "copy/audit"


def test_one_year_of_a_table_of_several(years, capsys):
    folder, truth, part = years
    audit, found = folder / "audit", linked(folder, truth)
    drawn, certificate = Draw.load(audit), mb.Certificate.load(audit / "certificate.json")
    assert {x for x, _, _ in drawn.sample} < set(part)
    assert (drawn.size, drawn.population.size) == (len(part), len(truth))
    assert certificate.tallies["all"].size == len(part)
    others = sum(len(found[x]) for x in set(truth) - set(part))
    assert certificate.inputs.outputs[0].left_out == others > 0
    assert any(found[x] - {*part} for x in part)  # matches of the year's records in other years
    for metric, true in metrics_by_sets(part, truth, found, True).items():
        if metric in certificate.choices.metrics:
            assert 0.5 < certificate.value(metric) <= true
    name = f"about the {len(part)} of {len(truth)} nodes in of2024.csv"
    words = str(certificate)
    assert words.startswith(f"With probability at least 95%, all together, {name}:")
    assert "precision          of the holdout matcher, within of2024.csv, ≥ 0." in words
    left_out = f"Left out are the matches of other nodes: {others} of holdout."
    assert f"Within: of2024.csv, {len(part)} of {len(truth)} nodes. {left_out}" in words
    assert f"out of {len(part)} in of2024.csv." in words
    assert Remark("within", (len(part), len(truth))) in certificate.assumptions
    assert run("verify", audit) == 0
    assert "its tallies, from its inputs; its draw, from the seed" in capsys.readouterr().out
    assert run("report", audit, "--force") == 0
    page = (audit / "report.html").read_text("utf-8")
    assert all(text in page for text in (name, left_out, "of the holdout matcher, within of2024"))


def test_the_part_is_on_record_before_the_seed(years):
    audit = years[0] / "audit"
    register, choices, drawn, *_ = read_ledger(audit).entries
    assert [one["kind"] for one in (register, choices, drawn)] == ["register", "choices", "draw"]
    within = json.loads((audit / "draw.json").read_text())["within"]
    assert choices["within"] == {"digest": within["digest"], "size": within["size"]}
    assert within["path"] == "of2024.csv"


def test_draw_says_what_is_left_out(years, tmp_path, capsys):
    folder, truth, part = years
    words = ["--holdout", folder / "holdout.csv", "--dedupe", "--dry-run", "--out", tmp_path / "a"]
    drawn_from = folder / "people.csv", "--within", folder / "of2024.csv", "--labels", 20
    assert run("draw", *drawn_from, *words) == 0
    shown, found = capsys.readouterr().out, linked(folder, truth)
    assert f"of2024.csv, {len(part)} of {len(truth)} nodes; all is about these." in shown
    others = sum(len(found[x]) for x in set(truth) - set(part))
    matched = sum(bool(found[x]) for x in part)
    assert f"matches {matched} nodes of the part; its {others} matches of other nodes" in shown


def test_every_verb_finds_the_part_again(copied, capsys):
    folder, audit = copied.parent, copied
    holdout = ["--holdout", folder / "holdout.csv"]
    patched = folder / "patched.csv"
    assert run("certify", audit, *holdout, "--estimate") == 0
    assert "a part of" in capsys.readouterr().out
    assert run("errors", audit, *holdout) == 0
    assert run("patch", audit, *holdout, "--out", patched) == 0
    assert len(read_csv(patched)) > 300  # the whole output, with the labels over it
    again = ["--complete", patched, "--out", folder / "patched.json"]
    assert run("certify", audit, *holdout, *again) == 0
    assert mb.verify(folder / "patched.json", inputs=folder).outcome == "verified"
    assert run("export", audit, "--redacted", "--out", folder / "export") == 0
    assert run("verify", folder / "export") == 3


@pytest.mark.parametrize("verb", ["certify", "errors", "patch"])
def test_a_part_that_was_changed_is_refused(copied, verb, capsys):
    folder, place = copied.parent, copied.parent / "of2024.csv"
    write_csv(place, ["id", "year"], read_csv(place)[1:])
    options = {"certify": ["--force"], "patch": ["--out", folder / "new.csv"]}.get(verb, [])
    before = contents(folder)
    assert run(verb, copied, "--holdout", folder / "holdout.csv", *options) == 2
    assert "within must be what was drawn from, got " in capsys.readouterr().err
    assert contents(folder) == before
    place.unlink()
    assert run(verb, copied, "--holdout", folder / "holdout.csv", *options) == 2
    assert (
        "within must be where it was drawn from, got 'of2024.csv' (no su" in capsys.readouterr().err
    )


def test_verify_names_a_part_that_was_changed_or_is_missing(copied, capsys):
    place = copied.parent / "of2024.csv"
    rows = read_csv(place)
    write_csv(place, ["year", "id"], [[year, x] for x, year in reversed(rows)])
    assert run("verify", copied) == 0  # the same nodes in another file
    write_csv(place, ["id", "year"], rows[1:])
    capsys.readouterr()
    assert run("verify", copied) == 1
    assert "inputs.within: " in capsys.readouterr().out
    place.unlink()
    assert run("verify", copied) == 3
    assert "inputs missing: within" in capsys.readouterr().out


def test_repeated_rows_do_not_make_the_population_or_the_part_larger(copied, capsys):
    """They do not change the digest of the rows."""
    for name, argument in (("people.csv", "population"), ("of2024.csv", "within")):
        place = copied.parent / name
        before = place.read_text()
        place.write_text(before + before.splitlines()[-1] + "\n")
        holdout = ["--holdout", copied.parent / "holdout.csv", "--force"]
        assert run("certify", copied, *holdout) == 2
        assert f"{argument} must be what was drawn from" in capsys.readouterr().err
        place.write_text(before)


def whole(record):
    """The certificate as if it were about all nodes."""
    del record["inputs"]["within"]
    record["assumptions"] = [one for one in record["assumptions"] if one["code"] != "within"]
    record["inputs"]["population"]["size"] = record["tallies"]["all"]["size"]


EDITS = {
    "size": (
        lambda record: record["inputs"]["within"].update(size=900),
        "inputs.within.size is 900, the tallies' ",
    ),
    "left out": (
        lambda record: record["inputs"]["holdout"].update(left_out=0),
        "inputs.holdout.left_out is not what the inputs give",
    ),
    "said": (
        lambda record: record["assumptions"][1].update(size=10_000),
        "assumptions[1].size is not what the inputs give",
    ),
    "brought": (
        lambda record: record["inputs"].pop("draw"),
        "inputs.within is of a draw, and there is none",
    ),
    "whole": (whole, "ledger.jsonl: entry 2 has another part of the population"),
    "limit": (
        lambda record: record["choices"].update(metrics=["pairwise-recall"], limit_by_sample=True),
        "choices are not proved for a part: most_true_matches must be given",
    ),
}


@pytest.mark.usefixtures("tampering")
@pytest.mark.parametrize("edit", EDITS)
def test_verify_contradicts_an_edited_certificate(copied, edit, capsys):
    change, said = EDITS[edit]
    place = copied / "certificate.json"
    record = json.loads(place.read_text())
    change(record)
    place.write_text(json.dumps(reseal(record)))
    assert run("verify", copied) == 1
    assert said in capsys.readouterr().out


# What is refused


@pytest.mark.parametrize(
    ("rows", "said"),
    [
        ([["id"], ["a1"], ["b1"]], "within must hold ids of the population, got 'b1', which is"),
        ([["id"], ["a1"], ["a1"]], "within must hold each id once, got 'a1' 2 times"),
        ([["id"], [" a1"]], "within must have ids without spaces around them, got ' a1'"),
        ([["id"]], "within must hold at least one id, got none"),
        ([["name"], ["a1"]], "within must have a column of ids with the name that the population"),
    ],
)
def test_a_part_must_be_nodes_of_the_population(tmp_path, rows, said, capsys):
    make_inputs(tmp_path)
    write_csv(tmp_path / "some.csv", *[rows[0], rows[1:]])
    drawn_from = tmp_path / "people.csv", "--within", tmp_path / "some.csv"
    assert run("draw", *drawn_from, "--labels", 1, "--out", tmp_path / "audit") == 2
    assert said in capsys.readouterr().err
    assert not (tmp_path / "audit").exists()


def test_sizes_are_the_part_s(tmp_path, capsys):
    make_inputs(tmp_path)
    write_csv(tmp_path / "some.csv", ["id"], [[f"a{i}"] for i in range(50)])
    drawn_from = tmp_path / "people.csv", "--within", tmp_path / "some.csv", "--labels"
    assert run("draw", *drawn_from, 51, "--out", tmp_path / "audit") == 2
    assert "labels must be a whole number from 1 to the part's size, 50" in capsys.readouterr().err
    assert run("draw", *drawn_from, 10, "--gap", 51, "--out", tmp_path / "audit") == 2
    assert "gap must be a whole number from 0 to the part's size, 50" in capsys.readouterr().err


@pytest.mark.slow
def test_pairwise_recall_needs_a_limit(years, tmp_path, capsys):
    folder, truth, _ = years
    drawn_from = folder / "people.csv", "--within", folder / "of2024.csv", "--dedupe"
    words = ["draw", *drawn_from, "--labels", 20, "--metric", "pairwise-recall"]
    assert run(*words, "--out", tmp_path / "a") == 2
    assert "got none: of an entity with many records one alone may be in" in capsys.readouterr().err
    audit = tmp_path / "a"
    assert run(*words, "--among-records-with-at-most", 1, "--out", audit) == 0
    label(audit, truth)
    assert run("certify", audit, "--holdout", folder / "holdout.csv") == 0
    assert run("verify", audit) == 0
    capsys.readouterr()
    words = ["--holdout", folder / "holdout.csv", "--metric", "pairwise-f1", "--force"]
    assert run("certify", folder / "audit", *words) == 2  # nor may it be certified later
    assert "most_true_matches must be given for pairwise-f1" in capsys.readouterr().err


# Several draws


def test_another_part_is_another_draw(tmp_path, capsys):
    make_inputs(tmp_path)
    for name, end in (("some", 200), ("others", 250)):
        write_csv(tmp_path / f"{name}.csv", ["id"], [[f"a{i}"] for i in range(end)])
    words = ["draw", tmp_path / "people.csv", "--out", tmp_path / "audit", "--force", "--labels", 9]
    for within, said in (
        (["--within", tmp_path / "some.csv"], "This draw costs δ = 0.05: its"),
        (["--within", tmp_path / "some.csv"], "Nothing has changed since that draw"),
        (["--within", tmp_path / "others.csv"], "hold with probability at least 90%"),
        ([], "hold with probability at least 85%"),
    ):
        assert run(*words, *within) == 0
        assert said in capsys.readouterr().out


def test_two_phases_draw_from_the_same_part(tmp_path, capsys):
    truth, audit = make_inputs(tmp_path), tmp_path / "audit"
    truth = {f"a{i}": {truth[f"a{i}"]} & {*truth.values()} if i % 5 else set() for i in range(400)}
    for name, start in (("some", 0), ("others", 200)):
        nodes = [[f"a{i}"] for i in range(start, start + 200)]
        write_csv(tmp_path / f"{name}.csv", ["id"], nodes)
    some, others = (["--within", tmp_path / f"{name}.csv"] for name in ("some", "others"))
    words = ["draw", tmp_path / "people.csv", "--out", audit]
    assert run(*words, "--train", 30, *some) == 0
    label(audit, truth)
    second = [*words, "--labels", 40, "--holdout", tmp_path / "holdout.csv"]
    assert run(*second, *others) == 2
    assert "within must be as it was when the training nodes were drawn" in capsys.readouterr().err
    assert run(*second) == 0  # the part is taken over
    drawn = Draw.load(audit)
    assert {int(x[1:]) for x, _, _ in drawn.sample} <= set(range(200))
    assert (len(drawn.trained), len(drawn.validated), drawn.within.size) == (30, 40, 200)
    label(audit, truth)
    assert certify(audit) == 0
    assert run("verify", audit) == 0
    whole = [*words[:-1], tmp_path / "b"]
    assert run(*whole, "--train", 30) == 0
    assert run(*whole, "--labels", 40, *some) == 2
    assert "Drop it, or draw the training nodes again." in capsys.readouterr().err


@pytest.mark.slow
def test_labels_that_were_there_count_within_the_part(tmp_path, capsys):
    truth = make_truth(tmp_path)
    write_csv(tmp_path / "some.csv", ["id"], [[f"a{i}"] for i in range(200)])
    had = [f"a{i}" for i in range(150, 260)]
    rows = [[x, y] for x in had for y in truth[x] or {""}]
    write_csv(tmp_path / "had.csv", ["x", "y"], rows)
    audit = tmp_path / "audit"
    words = ["draw", tmp_path / "people.csv", "--within", tmp_path / "some.csv", "--labels", 60]
    words += ["--holdout", tmp_path / "holdout.csv", "--out", audit, "--trained-on"]
    assert run(*words, tmp_path / "had.csv") == 0
    drawn = Draw.load(audit)
    assert sorted(drawn.trained) == sorted(had[:50])
    label(audit, truth)
    assert certify(audit) == 0
    assert run("verify", audit) == 0
    capsys.readouterr()
    write_csv(tmp_path / "far.csv", ["x", "y"], rows[60:])
    words[-2] = tmp_path / "b"
    assert run(*words, tmp_path / "far.csv") == 2
    assert "got none of those to draw from" in capsys.readouterr().err
    write_csv(tmp_path / "far.csv", ["x", "y"], [*rows, ["z1", ""]])
    assert run(*words, tmp_path / "far.csv") == 2
    assert "got 'z1', which is not one" in capsys.readouterr().err


@pytest.mark.slow
def test_an_anytime_draw_grows_within_its_part(tmp_path, capsys):
    truth = make_truth(tmp_path)
    write_csv(tmp_path / "some.csv", ["id"], [[f"a{i}"] for i in range(100)])
    audit, words = tmp_path / "audit", ["draw", tmp_path / "people.csv", "--out"]
    some = ["--within", tmp_path / "some.csv", "--anytime"]
    assert run(*words, audit, "--labels", 30, *some) == 0
    label(audit, truth)
    assert certify(audit) == 0
    assert run(*words, audit, "--labels", 60, "--extend", "--within", tmp_path / "some.csv") == 2
    assert "within must be left out with extend" in capsys.readouterr().err
    assert run(*words, audit, "--labels", 60, "--extend") == 0
    drawn = Draw.load(audit)
    assert {int(x[1:]) for x, _, _ in drawn.sample} <= set(range(100))
    assert run("verify", audit) == 0  # as of its entry
    label(audit, truth)
    assert certify(audit, "--force") == 0
    assert run("verify", audit) == 0


@pytest.mark.slow
def test_erased_nodes_are_drawn_again_from_the_part(copied, capsys):
    gone = Draw.load(copied).validated[0]
    assert run("forget", copied, "--id", gone) == 0
    holdout = ["--holdout", copied.parent / "holdout.csv"]
    again = ["--out", copied / "again.json"]
    assert run("certify", copied, *holdout, *again) == 0
    certificate = mb.Certificate.load(copied / "again.json")
    assert Remark("erased", (1,)) in certificate.assumptions
    assert certificate.inputs.within.name == "of2024.csv"
    place = copied.parent / "of2024.csv"
    write_csv(place, ["id", "year"], read_csv(place)[1:])
    assert run("certify", copied, *holdout, *again, "--force") == 2
    assert "within must be what was drawn from" in capsys.readouterr().err


# From Python, and the same as a population of its own


def tables(seed=3):
    """Two tables; the first 120 of 300 nodes are the part."""
    rng = random.Random(seed)
    nodes = [f"x{i}" for i in range(300)]
    truth = {x: f"y{x[1:]}" if rng.random() < 0.8 else None for x in nodes}
    rows = []
    for x in nodes:
        for y in {truth[x] if rng.random() < 0.85 else f"y{rng.randrange(300)}"} - {None}:
            rows.append((x, y, round(rng.random(), 3)))
    return nodes, nodes[:120], truth, rows


def as_table(rows):
    x, y, score = zip(*rows, strict=True)
    return pa.table({"x": x, "y": y, "score": score})


KINDS = {
    "plain": {"labels": 50, "train": 20},
    "one to one": {"labels": 50, "one_to_one": True, "metrics": ("precision", "recall")},
    "gap": {"labels": 50, "gap": 60, "at_most_one_match": True},
    "future": {"labels": 50, "future": True, "at_most_one_match": True, "one_to_one": True},
    "anytime": {"labels": 50, "anytime": True},
    "until precision": {"until": {"precision": 30}},
    "until recall": {"labels": 60, "until": {"recall": 20}, "one_to_one": True},
    "among": {"labels": 30, "among": True},
    "weigh": {"labels": 40, "weigh": "pairwise-precision"},
    "bands": {"labels": 50, "bands": (0.2, 0.6)},
    "choose": {"labels": 50, "choose_threshold": {"precision": 0.6}, "candidates": (0.5, 0.2)},
}


OFTEN = ("gap", "weigh")


@pytest.mark.parametrize(
    "kind",
    [kind if kind in OFTEN else pytest.param(kind, marks=pytest.mark.slow) for kind in KINDS],
)
def test_a_part_is_certified_as_a_population_of_its_own(kind):
    """In linkage, with the same seed: the same nodes, counts and guarantees."""
    nodes, part, truth, rows = tables()
    chosen, certified = KINDS[kind], []
    given = {} if {"bands", "choose_threshold"} & chosen.keys() else {"threshold": 0.1}
    for population, within in ((nodes, part), (part, None)):
        people, some = (None if x is None else pa.table({"id": x}) for x in (population, within))
        matches = as_table([row for row in rows if row[0] in population])
        by = {"holdout": matches, **given}
        draw = mb.draw(people, within=some, seed="s", link=True, **by, **chosen)
        drawn = [x for x, _, _ in draw.sample]
        labels = pa.table({"x": drawn, "y": [truth[x] for x in drawn]})
        tables_again = {"population": people, "within": some, "labels": labels}
        complete = as_table([row for i, row in enumerate(rows) if row[0] in population and i % 9])
        certified.append(mb.certify(draw, **by, **tables_again, complete=complete))
    first, second = certified
    assert first.tallies == second.tallies
    assert first.guarantees == second.guarantees
    assert (first.inputs.within.size, second.inputs.within) == (120, None)
    assert first.inputs.outputs[0].left_out > 100 > second.inputs.outputs[0].left_out == 0


def test_a_part_in_memory_is_given_again():
    nodes, part, truth, rows = tables()
    people, some = pa.table({"id": nodes}), pa.table({"id": part})
    draw = mb.draw(people, within=some, labels=40, seed="s", link=True)
    drawn = [x for x, _, _ in draw.sample]
    labels = pa.table({"x": drawn, "y": [truth[x] for x in drawn]})
    given = {"population": people, "labels": labels, "holdout": as_table(rows), "threshold": 0.1}
    for within, said in (
        (None, "within must be given again, because it was drawn from a table in memory"),
        (pa.table({"id": part[1:]}), "within must be what was drawn from, got 'a table'"),
    ):
        with pytest.raises(mb.InputError, match=said):
            mb.certify(draw, **given, within=within)
    shuffled = pa.table({"id": part[::-1], "more": part})
    assert mb.certify(draw, **given, within=shuffled).inputs.within.name == "a table"
    whole = mb.draw(people, labels=40, seed="s", link=True)
    with pytest.raises(mb.InputError, match="within must be left out where nodes were drawn from"):
        mb.certify(whole, **given, within=some)
    brought = given | {"assume_uniform": True, "link": True, "within": some}
    with pytest.raises(mb.InputError, match="within must be left out where labels are brought"):
        mb.certify(**brought)


def test_ids_are_read_as_the_population_s(tmp_path):
    """Its column, whole numbers, and sources."""
    numbers, rows = list(range(50)), pa.table({"x": [1, 2, 40], "y": [1, 2, 3]})
    people = pa.table({"key": numbers, "id": ["?"] * 50})
    for some in (pa.table({"key": numbers[:9]}), pa.table({"id": [str(i) for i in range(9)]})):
        given = {"id": "key", "link": True, "holdout": rows}
        draw = mb.draw(people, within=some, labels=5, seed="s", **given)
        assert {int(x) for x, _, _ in draw.sample} <= set(range(9))
    sources = pa.table({"unique_id": numbers, "source_dataset": ["a", "b"] * 25})
    part = sources.slice(0, 20)
    named = pa.table({"id": [f"{'ab'[i % 2]}-__-{i}" for i in range(20)]})
    drawn = [
        mb.draw(sources, within=within, labels=8, seed="s", dedupe=True).sample
        for within in (part, named)
    ]
    assert drawn[0] == drawn[1]
    people = pa.table({"id": numbers})
    given = {"labels": 4, "seed": "s", "source": "a"}
    draw = mb.draw(people, within=pa.table({"id": numbers[:7]}), **given)
    assert {x for x, _, _ in draw.sample} <= {f"a-__-{i}" for i in range(7)}


def test_entities_may_lie_wholly_in_a_part_that_is_drawn_whole():
    """All matches are drawn nodes then, and that is no sign of a search among these alone."""
    pairs = [(f"r{2 * i}", f"r{2 * i + 1}") for i in range(200)]
    people = pa.table({"id": [x for pair in pairs for x in pair]})
    some = pa.table({"id": [x for pair in pairs[:20] for x in pair]})
    draw = mb.draw(people, within=some, labels=40, seed="s", dedupe=True)
    rows = [pair for x, y in pairs[:20] for pair in ((x, y), (y, x))]
    labels, holdout = (
        pa.table(dict(zip("xy", zip(*some_pairs, strict=True), strict=True)))
        for some_pairs in (rows, pairs)
    )
    given = {"population": people, "within": some, "labels": labels, "holdout": holdout}
    certificate = mb.certify(draw, **given)
    assert certificate.value("precision") == certificate.value("recall") == 1
    assert certificate.inputs.outputs[0].left_out == 2 * 180


def test_clusters_stay_whole(years):
    """B-cubed of a part: clusters and entities go on outside it."""
    _, truth, part = years
    ids = sorted(truth)
    entity = {x: min({x, *truth[x]}) for x in ids}
    cluster = {x: entity[x] if i % 7 else f"own{x}" for i, x in enumerate(ids)}
    found = {x: {y for y in ids if cluster[y] == cluster[x]} - {x} for x in ids}
    people, some = pa.table({"id": ids}), pa.table({"id": part})
    holdout = pa.table({"id": ids, "cluster": list(cluster.values())})
    pairs = [(x, y) for x in ids for y in sorted(found[x]) if x < y]
    as_pairs = pa.table(dict(zip("xy", zip(*pairs, strict=True), strict=True)))
    metrics = ("b3-precision", "b3-recall", "precision")
    draw = mb.draw(people, within=some, labels=len(part), seed="s", dedupe=True, metrics=metrics)
    rows = [(x, y) for x in part for y in sorted(truth[x]) or [None]]
    labels = pa.table(dict(zip("xy", zip(*rows, strict=True), strict=True)))
    given = {"population": people, "within": some, "labels": labels}
    true = metrics_by_sets(part, truth, found, True)
    certified = [mb.certify(draw, **given, holdout=one) for one in (holdout, as_pairs)]
    for certificate in certified:
        for metric in metrics:
            assert certificate.value(metric) == pytest.approx(float(true[metric]), abs=2e-6)
    assert certified[0].tallies == certified[1].tallies


def components(pairs):
    """The least record of each record's component."""
    least = {x: x for pair in pairs for x in pair}
    for _ in least:
        for x, y in pairs:
            least[x] = least[y] = min(least[x], least[y])
    return least


@pytest.mark.parametrize("dedupe", [True, False], ids=["one table", "two tables"])
def test_clusters_of_pairs_go_on_outside_the_part(dedupe):
    """A path may leave the part and come back; ids of two tables may be the same."""
    rng, nodes = random.Random(2), [f"{i:03}" for i in range(150)]
    part, rows = nodes[::2], []
    for i in range(0, 150, 3):
        rows += [(nodes[i], nodes[i + 1], 0.9), (nodes[i + 1], nodes[i + 2], 0.9)]
        rows += [(nodes[i], nodes[(i + 5) % 150], 0.6)] if rng.random() < 0.3 else []
    people, some = pa.table({"id": nodes}), pa.table({"id": part})
    how = {"dedupe": True} if dedupe else {"link": True}
    chosen = {"choose_threshold": {"precision": 0.5}, "candidates": (0.8, 0.5)}
    given = {"within": some, "labels": 40, "seed": "s", **how, **chosen}
    draw = mb.draw(people, holdout=as_table(rows), clusters=True, **given)
    true = [(x, y) for x, y in zip(nodes[:-1:3], nodes[1::3], strict=True)]
    of = {x: {y for pair in true for y in pair if x in pair} - {x} for x in nodes}
    if not dedupe:
        of = {x: {y for a, y in true if a == x} for x in nodes}
    drawn = [(x, y) for x, _, _ in draw.sample for y in sorted(of[x]) or [None]]
    labels = pa.table(dict(zip("xy", zip(*drawn, strict=True), strict=True)))
    tables_again = {"population": people, "within": some, "labels": labels}
    certificate = mb.certify(draw, holdout=as_table(rows), clusters=True, **tables_again)
    for least in (0.8, 0.5):
        sides = "" if dedupe else "lr"
        pairs = [(x, y) if dedupe else (f"l{x}", f"r{y}") for x, y, s in rows if s >= least]
        names, found = components(pairs), {}
        for x in nodes:
            mine = names.get(f"{sides[:1]}{x}")
            ys = {y for y, name in names.items() if name == mine and y.startswith(sides[1:])}
            found[x] = {y.removeprefix("r") for y in ys} - ({x} if dedupe else set())
            found[x] = set() if mine is None else found[x]
        tally = certificate.tallies[f"score ≥ {least}"]
        expected = tally_by_sets(part, of, found, found, [], draw.validated, dedupe=dedupe)
        assert tally == expected
    others = sum(len(found[x]) for x in set(nodes) - set(part))
    assert certificate.inputs.outputs[0].left_out == others  # at the loosest threshold
    assert any(found[x] - {*part} for x in part)


def test_pairs_that_are_not_closed_are_told_in_a_part_too(years):
    folder = years[0]
    certificate = mb.Certificate.load(folder / "audit" / "certificate.json")
    (beside,) = certificate.beside
    pairs = [tuple(row) for row in read_csv(folder / "holdout.csv")]
    sizes = Counter(components(pairs).values())
    assert beside.more == sum(n * (n - 1) // 2 for n in sizes.values()) - len(pairs)


# A network without its seeds


def test_a_network_s_nodes_that_were_no_seeds(tmp_path, capsys):
    """Seeds are right by definition: with them a matcher looks better than it is elsewhere."""
    rng = np.random.default_rng(5)
    pair = views(rng, erdos_renyi(rng, 400, 12), 0.7)
    for name, edges in (("left", pair.left), ("right", pair.right)):
        write_csv(tmp_path / f"{name}.csv", ["src", "dst"], edges.tolist())
    truth = {str(x): {str(y)} for x, y in pair.truth.tolist()}
    nodes = sorted({str(x) for x in pair.left.ravel()})
    truth = {x: truth.get(x, set()) for x in nodes}
    seeds = [(str(x), str(y)) for x, y in pair.seeds(60, 1).tolist()]
    others = [x for x in nodes if x not in dict(seeds)]
    write_csv(tmp_path / "seeds.csv", ["x", "y"], seeds)
    write_csv(tmp_path / "nodes.csv", ["id"], [[x] for x in nodes])
    write_csv(tmp_path / "others.csv", ["id"], [[x] for x in others])
    matches, audit = tmp_path / "matches.csv", tmp_path / "audit"
    sides = tmp_path / "left.csv", tmp_path / "right.csv", "--seeds", tmp_path / "seeds.csv"
    assert run("reconcile", *sides, "--threshold", 2, "--out", matches) == 0
    drawn_from = tmp_path / "nodes.csv", "--within", tmp_path / "others.csv", "--link"
    holdout = ["--holdout", matches, "--threshold", 0]
    words = ["--labels", 120, "--one-to-one", *holdout, "--out", audit]
    assert run_seeded("s", "draw", *drawn_from, *words) == 0
    label(audit, truth)
    assert run("certify", audit, *holdout) == 0
    assert run("verify", audit) == 0
    certificate = mb.Certificate.load(audit / "certificate.json")
    found = {x: set() for x in nodes}
    for x, y, *_ in read_csv(matches):
        found[x].add(y)
    true, with_seeds = (metrics_by_sets(some, truth, found, False) for some in (others, nodes))
    for metric in ("precision", "recall"):
        assert 0.3 < certificate.value(metric) <= true[metric] < with_seeds[metric]
    assert certificate.inputs.outputs[0].left_out == len(seeds)
    assert f"Left out are the matches of other nodes: {len(seeds)} of holdout." in str(certificate)
