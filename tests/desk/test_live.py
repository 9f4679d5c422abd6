"""Bounds while labelling: certify's own, and valid wherever one stops."""

import json
import math
import random
from dataclasses import replace

import pyarrow as pa
import pytest

import matchbound as mb
from matchbound.audits.audit import Audit
from matchbound.audits.draw import Draw, join_orders
from matchbound.audits.order import hash_of, key_of
from matchbound.desk.desk import Desk
from matchbound.desk.inputs import Inputs, open_inputs
from matchbound.desk.live import Bounds, Live
from matchbound.desk.proposals import Proposals
from matchbound.errors import AssumptionError
from matchbound.theorems.guarantees import guarantees
from matchbound.theorems.parts import WHOLE
from matchbound.theorems.tally import Label
from support.audits import run, write_csv

DELTA = 0.1
TIMES = 1000
LOOKS = 6  # a look after so many labels; the bounds never fall, so none is missed for long


def population(folder, nodes=300, seed=5, several=True):
    """A matcher that misses some and is wrong at some; some nodes have no match, or several."""
    rng = random.Random(seed)
    truth, found = {}, []
    for i in range(nodes):
        x = f"a{i}"
        truth[x] = [f"b{i}"] * (i % 6 > 0) + [f"c{i}"] * (several and i % 10 == 0)
        if rng.random() < 0.85:
            found.append((x, f"b{i}" if rng.random() < 0.8 else f"b{(i + 1) % nodes}"))
    folder.mkdir(exist_ok=True)
    write_csv(folder / "people.csv", ["id"], [[x] for x in truth])
    others = [[y] for i in range(nodes) for y in (f"b{i}", f"c{i}")]
    write_csv(folder / "right.csv", ["id"], others)
    write_csv(folder / "holdout.csv", ["x", "y"], found)
    return truth, found


def draw(folder, name, *options, labels=120, train=10):
    arguments = ["draw", folder / "people.csv", "--labels", labels, "--train", train, "--link"]
    assert run(*arguments, "--anytime", "--out", folder / name, *options) == 0
    return folder / name


def live_of(audit, threshold=None, **targets):
    folder = audit.parent
    given = {"holdout": folder / "holdout.csv", "threshold": threshold, "targets": targets}
    inputs = Inputs(folder / "people.csv", folder / "right.csv", **given)
    return open_inputs(Audit.open(audit), inputs).live


@pytest.mark.parametrize("threshold", [None, 0.5])
def test_the_live_bounds_are_certify_s_after_every_label(tmp_path, capsys, threshold):
    truth, found = population(tmp_path / "data")
    scores = [] if threshold is None else ["--threshold", threshold]
    if threshold is not None:
        rows = [(x, y, 0.9 if i % 4 else 0.1) for i, (x, y) in enumerate(found)]
        write_csv(tmp_path / "data" / "holdout.csv", ["x", "y", "score"], rows)
    audit = draw(tmp_path / "data", "audit", "--seed", "s", labels=24, train=3)
    live, desk, compared = live_of(audit, threshold), Desk(audit, Draw.load(audit)), 0
    while (place := desk.next("Ann")) is not None:
        desk.label("Ann", place, truth[desk.order[place - 1]])
        shown = live.at({v.node: v.matches for v in desk.book.settled()})
        capsys.readouterr()
        holdout = tmp_path / "data" / "holdout.csv"
        status = run("certify", audit, "--holdout", holdout, *scores, "--json", "--force")
        printed = capsys.readouterr()
        if isinstance(shown, str):
            assert status == 2
            assert shown in printed.err
            continue
        said = {g["metric"]: g["value"] for g in json.loads(printed.out)["guarantees"]}
        assert {bound.metric: bound.value for bound in shown.bounds} == said
        compared += 1
    assert compared > 15


