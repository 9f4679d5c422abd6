"""Bounds for a population that has changed since its nodes were drawn.

X was drawn from; K of it are kept, R were removed, and other nodes are new. A kept record is
unchanged, and so are the true matches among kept ones. The complete matcher ran over the
population as it is now, so it has no match at a removed node. What is bounded of the holdout
matcher is about X as it was, and takes the same δ as ever; the rest is counted for the worst case.

Later draws from new nodes (cohorts) are audits of their own, each with its holdout matcher, and δ.
Their numerators and denominators are added.
"""

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from itertools import product
from typing import Any

from matchbound.errors import AssumptionError, InputError
from matchbound.theorems import gaps, members, nodes, pairwise, ratios, sharp
from matchbound.theorems.design import Design
from matchbound.theorems.limits import limit
from matchbound.theorems.tally import Cell, Tally
from matchbound.theorems.terms import Finding, bounded, count_with, worst
from matchbound.theorems.weighted import Holdout


@dataclass(frozen=True)
class Change:
    """What became of the nodes that were drawn from.

    `removed` has the cells of removed nodes without a label: they are among the tally's, and have
    no match of the complete matcher. Of labelled nodes, `labelled` were removed; `members` of these
    have a true match, `true` true matches in all. `joined` are the records since, which may be true
    matches of kept ones where a population is matched with itself.
    """

    removed: tuple[Cell, ...] = ()
    labelled: int = 0
    members: int = 0
    true: int = 0
    joined: int = 0

    @property
    def gone(self) -> int:
        """How many nodes were removed."""
        return self.labelled + sum(cell.nodes for cell in self.removed)

    def as_dict(self) -> dict[str, object]:
        counts = self.labelled, self.members, self.true, self.joined
        names = ("labelled", "members", "true", "joined")
        return {
            "removed": [c.as_list() for c in self.removed],
            **dict(zip(names, counts, strict=True)),
        }

    @staticmethod
    def from_dict(record: Any, tally: Tally) -> "Change":
        """Read a change; refuse one that the tally's population cannot have seen."""
        removed = tuple(Cell(*map(int, cell)) for cell in record["removed"])
        change = Change(
            removed, *(int(record[name]) for name in ("labelled", "members", "true", "joined"))
        )
        change.check(tally)
        return change

    def check(self, tally: Tally) -> None:
        """Refuse counts that are not of this tally's nodes."""
        without = [label for label in tally.labelled if not label.c]
        true = sorted((label.t or 0 for label in without), reverse=True)
        here = Counter({cell._replace(nodes=0): cell.nodes for cell in tally.gap})
        here.subtract({cell._replace(nodes=0): cell.nodes for cell in self.removed})
        possible = (
            min(self.labelled, self.members, self.true, self.joined) >= 0
            and self.members <= min(self.labelled, sum(map(bool, true)))
            and self.members <= self.true <= sum(true[: self.members])
            and self.labelled - self.members <= sum(not t for t in true)
            and all(cell.c == 0 and cell.nodes > 0 for cell in self.removed)
            and min(here.values(), default=0) >= 0
        )
        if not possible:
            raise InputError(
                "grown must hold counts of removed nodes that the tally has, got others. "
                "Give a certificate as matchbound wrote it."
            )


@dataclass(frozen=True)
class New:
    """The `nodes` that are new and in no draw; those that the complete matcher matches, and its
    matches there."""

    nodes: int = 0
    matched: int = 0
    pairs: int = 0


@dataclass(frozen=True)
class Drawn:
    """What was drawn from, in the design of one metric, with what became of it."""

    tally: Tally
    design: Design
    change: Change

    @property
    def size(self) -> int:
        """How many of the nodes are kept."""
        return self.tally.size - self.change.gone

    @cached_property
    def kept(self) -> tuple[Cell, ...]:
        """The cells of kept nodes without a label."""
        counts = Counter({cell._replace(nodes=0): cell.nodes for cell in self.tally.gap})
        counts.subtract({cell._replace(nodes=0): cell.nodes for cell in self.change.removed})
        return tuple(cell._replace(nodes=n) for cell, n in counts.items() if n)


GrownTheorem = Callable[[Sequence[Drawn], New], Finding]
"""A bound on the complete matcher's metric over the population as it is now."""


