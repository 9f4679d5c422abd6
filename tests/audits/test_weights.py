"""Draws by weight: the order's distribution, and audits from the draw to the verification.

That both engines draw the same is in tests/engines.
"""

import itertools
import math
import random
import shutil
from collections import Counter
from dataclasses import replace

import pyarrow as pa
import pytest

import matchbound as mb
from matchbound.audits import weights
from matchbound.audits.ledger import read_ledger
from matchbound.audits.order import first, hash_of, key_of
from matchbound.certificates.history import History
from matchbound.certificates.place import ledger_differences
from matchbound.files import digest_of_text
from matchbound.theorems import METRICS
from matchbound.theorems.guarantees import guarantees
from support.audits import contents, read_csv, run, write_csv
from support.nasty import limit

PRECISION = ("--weigh", "pairwise-precision")
F1 = ("--weigh", "pairwise-f1", "--most-true-matches", 5)


def test_the_order_is_that_of_successive_sampling():
    """All 24 orders of 4 nodes, against the product of w over the weight that is left."""
    found, seeds = {"a": 1, "b": 2, "c": 3, "d": 7}, 4000
    seen, unweighed = Counter(), Counter()
    for seed in range(seeds):
        key = key_of("validation", str(seed))
        rows = [(node, h, hash_of(key, node)) for node, h in found.items()]
        seen[tuple(weights.ranked(rows, float))] += 1
        unweighed[tuple(weights.ranked(rows, lambda h: 1.0))] += 1
    assert worst_error(seen, found, seeds) < 4
    assert worst_error(unweighed, dict.fromkeys(found, 1), seeds) < 4
    assert worst_error(unweighed, found, seeds) > 15


def worst_error(seen, found, seeds):
    """The greatest distance of an order's frequency from the formula, in standard errors."""
    errors = []
    for order in itertools.permutations(found):
        chance, left = 1.0, sum(found.values())
        for node in order:
            chance *= found[node] / left
            left -= found[node]
        spread = math.sqrt(seeds * chance * (1 - chance))
        errors.append(abs(seen[order] - seeds * chance) / spread)
    return max(errors)


def test_keys_are_never_infinite_and_equal_weights_keep_the_uniform_order():
    places = [f"{k:016x}{'0' * 48}" for k in (0, 1, 2**63, 2**64 - 2, 2**64 - 1)]
    keys = [weights.key(place, 2.0) for place in places]
    assert keys == sorted(set(keys))
    assert 0 < keys[0] < keys[-1] < 23  # ln(2⁶⁵)/2
    assert float(keys[2]) == pytest.approx(math.log(2) / 2)
    rows = [(str(i), 4, place) for i, place in enumerate(places)]
    random.Random(1).shuffle(rows)
    assert list(weights.ranked(rows, float)) == list("01234")


def in_order(found, seed, weight):
    """Nodes by −ln(1 − u)/w in floating point; those without weight are left out."""
    key = key_of("validation", seed)

    def place(node):
        u = (int(hash_of(key, node)[:16], 16) + 0.5) / 2**64
        return -math.log1p(-u) / weight(found[node])

    return sorted((node for node in found if weight(found[node])), key=place)


def pairs_of(found):
    rows = [(x, f"y{x}.{i}") for x, h in found.items() for i in range(h)]
    return pa.table({"x": [x for x, _ in rows], "y": [y for _, y in rows]})


@pytest.mark.parametrize("labels", [7, 230])
def test_a_draw_is_the_beginning_of_the_order(labels):
    rng = random.Random(labels)
    found = {f"a{i}": rng.choice([0, 1, 1, 2, 9]) for i in range(400)}
    people, holdout = pa.table({"id": list(found)}), pairs_of(found)
    given = {"labels": labels, "seed": "s", "holdout": holdout}
    drawn = mb.draw(people, weigh="pairwise-precision", **given)
    assert drawn.validated == in_order(found, "s", float)[:labels]
    assert (drawn.choices.metrics, drawn.train) == (("pairwise-precision",), 0)
    assert drawn.holdout == drawn.registered[0]
    drawn = mb.draw(people, weigh="pairwise-f1", most_true_matches=3, **given)
    assert drawn.validated == in_order(found, "s", lambda h: h + 3)[:labels]
    assert drawn.choices.metrics == ("pairwise-f1",)
    metrics = ("precision", "recall")
    drawn = mb.draw(people, weigh="pairwise-f1", one_to_one=True, metrics=metrics, **given)
    assert drawn.validated == in_order(found, "s", lambda h: h + 1)[:labels]
    assert drawn.choices.metrics == metrics
    had = [*list(found)[:20], "a399"]
    trained_on = pa.table({"x": had, "y": pa.array([None] * len(had), pa.string())})
    drawn = mb.draw(people, weigh="pairwise-precision", trained_on=trained_on, **given)
    left = {node: h for node, h in found.items() if node not in had}
    assert drawn.validated == in_order(left, "s", float)[:labels]


