"""Guided reconciliation: the labels choose, the bound pays, and a choice unpaid for fails."""

from fractions import Fraction

import numpy as np
import pytest

import matchbound as mb
from matchbound import Choices, Tally
from matchbound.bounds.ranges import GRAIN
from matchbound.theorems.guarantees import guarantees
from matchbound.theorems.tally import Cell, Label
from support.audits import contents, read_csv, run, write_csv
from support.network_audits import Networks
from support.networks import SHARED, erdos_renyi, halves_of, made, real

needs_data = pytest.mark.skipif(not SHARED.exists(), reason="needs the real data in ../shared")


@pytest.mark.parametrize(
    ("rounds", "options", "leaves"), [(0, (), 1), (1, (2, 3), 3), (2, (2, 3, 4), 13), (3, (5,), 4)]
)
def test_every_way_through_the_rounds_has_its_share(rounds, options, leaves):
    choices = Choices(0.1, rounds=rounds, options=options)
    assert choices.leaves == leaves
    total = sum(map(Fraction, choices.design("precision").shares(2))) * choices.guarantees * leaves
    assert Fraction(99, 1000) < total <= Fraction(1, 10)


def test_a_choice_that_is_not_paid_for_fails():
    """Thirty-one matchers that are right half the time: the best-looking one is not better."""
    rng = np.random.default_rng(2)
    paid = Choices(0.05, ("precision",), one_to_one=True, rounds=2, options=(2, 3, 4, 5, 6))
    free = Choices(0.05, ("precision",), one_to_one=True)
    gap, broken = (Cell(1, 1, 1, 360),), {"paid": 0, "free": 0}
    assert paid.leaves == 31
    for _ in range(400):
        k = rng.hypergeometric(200, 200, 40, 31).max()
        nodes = (Label.alone(1, 1, 1),) * int(k) + (Label.alone(1, 1, 0),) * int(40 - k)
        for name, choices in (("paid", paid), ("free", free)):
            (g,) = guarantees({"all": Tally(400, (), nodes, (), gap)}, choices, complete=False)
            broken[name] += g.value > 0.5
    assert broken["paid"] / 400 <= 0.05 < 0.5 < broken["free"] / 400


@pytest.fixture(scope="module")
def small():
    return Networks(made(erdos_renyi, 1500, seed=3, degree=14, keep=0.55))


def test_the_bound_holds_whatever_was_chosen(small):
    how = {"rounds": 2, "options": (1, 2, 3), "metrics": ("precision",), "delta": 0.2}
    broken, rounds = 0, set()
    for seed in range(25):
        matches, bound, truth = small.guided(str(seed), 400, 250, 0.85, **how)
        rounds |= set(matches.table["round"].to_pylist())
        broken += bound > truth
        assert bound >= 0.85
    assert broken <= 25 * 0.2
    assert len(rounds) > 1


def test_one_option_is_a_sweep_of_witness(small):
    """Where there is nothing to choose: what `witness` finds with this threshold, once."""
    matches, _, _ = small.guided("1", 300, 250, 0.5, rounds=1, options=(3,))
    fixed, _, _ = small.fixed("1", 300, 250, 3)
    draw = small.draw("1", 300, 250)
    trained = {x for x, place, _ in draw.sample if place is not None}
    known = [(x, y) for x, y in small.truth.items() if x in trained]
    once = mb.reconcile(*small.graphs, known, threshold=3, repeat=1)
    assert sorted(matches.pairs()) == sorted(once.pairs())
    assert len(fixed) >= len(once)