def precision(drawn: Sequence[Drawn], new: New) -> Finding:
    """P ≥ Σ (Σ_L p_C + max(0, Σ_{X−L} p_H − Σ_{X−L} d)) / |X2_C|, X2 the population now.

    At a removed node the holdout matcher's matches count as lost; new nodes may all be wrong.
    """
    holdouts = [sharp.holdout_right(one.tally, one.design) for one in drawn]
    right = sum(
        (
            sharp.complete_right(one.tally, one.design, Fraction(holdout.value))
            for one, holdout in zip(drawn, holdouts, strict=True)
        ),
        Fraction(0),
    )
    matched = sum(count_with(one.tally.everywhere, lambda cell: cell.c > 0) for one in drawn)
    matched += worst("grown precision new nodes", new.matched, 0)
    return Finding(float(right / _some(matched)), holdouts[0].estimate, holdouts[0].bound)


def _some(matched: int) -> int:
    if not matched:
        raise AssumptionError(
            "complete must match some node, got 0 of them. Give a matcher that finds something, or "
            "a lower threshold."
        )
    return matched


def recall(drawn: Sequence[Drawn], new: New) -> Finding:
    """R ≥ the least over all N of Σ (Σ_L r_C + max(0, x − q')) / (Σ (N − gone − q') + new).

    For each draw, x = ρN − Σ_L r_H − loss is what is right at kept or removed nodes outside L; if
    v of it is at removed nodes, v members are gone too. Both sums fall by v, which lowers the
    quotient until x is used up, so q' = min(q, max(0, x)), q the most that v can be. A new node is
    missed. Where a population is matched with itself, new records join entities: if j join g kept
    ones, these lose at most g·j/(g − 1 + j) ≤ j in sum (a single one becomes a member instead,
    which costs less), so `joined` is subtracted.
    """
    lines = [_Line.of(one) for one in drawn]
    joined = worst("grown recall joined", sum(one.change.joined for one in drawn), 0)
    added = worst("grown recall new nodes", new.nodes, 0)
    ends = product(*(line.ends for line in lines))
    value = _least(
        (
            sum(line.right(size) for line, size in zip(lines, sizes, strict=True)) - joined,
            sum(line.members(size) for line, size in zip(lines, sizes, strict=True)) + added,
        )
        for sizes in ends
    )
    first = drawn[0]
    member, values = nodes.recalls(first.tally.fresh or first.tally.train)
    seen = [value for value, belongs in zip(values, member, strict=True) if belongs]
    mean = sum(seen) / len(seen) if seen else None
    return Finding(value, mean, first.design.labels_bound(first.design.one_to_one))


def _least(quotients: Iterator[tuple[float, float]]) -> float:
    """The least quotient; those without a denominator contradict what is known, and are left out.

    A quotient of sums that are linear between corners is least at a corner.
    """
    return min((max(top, 0.0) / bottom for top, bottom in quotients if bottom > 0), default=0.0)


@dataclass(frozen=True)
class _Line:
    """Recall's sums of one draw, as functions of N, the number of nodes that had a true match.

    Σ r_H ≥ max(ρN, floor). `spent` of it is at labelled nodes or may be lost at kept ones; `gone`
    labelled members were removed; at most `most_removed` is right at other removed nodes.
    """

    slope: float
    floor: float
    least: int
    most: int
    after: float
    spent: float
    gone: int
    most_removed: float

    @staticmethod
    def of(drawn: Drawn) -> "_Line":
        tally, design, change = drawn.tally, drawn.design, drawn.change
        if design.weigh:
            return _Line(0.0, 0.0, 0, tally.size, 0.0, 0.0, 0, 0.0)  # not proved: nothing is right
        is_known = design.every_node_matched
        delta, delta_members = (*design.shares(1), 0.0) if is_known else design.shares(2)
        bound = design.labels_bound(design.one_to_one)
        right = sharp.right_elsewhere(tally, design)
        least, most = members.range_of(tally, design, delta_members, right)
        floor = sharp.least_found(tally, design, right)

        def share(d: float) -> float:
            sums = members.recall_sum(tally, design, d, bound)
            return members.worst_ratio(sums, least, most, 0.0, 0.0, floor)

        lost = sharp.recall_lost(tally, drawn.kept, right)
        return _Line(
            bounded("sharp recall labels", delta, share),
            floor,
            min(least, most),
            most,
            sum(nodes.complete_recalls(tally.labelled)),
            sum(nodes.recalls(tally.labelled)[1]) + worst("grown recall gap", lost, 0.0),
            change.members,
            float(sum(cell.nodes * gaps.recall_loss(cell) for cell in change.removed)),
        )

    @property
    def ends(self) -> list[float]:
        """The ends of N's range, and the N at which a line bends."""
        sizes = [float(self.least), float(self.most)]
        if self.slope > 0:
            levels = (self.floor, self.spent, self.spent + self.most_removed)
            bends = (level / self.slope for level in levels)
            sizes += [size for size in bends if self.least < size < self.most]
        return sizes

    def _elsewhere(self, size: float) -> float:
        return max(self.slope * size, self.floor) - self.spent

    def _removed(self, size: float) -> float:
        taken = min(self.most_removed, max(0.0, self._elsewhere(size)))
        return worst("grown recall removed", taken, 0.0)

    def right(self, size: float) -> float:
        return self.after + max(0.0, self._elsewhere(size) - self._removed(size))

    def members(self, size: float) -> float:
        return size - self.gone - self._removed(size)