@pytest.mark.parametrize("part", [None, range(55)], ids=["whole", "part"])
def test_live_tallies_of_one_table_are_certify_s(tmp_path, part):
    """What labels tell of other nodes' pairs included; in a part, of its nodes alone."""
    rng = random.Random(8)
    folder = tmp_path / "data"
    folder.mkdir()
    nodes = [f"a{i}" for i in range(90)]
    truth = {x: {y for y in nodes if y != x and int(y[1:]) % 30 == int(x[1:]) % 30} for x in nodes}
    pairs = [(x, y) for x in nodes for y in sorted(truth[x]) if x < y and rng.random() < 0.8]
    pairs += [(f"a{i}", f"a{i + 1}") for i in range(0, 90, 7)]
    write_csv(folder / "people.csv", ["id"], [[x] for x in nodes])
    write_csv(folder / "holdout.csv", ["x", "y"], pairs)
    within = None if part is None else folder / "part.csv"
    if within is not None:
        write_csv(within, ["id"], [[f"a{i}"] for i in part])
    how = {"labels": 40, "train": 10, "anytime": True, "seed": "s", "dedupe": True}
    drawn = mb.draw(folder / "people.csv", within=within, **how)
    drawn.save(folder / "audit")
    given = Inputs(folder / "people.csv", holdout=folder / "holdout.csv")
    live, known = open_inputs(Audit.open(folder / "audit"), given).live, 0
    order = list(dict.fromkeys([*drawn.trained, *drawn.validated]))
    for end in range(12, 51, 6):
        labels = {x: tuple(sorted(truth[x])) for x in order[:end]}
        rows = [(x, y) for x in labels for y in labels[x]]
        table = pa.table({"x": [x for x, _ in rows], "y": [y for _, y in rows]})
        found = mb.certify(drawn, labels=table, holdout=folder / "holdout.csv").tallies["all"]
        assert live.tally(labels) == found
        assert found.size == (90 if part is None else 55)
        assert live.at(labels).within == ("" if part is None else "part.csv")
        known += any(any(cell.known) for cell in found.gap)
    assert known > 4


def clusters(folder):
    """A table in true clusters of 1 to 4, of which the matcher has split some and joined some."""
    folder.mkdir()
    rng, entity, cluster = random.Random(8), {}, {}
    for i in range(60):
        for k in range(rng.choice([1, 2, 2, 3, 4])):
            entity[f"a{i}-{k}"] = i
            cluster[f"a{i}-{k}"] = f"{i // 2 * 2 if i % 9 == 0 else i}{'x' * (rng.random() < 0.1)}"
    write_csv(folder / "people.csv", ["id"], [[x] for x in entity])
    write_csv(folder / "holdout.csv", ["id", "cluster"], list(cluster.items()))
    return {x: {y for y in entity if y != x and entity[y] == entity[x]} for x in entity}


PAIRWISE = ("pairwise-precision", "pairwise-recall", "pairwise-f1")
LIMITED = [*(word for name in PAIRWISE for word in ("--metric", name)), "--most-true-matches", 3]
B_CUBED = ["--metric", "b3-precision", "--metric", "b3-recall"]


def live_of_one_table(audit):
    folder = audit.parent
    inputs = Inputs(folder / "people.csv", holdout=folder / "holdout.csv")
    return open_inputs(Audit.open(audit), inputs).live


@pytest.mark.parametrize("kind", ["two tables", "clusters"])
def test_live_bounds_of_pairs_and_clusters_are_certify_s(tmp_path, kind):
    folder = tmp_path / "data"
    if kind == "clusters":
        truth = clusters(folder)
        audit = folder / "audit"
        words = ["draw", folder / "people.csv", "--labels", 40, "--train", 4, "--anytime"]
        assert run(*words, "--dedupe", *LIMITED, *B_CUBED, "--seed", "s", "--out", audit) == 0
        live = live_of_one_table(audit)
    else:
        truth, _ = population(folder, nodes=120)
        audit = draw(folder, "audit", *LIMITED, "--seed", "s", labels=40, train=4)
        live = live_of(audit)
    drawn = Draw.load(audit)
    order = list(dict.fromkeys([*drawn.trained, *drawn.validated]))
    for end in (9, len(order)):
        labels = {x: tuple(sorted(truth[x])) for x in order[:end]}
        rows = [(x, y) for x in labels for y in labels[x] or ("",)]
        write_csv(audit / "labels.csv", ["x", "y"], rows)
        certificate = mb.certify(audit, holdout=folder / "holdout.csv")
        shown = {bound.metric: bound.value for bound in live.at(labels).bounds}
        assert shown == {g.metric: g.value for g in certificate.guarantees}
    assert all(value > 0 for value in shown.values())
    assert all(g.bound == "anytime" for g in certificate.guarantees)