def test_the_commands(small, tmp_path, capsys):
    pair = made(erdos_renyi, 1500, seed=3, degree=14, keep=0.55)
    for name, edges in (("left", pair.left), ("right", pair.right)):
        write_csv(tmp_path / f"{name}.csv", ["src", "dst"], edges.tolist())
    write_csv(tmp_path / "nodes.csv", ["id"], [[x] for x in small.nodes])
    audit, out = tmp_path / "audit", tmp_path / "matches.csv"
    draw = ["draw", tmp_path / "nodes.csv", "--labels", 400, "--train", 250, "--link"]
    more = ["--one-to-one", "--rounds", 2, "--options", "3,2", "--seed", "s", "--out", audit]
    assert run(*draw, *more) == 0
    sample = mb.Draw.load(audit).sample
    write_csv(audit / "labels.csv", ["x", "y"], [[x, small.truth.get(x, "")] for x, _, _ in sample])
    reconcile = ["reconcile", tmp_path / "left.csv", tmp_path / "right.csv", "--out", out]
    before = contents(tmp_path)
    assert run(*reconcile, "--guided", audit) == 2
    assert "target must be a precision, got {}. " in capsys.readouterr().err
    assert run(*reconcile, "--guided", audit, "--target", "precision=0.8", "--threshold", 2) == 2
    assert "threshold must be left out with guided, got 2: " in capsys.readouterr().err
    assert run(*reconcile) == 2
    assert "seeds must be given, got None. " in capsys.readouterr().err
    guided = ["reconcile", tmp_path / "left.csv", tmp_path / "right.csv", "--guided", audit]
    for own in (audit / "labels.csv", audit / "sample.csv", tmp_path / "nodes.csv"):
        assert run(*guided, "--target", "precision=0.8", "--out", own, "--force") == 2
        assert "out must not be an input" in capsys.readouterr().err
    assert run(*reconcile, "--seeds", "hubs", "--target", "precision=0.8") == 2
    assert "target must be left out without guided" in capsys.readouterr().err
    assert contents(tmp_path) == before
    assert run(*reconcile, "--guided", audit, "--target", "precision=0.8") == 0
    assert "of the 7 that the draw's rounds and options make" in capsys.readouterr().out
    assert run("verify", audit) == 0
    certificate = mb.Certificate.load(audit / "certificate.json")
    pairs = [tuple(row[:2]) for row in read_csv(out)]
    assert 0.8 <= certificate.value("precision") <= small.metrics(pairs)[0]


def test_a_draw_without_rounds_is_not_guided(small, tmp_path):
    write_csv(tmp_path / "nodes.csv", ["id"], [[x] for x in small.nodes])
    mb.draw(tmp_path / "nodes.csv", labels=5, seed="s").save(tmp_path / "audit")
    from matchbound.certificates.guided import guide

    with pytest.raises(mb.InputError) as error:
        guide(*small.graphs, tmp_path / "audit", target=0.9, out=tmp_path / "m.csv")
    assert str(error.value) == (
        "audit must be of a draw with rounds and options, got one without. "
        "Draw with --rounds 3 --options 2,3,4,5."
    )


@pytest.mark.parametrize(
    "given", [{"rounds": 2}, {"options": (2,)}, {"rounds": 1, "options": (0,)}]
)
def test_rounds_and_options_go_together(given):
    with pytest.raises(mb.InputError, match=r"^rounds must be a number up to 20 and options"):
        Choices(**given)


def test_rounds_go_with_nothing_else():
    with pytest.raises(mb.InputError, match=r"^rounds must come with the sharp theorem"):
        Choices(rounds=1, options=(2,), bands=(0.5,))


@needs_data
def test_withhold_and_gap_on_real_networks():
    networks = Networks(real("acm-dblp"))
    for seed in range(5):
        for bounds, true in networks.withhold(str(seed), 250, 250, threshold=2).values():
            assert all(b <= t for b, t in zip(bounds, true, strict=True))


@needs_data
@pytest.mark.slow
def test_withhold_and_gap_in_a_hundred_draws():
    networks = Networks(real("acm-dblp"))
    runs = [networks.withhold(str(seed), 250, 250, threshold=2) for seed in range(100)]
    bounds = {kind: np.array([run[kind][0] for run in runs]) for kind in runs[0]}
    for kind, values in bounds.items():
        truth = np.array([run[kind][1] for run in runs])
        assert ((values > truth).sum(axis=0) <= 5).all()
    assert (bounds["complete"] >= bounds["old formula"] * (1 - GRAIN) - 1e-6).all()
    mean = {kind: values[:, 0].mean() for kind, values in bounds.items()}
    assert mean["complete"] >= mean["old formula"] + 0.03
    assert mean["patched"] >= mean["complete"] + 0.05


@needs_data
@pytest.mark.slow
def test_guided_on_enron_in_twenty_draws():
    networks = Networks(halves_of("email-enron", 0.5, seed=1))
    train = len(networks.nodes) // 10
    how = {"rounds": 2, "options": (2, 3, 4, 5, 6), "metrics": ("precision",)}
    runs = [networks.guided(str(seed), 3000, train, 0.95, **how) for seed in range(20)]
    assert sum(bound > truth for _, bound, truth in runs) <= 1
