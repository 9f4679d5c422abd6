"""Every named term of a theorem: how it is recorded, cut, and a population where the cut shows.

A row has outcomes: all that can be drawn, each with its probability, its tally and the complete
matcher's truth. Failures are exact sums over them.
"""

import itertools
import math
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace

from matchbound import AssumptionError, Choices, Tally
from matchbound.theorems import gaps
from matchbound.theorems.guarantees import guarantees
from matchbound.theorems.tally import Cell, Label
from matchbound.theorems.terms import TERMS, Terms
from support.populations import Node, breaks, cells, compositions, metrics_of, outcome

Outcome = tuple[float, Tally, dict[str, float]]
NEGLIGIBLE = 1e-7


class Recorded(Terms):
    """What every term spends, and every worst case taken."""

    def __init__(self):
        self.spent, self.worsts = [], set()

    def bounded(self, name, delta, bound):
        self.spent.append((name, delta))
        return bound(delta)

    def worst(self, name, value, tempting):
        self.worsts.add(name)
        return value

    @property
    def names(self):
        return {name for name, _ in self.spent} | self.worsts


@dataclass
class Cut(Terms):
    """One term cut; the others as they are."""

    name: str
    to: Callable | None
    tally: Tally | None = None

    def bounded(self, name, delta, bound):
        return self.to(bound, self.tally, delta) if name == self.name else bound(delta)

    def worst(self, name, value, tempting):
        return tempting if name == self.name else value


def using(terms, ask):
    """What `ask` returns, with these terms."""
    token = TERMS.set(terms)
    try:
        return ask()
    finally:
        TERMS.reset(token)


def half(bound, tally, delta):
    """The bound at δ = ½: about the plain estimate."""
    return bound(0.5)


def twice(bound, tally, delta):
    """δ spent twice."""
    return bound(2 * delta)


def plain_mean(of):
    """The plain mean over the gap's sample."""
    return lambda bound, tally, delta: float(
        sum(cell.nodes * of(cell) for cell in tally.gap) / tally.drawn
    )


def found(cell):
    return cell.h > 0


def as_many(bound, tally, delta):
    """C is taken to match as many nodes as H.

    The plain estimate of C's own share is no cut form that fails: it and the lower bound on H's
    share are from one sample, and where C adds wrong matches the ratio of a = H's share to u = C's
    has the variance a(u − a)/u, at most a(1 − a), which the lower bound on a pays for already.
    """
    return plain_mean(found)(bound, tally, delta)


def plain_members(bound, tally, delta):
    """The plain share of sampled nodes that have a true match."""
    return sum(bool(label.t) for label in tally.fresh) / len(tally.fresh)


@dataclass(frozen=True)
class Row:
    """A name, its cut form, and where it fails; `to` is None where a worst case is forgotten."""

    name: str
    to: Callable | None
    choices: Choices
    outcomes: Callable[[], Iterable[Outcome]]
    complete: bool = True

    def failures(self) -> tuple[float, float]:
        """As shipped (what is neglected counts as failed), and cut (it does not)."""
        held = cut = 0.0
        for probability, tally, truth in self.outcomes():
            held += probability * (not self._fails(Terms(), tally, truth))
            cut += probability * self._fails(Cut(self.name, self.to, tally), tally, truth)
        return 1 - held, cut

    def _fails(self, terms, tally, truth):
        def ask():
            try:
                return guarantees({"all": tally}, self.choices, complete=self.complete)
            except AssumptionError:  # refused: nothing is promised
                return ()

        return breaks(using(terms, ask), truth)


# What can be drawn.


def samples(population, s, strategy=("same", "same"), gap=None) -> Iterator[Outcome]:
    """S alone is random; the gap is a census, or a sample that holds everyone."""
    for order, probability in compositions(population, s):
        tally, truth = outcome(population, order, strategy)
        if gap:
            tally = replace(tally, gap=tally.everywhere)
        yield probability, tally, truth