def test_b_cubed_of_pairs_that_are_no_clusters_is_not_shown(tmp_path, capsys):
    """`certify` refuses it with the same words."""
    truth = clusters(tmp_path / "data")
    folder, audit = tmp_path / "data", tmp_path / "data" / "audit"
    words = ["draw", folder / "people.csv", "--labels", 5, "--anytime", "--dedupe"]
    assert run(*words, *B_CUBED, "--seed", "s", "--out", audit) == 0
    chain = [("a0-0", "a1-0"), ("a1-0", "a2-0")]
    write_csv(folder / "holdout.csv", ["x", "y"], chain)
    assert "holdout must hold whole clusters for B-cubed" in live_of_one_table(audit)
    rows = [(x, y) for x in Draw.load(audit).validated for y in sorted(truth[x]) or [""]]
    write_csv(audit / "labels.csv", ["x", "y"], rows)
    assert run("certify", audit, "--holdout", folder / "holdout.csv") == 2
    assert live_of_one_table(audit).partition(": ")[2] in capsys.readouterr().err
    write_csv(folder / "holdout.csv", ["x", "y"], [*chain, ("a0-0", "a2-0")])
    assert isinstance(live_of_one_table(audit), Live)


def true_values(truth, found):
    matched = {}
    for x, y in found:
        matched.setdefault(x, set()).add(y)
    precisions = [len(ys & set(truth[x])) / len(ys) for x, ys in matched.items()]
    recalls = [len(matched.get(x, set()) & set(ys)) / len(ys) for x, ys in truth.items() if ys]
    return {
        "precision": sum(precisions) / len(precisions),
        "recall": sum(recalls) / len(recalls),
    }


def drawn_again(live, seed, truth, found):
    """The same population and choices with another seed."""
    key = key_of("validation", seed)
    order = sorted(truth, key=lambda node: hash_of(key, node))[: live.draw.labels]
    proposed = Proposals({x: {y: None} for x, y in found if x in order})
    labels = tuple(Label.alone(len(proposed.of(x)), None, None) for x in order)
    return replace(
        live,
        draw=replace(live.draw, seed=seed, sample=join_orders([], order)),
        unlabelled=replace(live.unlabelled, validation=labels),
        holdout_matches=proposed,
    )


def values_where_one_stops(live, truth):
    """Label in draw order, look now and then, and stop as soon as a target is reached."""
    labels = {}
    for i, node in enumerate(live.draw.validated, start=1):
        labels[node] = tuple(truth[node])
        if i % LOOKS == 0:
            shown = live.at(labels)
            if not isinstance(shown, str) and any(bound.reached for bound in shown.bounds):
                break
    return {bound.metric: bound.value for bound in live.at(labels).bounds}


class ForOneLook(Live):
    """Bounds that hold for one look, watched as if they held at any time."""

    def at(self, labels):
        tally = self.tally(labels)
        try:
            found = guarantees(
                {WHOLE: tally}, replace(self.draw.choices, bound="auto"), complete=False
            )
        except AssumptionError as error:
            return str(error)
        return Bounds([self._bound(one) for one in found], len(tally.validation), "")


@pytest.mark.slow
@pytest.mark.parametrize("kind", [Live, ForOneLook])
def test_stopping_at_the_target_keeps_the_guarantee(tmp_path, kind):
    """Targets just above the truth: whoever stops at one has a broken certificate."""
    truth, found = population(tmp_path / "data", several=False)
    promises = ["--one-to-one", "--at-most-one-match", "--delta", DELTA, "--seed", "0"]
    audit = draw(tmp_path / "data", "audit", *promises, train=0)
    real = true_values(truth, found)
    live = live_of(audit, **{metric: value + 1e-6 for metric, value in real.items()})
    assert drawn_again(live, "0", truth, found) == live  # as matchbound draws

    def is_broken(seed):
        again = kind(**vars(drawn_again(live, str(seed), truth, found)))
        values = values_where_one_stops(again, truth)
        return any(values[metric] > real[metric] + 1e-9 for metric in real)

    broken = sum(map(is_broken, range(TIMES)))
    allowed = TIMES * DELTA + 3 * math.sqrt(TIMES * DELTA * (1 - DELTA))
    assert broken <= allowed if kind is Live else broken > allowed