@pytest.mark.parametrize("latest", [0.0, 1e-9, math.inf])
def test_where_too_few_keys_are_below_the_cut_all_are_sorted(monkeypatch, latest):
    monkeypatch.setattr(weights.Weights, "_latest", lambda *_: latest)
    found = {f"a{i}": 1 + i % 5 for i in range(200)}
    given = {"labels": 60, "seed": "s", "holdout": pairs_of(found), "weigh": "pairwise-precision"}
    drawn = mb.draw(pa.table({"id": list(found)}), **given)
    assert drawn.validated == in_order(found, "s", float)[:60]


def test_few_nodes_leave_the_engine():
    """As many as are drawn and a margin, whatever the weights are."""
    for nodes in ({1: 10**7}, {1: 10**7, 1000: 100}, {5: 300, 1: 10**6}):
        found = weights.Weights(nodes, float)
        for count in (1, 400, 100_000):
            latest = found._latest(count)
            for h, cut in found._cuts(latest).items():
                assert weights.key(cut, float(h)) > latest >= weights.key(below(cut), float(h))
            share = {h: int(cut, 16) / 2**64 for h, cut in found._cuts(latest).items()}
            taken = sum(n * share[h] for h, n in nodes.items())
            assert count + 5 * count**0.5 < taken < count + 7 * count**0.5 + 21
    assert set(weights.Weights({1: 5, 2: 5}, float)._cuts(math.inf).values()) == {"g"}
    assert weights.Weights({1: 5, 2: 5}, float)._latest(10) == math.inf


def below(cut):
    """A hash that is below a cut by more than the cut was raised."""
    return f"{int(int(cut, 16) * (1 - 1e-8)):016x}"


def test_a_large_cluster_is_not_expanded():
    size = 100_000
    people = pa.table({"id": [f"r{i}" for i in range(2 * size)]})
    ids = [f"r{i}" for i in range(size)] + [f"r{size + i // 2}" for i in range(0, 2 * size, 2)]
    clusters = ["one"] * size + [f"c{i // 2}" for i in range(size)]
    holdout = pa.table({"id": ids, "cluster": clusters})
    given = {"labels": 50, "seed": "s", "dedupe": True}
    drawn = mb.draw(people, holdout=holdout, weigh="pairwise-precision", **given)
    assert sum(int(x[1:]) < size for x in drawn.validated) == 50


def linkage(folder):
    """Records with 0 to 4 matches each in another table; a few are wrong, a few are missing."""
    rng, nodes = random.Random(5), [f"a{i}" for i in range(160)]
    truth = {x: [f"b{i}.{j}" for j in range(i % 5)] for i, x in enumerate(nodes)}
    found = [
        (x, y if rng.random() < 0.95 else f"{y}'")
        for x, ys in truth.items()
        for y in ys
        if rng.random() < 0.95
    ]
    write_csv(folder / "holdout.csv", ["x", "y"], found)
    return nodes, truth


def entities():
    """Records in entities of 1 to 6."""
    sizes = [1 + i % 6 for i in range(45)]
    groups = iter(itertools.chain(*([i] * size for i, size in enumerate(sizes))))
    of = {f"r{i}": group for i, group in enumerate(groups)}
    truth = {x: [y for y in of if y != x and of[y] == group] for x, group in of.items()}
    return of, truth