def gap_samples(
    seen: Label, s: int, rest: dict[Label, int], drawn: int, counted: list[Label]
) -> Iterator[Outcome]:
    """All labelled nodes are alike; S' is drawn from them and the `rest`.

    `counted` are the kinds of which the numbers drawn vary; all other nodes are one kind more.
    """
    everyone = Counter(rest) + Counter({seen: s})
    others = [label for label in everyone if label not in counted]
    assert len({(label.h, label.c, label.hc) for label in others}) == 1
    sizes = [everyone[label] for label in counted]
    left = sum(everyone.values()) - sum(sizes)
    for numbers, probability in _numbers(sizes, left, drawn):
        compared = dict(zip(counted, numbers, strict=True)) | {others[0]: drawn - sum(numbers)}
        gap = cells(compared)
        tally = Tally(sum(everyone.values()), (), (seen,) * s, (), gap)
        yield probability, tally, metrics_of(everyone)


def _numbers(sizes, left, drawn):
    """How many of each kind are drawn; negligible numbers are left out."""
    kinds = (*sizes, left)
    total = _log_comb(sum(kinds), drawn)
    each = [range(min(size, drawn) + 1) for size in sizes]
    for numbers in itertools.product(*each):
        rest = drawn - sum(numbers)
        if 0 <= rest <= left:
            ways = sum(map(_log_comb, kinds, (*numbers, rest)))
            if ways - total > math.log(NEGLIGIBLE):
                yield numbers, math.exp(ways - total)


def _log_comb(n, k):
    return math.lgamma(n + 1) - math.lgamma(k + 1) - math.lgamma(n - k + 1)


# Populations.

RIGHT, WRONG, NONE = Label.alone(1, 1, 1), Label.alone(1, 1, 0), Label.alone(0, 0, 0)
REPLACED = Label(1, 1, 1, 1, 0, 0)  # a right match gave way to a wrong one
DROPPED = Label(1, 1, 1, 0, 0, 0)
ADDED = Label(0, 0, 0, 1, 0, 0)  # a wrong match where there was none

MOST_RIGHT = {Node(1, 1, 1): 45, Node(1, 1, 0): 15}
FEW_MEMBERS = {Node(1, 1, 1): 120, Node(0, 0, 0): 480}
ALL_RIGHT = {Node(1, 1, 1): 60}
PROMISED = {"one_to_one": True, "at_most_one_match": True}
MATCHED = {"every_node_matched": True}


def chosen(metric, delta=0.2, **how):
    return Choices(delta, (metric,), **({"one_to_one": True} | how))


def sampled(metric, drawn, delta=0.05, theorem="sharp", other_terms=0.24, **how):
    promised = PROMISED | {"gap": drawn, "other_terms": other_terms}
    return Choices(delta, (metric,), theorem, **(promised | how))


def unsure(population, order, hidden, strategy=("same", "same")):
    """The sample's nodes that `hidden` tells stay without a label, and are in the gap."""
    tally, truth = outcome(population, order, strategy)

    def hide(labels):
        return tuple(x._replace(t=None, ht=None, ct=None) if hidden(x) else x for x in labels)

    gone = [x for x in (*tally.train, *tally.fresh) if hidden(x)]
    counts = Counter({cell[:3]: cell.nodes for cell in tally.gap})
    counts.update((x.h, x.c, x.hc) for x in gone)
    gap = tuple(Cell(*found, n) for found, n in sorted(counts.items()))
    train, validation = hide(tally.train), hide(tally.validation)
    return replace(tally, train=train, validation=validation, gap=gap), truth


def unsure_samples(population, s, gap=None):
    """A labeller who never tells where the holdout matcher is wrong."""
    for order, probability in compositions(population, s):
        tally, truth = unsure(population, order, lambda x: x.ht < x.h)
        if gap:
            tally = replace(tally, gap=tally.everywhere)
        yield probability, tally, truth


def unsure_training():
    """D is wrong throughout, and nobody says so; all others are right, and labelled."""
    population = {Node(1, 1, 0, trained=True): 10, Node(1, 1, 1): 10}
    tally, truth = unsure(population, [Node(1, 1, 1)] * 10, lambda x: x.ht == 0)
    return [(1.0, tally, truth)]


def almost_all_labelled(drawn):
    """H is right at 84 of 200 nodes, C drops 70 of these; S leaves four nodes out."""
    kinds = {RIGHT: 14, DROPPED: 70, WRONG: 116}
    truth = metrics_of(kinds)
    for missing, probability in _numbers([14, 70], 116, 4):
        out = dict(zip(kinds, (*missing, 4 - sum(missing)), strict=True))
        labels = tuple(x for x, n in kinds.items() for _ in range(n - out[x]))
        for (k,), chance in _numbers([70], 130, drawn):
            gap = cells({DROPPED: k, RIGHT: drawn - k})
            yield probability * chance, Tally(200, (), labels, (), gap), truth