def error_rate(drawn: Sequence[Drawn], new: New) -> Finding:
    """W ≤ (Σ (Σ_{L∩K} w_C + min(|K − L|, Σ_{X−L} w_H + |{K − L: C ≠ H}|)) + new + k·joined) / n.

    A new record that is a true match of kept ones makes them wrong, and it has at most k.
    """
    holdouts = [sharp.holdout_wrong(one.tally, one.design) for one in drawn]
    wrong = sum(map(_wrong, drawn, (holdout.value for holdout in holdouts)))
    wrong += worst("grown error-rate new nodes", new.nodes, 0)
    for one in drawn:
        joined = worst("grown error-rate joined", one.change.joined, 0)
        most = one.design.promised_limit
        wrong += float("inf") if joined and most is None else joined * (most or 0)
    size = sum(one.size for one in drawn) + new.nodes
    value = min(1.0, wrong / size)
    return Finding(value, holdouts[0].estimate, holdouts[0].bound)


def _wrong(drawn: Drawn, before: float) -> float:
    """The number of kept nodes at which C is wrong, at most, if H was at so many."""
    tally = drawn.tally
    differing = worst("grown error-rate gap", count_with(drawn.kept, gaps.differs), 0)
    elsewhere = before - sum(nodes.errors(tally.labelled)) + differing
    # C has no match at a removed node: with a true match it would count as wrong.
    seen = sum(nodes.complete_errors(tally.labelled)) - drawn.change.members
    others = sum(cell.nodes for cell in drawn.kept)
    return seen + min(others, max(elsewhere, 0.0))


def pairwise_precision(drawn: Sequence[Drawn], new: New) -> Finding:
    """Σct/Σc ≥ Σ (Σ_L ct + max(0, A − Σ_L ht − Σ_{X−L} |H − C|)) / Σc over the population now."""
    right = sum(pairwise.complete_right(one.tally, one.design) for one in drawn)
    pairs = sum(pairwise.Sums.of(one.tally).complete for one in drawn)
    pairs += worst("grown pairwise-precision new nodes", new.pairs, 0)
    first = drawn[0]
    holdout = pairwise.of_precision(first.tally, first.design)
    return Finding(right / _some(pairs), holdout.estimate, first.design.labels_bound(False))


def pairwise_recall(drawn: Sequence[Drawn], new: New) -> Finding:
    """Σct/Σt ≥ the least over all A of Σ (Σ_L ct + max(0, x − q')) / (Σ Σt + k·(new + joined)).

    For each draw, A is the number of right matches of the holdout matcher, ρ its certified recall,
    x = A − Σ_L ht − Σ_{K−L} |H − C|, and q' = min(Σ_{R−L} h, max(0, x)) of it were at removed
    nodes. There were at most max(A/ρ, Σ_L t + A − Σ_L ht) true matches.
    """
    first = drawn[0]
    holdout = Holdout(ratios.PAIRWISE_RECALL, first.tally, first.design, 1)
    bound = first.design.labels_bound(False)
    curves = [_Curve.of(one) for one in drawn]
    found = [curve for curve in curves if curve is not None]
    if len(found) < len(drawn):
        return Finding(0.0, holdout.estimate, bound)
    most = max(one.design.promised_limit or 0 for one in drawn)
    added = worst(
        "grown pairwise-recall new records",
        most * (new.nodes + sum(one.change.joined for one in drawn)),
        0,
    )
    value = _least(
        (
            sum(curve.right(pairs) for curve, pairs in zip(found, numbers, strict=True)),
            sum(curve.true(pairs) for curve, pairs in zip(found, numbers, strict=True)) + added,
        )
        for numbers in product(*(curve.ends for curve in found))
    )
    return Finding(value, holdout.estimate, bound)