def deduplication(folder):
    rng, (of, truth) = random.Random(6), entities()
    true = [(x, y) for x, ys in truth.items() for y in ys if x < y]
    wrong = [tuple(sorted(rng.sample(list(of), 2))) for _ in range(6)]
    pairs = {*rng.sample(true, len(true) - 9), *wrong}
    write_csv(folder / "holdout.csv", ["x", "y"], sorted(pairs))
    return list(of), truth


def clusters(folder):
    """Two entities in one cluster, another one in two."""
    of, truth = entities()
    of = {x: 2 if group == 4 else group for x, group in of.items()}
    of |= dict.fromkeys([x for x, group in of.items() if group == 5][:3], 99)
    write_csv(folder / "holdout.csv", ["id", "cluster"], of.items())
    return list(of), truth


FORMS = {"linkage": linkage, "deduplication": deduplication, "clusters": clusters}


def make_inputs(folder, form):
    nodes, truth = FORMS[form](folder)
    write_csv(folder / "people.csv", ["id"], [[x] for x in nodes])
    return truth


def draw(folder, *options, holdout="holdout.csv", form="clusters"):
    side = "--link" if form == "linkage" else "--dedupe"
    given = [] if holdout is None else ["--holdout", folder / holdout]
    return run("draw", folder / "people.csv", *given, "--out", folder / "audit", side, *options)


def label(folder, truth, nodes=None):
    drawn = [x for x, _, _ in mb.Draw.load(folder / "audit").sample]
    rows = [(x, y) for x in nodes or drawn for y in truth[x] or [""]]
    write_csv(folder / "audit" / "labels.csv", ["x", "y"], rows)


def certify(folder, *options, holdout="holdout.csv"):
    return run("certify", folder / "audit", "--holdout", folder / holdout, *options)


QUICK = [("linkage", PRECISION, "train"), ("clusters", PRECISION, "alone")]
QUICK += [("deduplication", F1, "trained-on")]
OTHERS = [
    pytest.param(*one, marks=pytest.mark.slow)
    for one in itertools.product(FORMS, (PRECISION, F1), ("alone", "train", "trained-on"))
    if one not in QUICK
]


@pytest.mark.parametrize(("form", "weigh", "phase"), [*QUICK, *OTHERS])
def test_from_the_draw_to_the_verification(tmp_path, capsys, form, weigh, phase):
    truth, audit, options = make_inputs(tmp_path, form), tmp_path / "audit", list(weigh)
    if phase == "train":
        assert draw(tmp_path, "--train", 30, holdout=None, form=form) == 0
        label(tmp_path, truth, [x for (x,) in read_csv(audit / "train.csv")])
    if phase == "trained-on":
        had = list(truth)[:30]
        rows = [(x, y) for x in had for y in truth[x] or [""]]
        options += ["--trained-on", write_csv(tmp_path / "had.csv", ["x", "y"], rows)]
    assert draw(tmp_path, "--labels", 60, *options, form=form) == 0
    drawn = mb.Draw.load(audit)
    assert len(drawn.validated) == 60
    assert len(drawn.trained) == (0 if phase == "alone" else 30)
    assert not {*drawn.trained} & {*drawn.validated}
    label(tmp_path, truth)
    assert certify(tmp_path, "--require", f"{weigh[1]}=0.5") == 0
    certificate = mb.Certificate.load(audit / "certificate.json")
    assert certificate.choices.weigh == weigh[1] == certificate.guarantees[0].metric
    assert certificate.ledger.seeded is not None
    tally = certificate.tallies["all"]
    assert all(h for h, *_ in tally.validation) or weigh is F1
    assert weights_on_record(audit) == digest_of_text(histogram(tally, certificate.choices))
    capsys.readouterr()
    assert run("verify", audit) == 0
    assert "its draw, from the seed" in capsys.readouterr().out


def weights_on_record(audit):
    """The digest of weights in the entry before the last draw's."""
    *_, before, drawn = (e for e in read_ledger(audit).entries if e["kind"] in ("choices", "draw"))
    assert (before["kind"], drawn["choices"]) == ("choices", before["entry"])
    return before["weights"]