DROPPING = ("same", "drop")  # the complete matcher keeps what is labelled, and drops the rest
SPOILING = ("same", "one wrong")


def rows() -> list[Row]:
    return [*sharp_rows(), *worst_rows(), *sampled_rows("sharp"), *sampled_rows("paper")]


def sharp_rows():
    for metric in ("precision", "recall", "error-rate"):
        yield Row(f"sharp {metric} labels", twice, chosen(metric), lambda: samples(MOST_RIGHT, 12))
        yield Row(
            f"sharp {metric} gap", None, chosen(metric), lambda: samples(ALL_RIGHT, 12, SPOILING)
        )
        yield Row(
            f"possible {metric}", None, chosen(metric), lambda: samples(MOST_RIGHT, 12, SPOILING)
        )
    yield Row(
        "sharp recall labels", twice, chosen("recall", **MATCHED), lambda: samples(MOST_RIGHT, 12)
    )
    for name, to in (("members", plain_members), ("number of members", None)):
        choices = chosen("recall", 0.1)
        yield Row(f"sharp recall {name}", to, choices, lambda: samples(FEW_MEMBERS, 200, DROPPING))


def worst_rows():
    yield Row("unlabelled training nodes", None, chosen("error-rate"), unsure_training)
    for metric, theorem in (("precision", "sharp"), ("recall", "paper")):
        choices = chosen(metric, theorem=theorem)
        yield Row(
            "unlabelled validation nodes", None, choices, lambda: unsure_samples(MOST_RIGHT, 12)
        )
    yield Row(
        "unlabelled validation nodes",
        None,
        chosen("recall", **MATCHED),
        lambda: unsure_samples(MOST_RIGHT, 12),
    )
    yield Row(
        "unlabelled validation nodes",
        None,
        sampled("error-rate", 60, 0.2),
        lambda: unsure_samples(MOST_RIGHT, 12, True),
    )


def sampled_rows(theorem):
    """Where the gap is a sample; s nodes are labelled, all right, and kept by C."""
    name = "sampled" if theorem == "sharp" else "paper"

    def row(term, to, kinds, drawn=400, s=400, **how):
        changed = [label for label in kinds if label != RIGHT]
        metric = term.split()[0]
        return Row(
            f"{name} {term}",
            to,
            sampled(metric, drawn, 0.05, theorem, **how),
            lambda: gap_samples(RIGHT, s, kinds, drawn, changed),
        )

    for metric, how in (("precision", {}), ("recall", {}), ("recall", MATCHED), ("error-rate", {})):
        choices = sampled(metric, 60, 0.2, theorem, 0.05, **how)
        yield Row(
            f"{name} {metric} labels",
            half,
            choices,
            lambda: samples(MOST_RIGHT, 12, gap=True),
            complete=False,
        )
    yield row("recall gap", plain_mean(gaps.drops), {RIGHT: 600, DROPPED: 1000})
    yield row("recall gap", plain_mean(gaps.drops), {RIGHT: 600, DROPPED: 1000}, **MATCHED)
    yield row("error-rate gap", plain_mean(gaps.differs), {RIGHT: 600, REPLACED: 1000})
    yield Row(
        f"{name} recall members",
        plain_members,
        sampled("recall", 600, 0.05, theorem),
        lambda: samples(FEW_MEMBERS, 200, DROPPING, gap=True),
    )
    # The plain estimate of the share of nodes that C matches fails nowhere: see `as_many`.
    yield row("precision complete", as_many, {RIGHT: 600, ADDED: 1000}, 1500)
    if theorem == "sharp":
        loss = plain_mean(gaps.precision_loss)
        yield row("precision gap", loss, {RIGHT: 600, REPLACED: 1000})
        yield row("precision holdout", plain_mean(found), {RIGHT: 600, ADDED: 1000})
        return
    yield Row(
        "paper precision gap",
        plain_mean(gaps.paper_precision_loss),
        sampled("precision", 60, 0.05, "paper"),
        lambda: almost_all_labelled(60),
    )
    few_added = {RIGHT: 48_000, ADDED: 50_000}
    yield row("precision holdout", plain_mean(found), few_added, 10_000, 2000)