@dataclass(frozen=True)
class _Curve:
    """Pairwise recall's sums of one draw, as functions of A; ρ is the holdout matcher's recall."""

    sums: pairwise.Sums
    recall: float
    least: float
    lost: int
    removed: int
    removed_true: int

    @staticmethod
    def of(drawn: Drawn) -> "_Curve | None":
        """None if nothing is proved: without a promise, or without a bound on ρ."""
        tally, design = drawn.tally, drawn.design
        beside = design.beside.get("pairwise-precision")
        most = limit(tally, design)
        if design.promised_limit is None or most is None:
            return None
        delta, delta_pairs = design.shares(2) if beside is None else (*design.shares(1), 0.0)
        holdout = Holdout(ratios.PAIRWISE_RECALL, tally, design, most)
        recall = holdout.lower("sharp pairwise-recall labels", delta)
        if recall <= 0:
            return None
        if beside is None:
            pairs = pairwise.right_pairs(tally, design, delta_pairs, "sharp pairwise-recall pairs")
        else:
            pairs = pairwise.right_pairs(tally, beside, beside.shares(1)[0])
        lost = sum(c.nodes * (c.h - c.hc - c.dropped_wrong) for c in drawn.kept)
        removed = sum(c.nodes * (c.h - c.dropped_wrong) for c in drawn.change.removed)
        lost = worst("grown pairwise-recall gap", lost, 0)
        removed = worst("grown pairwise-recall removed", removed, 0)
        return _Curve(pairwise.Sums.of(tally), recall, pairs, lost, removed, drawn.change.true)

    @property
    def ends(self) -> list[float]:
        """The ends of A's range, and the A at which a line bends upwards.

        Where the number of true matches bends, the quotient only falls faster: never least there.
        """
        low, high = max(self.least, self.sums.least), float(self.sums.most)
        if low > high:  # bounds contradict the labels, and only labels count
            return [high]
        kink = self.sums.before + self.lost
        bends = [float(kink), float(kink + self.removed)]
        return [low, high, *(pairs for pairs in bends if low < pairs < high)]

    def _taken(self, pairs: float) -> float:
        return min(self.removed, max(0.0, pairs - self.sums.before - self.lost))

    def right(self, pairs: float) -> float:
        elsewhere = pairs - self.sums.before - self.lost - self._taken(pairs)
        return self.sums.after + max(0.0, elsewhere)

    def true(self, pairs: float) -> float:
        most = max(pairs / self.recall, self.sums.missed + pairs)
        return most - self.removed_true - self._taken(pairs)


def f1(drawn: Sequence[Drawn], new: New) -> Finding:
    """The harmonic mean of the two bounds, on the event of both."""
    beside = [
        {name: Drawn(one.tally, one.design.beside[name], one.change) for name in PAIRWISE}
        if all(name in one.design.beside for name in PAIRWISE)
        else None
        for one in drawn
    ]
    first = drawn[0]
    holdout = Holdout(ratios.PAIRWISE_F1, first.tally, first.design, 1)
    bound = first.design.labels_bound(False)
    both = [one for one in beside if one is not None]
    if len(both) < len(drawn):
        return Finding(0.0, holdout.estimate, bound)
    precise, recalled = (
        theorem([one[name] for one in both], new).value
        for name, theorem in zip(PAIRWISE, (pairwise_precision, pairwise_recall), strict=True)
    )
    total = precise + recalled
    return Finding(2 * precise * recalled / total if total else 0.0, holdout.estimate, bound)


PAIRWISE = ("pairwise-precision", "pairwise-recall")