def histogram(tally, choices):
    """How many nodes outside D have each weight, as text."""
    limit = choices.most_true_matches or 0
    counts = Counter()
    for cell in tally.everywhere:
        counts[cell.h + limit] += cell.nodes
    counts.subtract(node.h + limit for node in tally.train)
    return "".join(f"{float(w)!r} {n}\n" for w, n in sorted(counts.items()) if w and n)


@pytest.fixture(scope="module")
def certified(tmp_path_factory):
    folder = tmp_path_factory.mktemp("certified")
    truth = make_inputs(folder, "deduplication")
    assert draw(folder, "--labels", 60, *F1) == 0
    label(folder, truth)
    assert certify(folder) == 0
    return folder


def test_verify_contradicts_a_uniform_order(tmp_path, capsys, monkeypatch):
    """From a program that draws uniformly and says that it drew by weight."""
    truth = make_inputs(tmp_path, "deduplication")

    def uniform(found, con, seed, count):
        return first(con, seed, "validation", count, len(truth))

    with monkeypatch.context() as patched:
        patched.setattr(weights.Weights, "first", uniform)
        assert draw(tmp_path, "--labels", 60, *F1) == 0
    label(tmp_path, truth)
    assert certify(tmp_path) == 0
    capsys.readouterr()
    assert run("verify", tmp_path / "audit") == 1
    assert "sample.csv is not what the seed draws" in capsys.readouterr().out


@pytest.mark.usefixtures("tampering")
def test_verify_contradicts_other_weights_on_record(tmp_path, capsys, monkeypatch):
    """Even where the holdout matcher's output is not at hand."""
    truth = make_inputs(tmp_path, "deduplication")
    with monkeypatch.context() as patched:
        patched.setattr(weights.Weights, "digest", "another")
        assert draw(tmp_path, "--labels", 60, *F1) == 0
    label(tmp_path, truth)
    assert certify(tmp_path) == 0
    (tmp_path / "holdout.csv").unlink()
    capsys.readouterr()
    assert run("verify", tmp_path / "audit") == 1
    assert "has other weights than the tallies give" in capsys.readouterr().out


def test_verify_contradicts_a_certificate_that_leaves_the_weights_out(certified):
    """Without any other file than the ledger."""
    audit = certified / "audit"
    certificate, ledger = mb.Certificate.load(audit / "certificate.json"), read_ledger(audit)
    history = History(audit, ledger, certificate.ledger.entries)
    said = "ledger.jsonl: entry 2 has other weights than the tallies give"
    for changes, problems in (
        ({}, []),
        ({"weigh": ""}, [said]),
        ({"most_true_matches": 9}, [said]),
    ):
        changed = replace(certificate, choices=replace(certificate.choices, **changes))
        found = list(ledger_differences(changed, changed.ledger, history, None))
        assert [problem for problem in found if "weights" in problem] == problems


def test_another_holdout_is_refused_and_contradicted(certified, capsys):
    rows = (certified / "holdout.csv").read_text()
    (certified / "other.csv").write_text(rows + "r1,r152\n")
    assert certify(certified, "--force", holdout="other.csv") == 2
    assert "holdout must be the output that nodes were drawn by" in capsys.readouterr().err
    try:
        shutil.copy(certified / "other.csv", certified / "holdout.csv")
        assert run("verify", certified / "audit") == 1
    finally:
        (certified / "holdout.csv").write_text(rows)
    assert "inputs.holdout" in capsys.readouterr().out


def test_weights_are_fixed_by_the_draw(certified):
    for name, value in (
        ("most_true_matches", 9),
        ("among_records_with_at_most", 5),
        ("one_to_one", True),
        ("weigh", "pairwise-precision"),
    ):
        with pytest.raises(mb.InputError, match=f"^{name} must be as it was drawn, got "):
            mb.certify(certified / "audit", holdout=certified / "holdout.csv", **{name: value})


def test_another_metric_may_be_certified_from_the_same_draw(certified):
    shown = mb.certify(certified / "audit", holdout=certified / "holdout.csv", metrics="recall")
    assert (shown.guarantees[0].metric, shown.exploratory) == ("recall", ("metrics",))


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ([*PRECISION, "--train", 20], "train must be left out with weigh, got 20"),
        ([*PRECISION, "--anytime"], "weigh must come with the sharp theorem, a census and a"),
        ([*PRECISION, "--gap", 20], "metric must have the theorem sampled for these choices"),
        ([*F1, "--metric", "recall", "--gap", 20], "weigh must come with the sharp theorem, a"),
        ([*PRECISION, "--until", "recall=5"], "must come with a draw of a fixed number of nodes"),
        ([*PRECISION, "--metric", "recall"], "must come with kinds of precision alone"),
        ([*PRECISION, "--bands", "0.5"], "weigh must come with one matcher without bands"),
        (["--weigh", "pairwise-f1"], "must be given to weigh by pairwise-f1, got none"),
        (["--weigh", "recall"], "weigh must be one of pairwise-precision, pairwise-f1; got"),
        (["--weigh", "size"], "weigh must be one of pairwise-precision, pairwise-f1; got"),
        ([*PRECISION, "--labels", 9999], "the number of nodes that can be drawn by weight"),
        ([*PRECISION, "--labels", 9999], "labels must be a whole number from 1 to "),
    ],
)
def test_what_is_refused(tmp_path, capsys, options, said):
    make_inputs(tmp_path, "clusters")
    before = contents(tmp_path)
    assert draw(tmp_path, "--labels", 20, *options) == 2
    assert said in capsys.readouterr().err
    assert contents(tmp_path) == before


def test_a_holdout_matcher_is_needed_and_not_among(tmp_path, capsys):
    make_inputs(tmp_path, "clusters")
    assert draw(tmp_path, "--labels", 20, *PRECISION, holdout=None) == 2
    assert "holdout must be given where the draw counts or takes its " in capsys.readouterr().err
    among = ["--among", tmp_path / "holdout.csv"]
    assert draw(tmp_path, "--labels", 20, *PRECISION, *among, holdout=None) == 2
    assert "weigh must come with the sharp theorem" in capsys.readouterr().err
    assert draw(tmp_path, "--train", 20, *PRECISION, holdout=None) == 2
    assert "train must be left out with weigh, got 20" in capsys.readouterr().err


def test_a_draw_by_weight_is_not_extended(certified, capsys):
    before = contents(certified)
    for options in ([], PRECISION):
        assert draw_again(certified, "--extend", "--labels", 70, *options) == 2
        said = "weigh must be left out" if options else "extend must continue an anytime draw"
        assert said in capsys.readouterr().err
    assert contents(certified) == before


def draw_again(folder, *options):
    return run("draw", folder / "people.csv", "--out", folder / "audit", *options)


def test_before_any_label_a_draw_may_grow(tmp_path, capsys):
    truth = make_inputs(tmp_path, "linkage")
    assert draw(tmp_path, "--labels", 30, *PRECISION, form="linkage") == 0
    before = mb.Draw.load(tmp_path / "audit")
    assert draw(tmp_path, "--labels", 60, *PRECISION, "--force", form="linkage") == 0
    drawn = mb.Draw.load(tmp_path / "audit")
    assert (drawn.seed, drawn.validated[:30]) == (before.seed, before.validated)
    label(tmp_path, truth)
    assert certify(tmp_path) == 0
    assert run("verify", tmp_path / "audit") == 0


def test_a_seed_that_was_given_meets_no_requirement(tmp_path, capsys):
    truth = make_inputs(tmp_path, "linkage")
    assert draw(tmp_path, "--labels", 60, *PRECISION, "--seed", "mine", form="linkage") == 0
    label(tmp_path, truth)
    assert certify(tmp_path, "--require", "pairwise-precision=0.1") == 1
    assert "The seed was given by the user" in capsys.readouterr().out


def test_a_dry_run_says_how_nodes_are_drawn(tmp_path, capsys):
    make_inputs(tmp_path, "linkage")
    assert draw(tmp_path, "--labels", 60, *PRECISION, "--dry-run", form="linkage") == 0
    shown = capsys.readouterr().out
    assert "60 nodes to validate on, by weight, for pairwise-precision" in shown
    assert "A node's weight is the number of its matches by the holdout matcher: from 1 to 4, " in (
        shown
    )
    assert draw(tmp_path, "--labels", 60, *F1, "--dry-run", form="linkage") == 0
    shown = capsys.readouterr().out
    assert "60 nodes to validate on, by weight, for pairwise-f1." in shown
    assert "matches by the holdout matcher, plus 5: from 5 to 9, for 160 nodes." in shown


def nasty():
    """Records with many matches, which are right, and with one, which is wrong in half of them."""
    found = {f"a{i}": 8 if i < 40 else 1 for i in range(240)}
    wrong = {x for i, x in enumerate(found) if i >= 40 and i % 2}
    truth = {x: [] if x in wrong else [f"y{x}.{i}" for i in range(h)] for x, h in found.items()}
    right = sum(map(len, truth.values())) / sum(found.values())
    return found, truth, right


@pytest.mark.slow
def test_failures_of_whole_audits():
    """Of 300 audits; the same labels read as those of a uniform draw fail nearly always."""
    found, truth, right = nasty()
    people, holdout, delta = pa.table({"id": list(found)}), pairs_of(found), 0.2
    had = list(found)[::24]
    known = [(x, y) for x in had for y in truth[x] or [None]]
    trained_on = table_of(known)
    failures = Counter()
    for seed in range(300):
        drawn = mb.draw(
            people,
            labels=60,
            seed=str(seed),
            holdout=holdout,
            weigh="pairwise-precision",
            trained_on=trained_on if seed % 2 else None,
            delta=delta,
        )
        nodes = [x for x, _, _ in drawn.sample]
        labels = table_of([(x, y) for x in nodes for y in truth[x] or [None]])
        certificate = mb.certify(drawn, population=people, holdout=holdout, labels=labels)
        (shown,) = certificate.guarantees
        unweighed = replace(certificate.choices, weigh="")
        (uniform,) = guarantees(certificate.tallies, unweighed, complete=False)
        failures["weighed"] += shown.value > right
        failures["uniform"] += uniform.value > right
        failures["useless"] += shown.value < right - 0.2
    assert failures["weighed"] / 300 <= limit(delta, 300)
    assert failures["useless"] < 30
    assert failures["uniform"] > 200


def table_of(rows):
    return pa.table({"x": [x for x, _ in rows], "y": pa.array([y for _, y in rows], pa.string())})


@pytest.mark.slow
@pytest.mark.parametrize("weigh", [PRECISION, F1])
def test_every_metric_from_one_draw(tmp_path, weigh):
    """All kinds of precision by the weights for precision, all metrics by those for F1."""
    truth = make_inputs(tmp_path, "clusters")
    rows = [(x, "7" if int(x[1:]) % 40 == 3 else c) for x, c in read_csv(tmp_path / "holdout.csv")]
    write_csv(tmp_path / "complete.csv", ["id", "cluster"], rows)
    metrics = [name for name in METRICS if weigh is F1 or name.endswith("precision")]
    chosen = itertools.chain(*(("--metric", name) for name in metrics))
    assert draw(tmp_path, "--labels", 60, *weigh, *chosen) == 0
    label(tmp_path, truth)
    for name, more in (("one", []), ("two", ["--complete", tmp_path / "complete.csv"])):
        out = tmp_path / "audit" / f"{name}.json"
        assert certify(tmp_path, "--out", out, *more) == 0
        certificate = mb.Certificate.load(out)
        assert [g.metric for g in certificate.guarantees] == metrics
        lower = [g for g in certificate.guarantees if g.side == "lower"]
        assert all(0 < g.value < 1 for g in lower)
        assert run("verify", out, "--inputs", tmp_path) == 0


@pytest.mark.slow
def test_an_erased_node_is_drawn_again_by_its_weight(tmp_path, capsys):
    truth = make_inputs(tmp_path, "deduplication")
    assert draw(tmp_path, "--labels", 60, *F1) == 0
    label(tmp_path, truth)
    gone = mb.Draw.load(tmp_path / "audit").validated[2]
    rows = [row for row in read_csv(tmp_path / "audit/labels.csv") if gone not in row]
    write_csv(tmp_path / "audit/labels.csv", ["x", "y"], rows)
    assert run("forget", tmp_path / "audit", "--id", gone) == 0
    assert certify(tmp_path, "--unlabelled", "worst") == 0
    capsys.readouterr()
    assert run("verify", tmp_path / "audit") == 0
    assert "its draw, from the seed" in capsys.readouterr().out
