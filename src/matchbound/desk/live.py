"""Bounds of an anytime draw while labels come in: those that `certify` would compute then."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, field, replace

from matchbound.audits import Draw
from matchbound.desk.proposals import Proposals
from matchbound.engines import Engine
from matchbound.errors import MatchboundError
from matchbound.tables import Recorded, Row
from matchbound.tallies import Loaded, count, looked_at, outside
from matchbound.theorems import METRICS, WHOLE, Cell, Choices, Guarantee, Label, Tally, guarantees

LabelsByNode = Mapping[str, tuple[str, ...]]
"""The true matches of each labelled node."""


@dataclass(frozen=True)
class Bound:
    """A metric's bound so far, its target if there is one, and whether the bound reaches it."""

    metric: str
    text: str
    value: float
    side: str
    target: float | None
    reached: bool


@dataclass(frozen=True)
class Bounds:
    """The bounds after a number of validation labels.

    `within` is the name of the part of the population that they are about, empty if it is none.
    """

    bounds: Sequence[Bound]
    labels: int
    within: str = ""

    @property
    def stop(self) -> bool:
        """Whether labelling may stop: there are targets, and all are reached."""
        wanted = [bound for bound in self.bounds if bound.target is not None]
        return bool(wanted) and all(bound.reached for bound in wanted)


@dataclass(frozen=True)
class Live:
    """A tally without labels, and the holdout matcher's matches of each drawn node.

    Where a table is matched with itself, `degrees` are the numbers of matches of all its nodes.
    `erased` nodes count as the worst case. `part` are the nodes that are certified; None: all are.
    """

    draw: Draw
    unlabelled: Tally
    holdout_matches: Proposals
    targets: Mapping[str, float]
    holdout: Recorded
    degrees: Mapping[str, int] = field(default_factory=dict)
    erased: Sequence[Row] = ()
    part: Set[str] | None = None

    def at(self, labels: LabelsByNode) -> Bounds | str:
        """The bounds after these labels; or a sentence on why there are none yet."""
        try:
            tally = self.tally(labels)
            certified = guarantees({WHOLE: tally}, self.draw.choices, complete=False)
        except MatchboundError as error:
            return str(error)
        name = "" if self.draw.within is None else self.draw.within.name
        bounds = [self._bound(guarantee) for guarantee in certified]
        return Bounds(bounds, len(tally.validation), name)

    def _bound(self, guarantee: Guarantee) -> Bound:
        target, value = self.targets.get(guarantee.metric), guarantee.value
        reached = target is not None and METRICS[guarantee.metric].meets(value, target)
        return Bound(guarantee.metric, guarantee.text, value, guarantee.side, target, reached)

    def tally(self, labels: LabelsByNode) -> Tally:
        """Tally the labels as `certify` does: S up to its first node without a label, and the gap
        over all other nodes.
        """
        train, validation = (
            tuple(
                self._label(node, blank.h, labels)
                for node, blank in zip(nodes, blanks, strict=True)
            )
            for nodes, blanks in (
                (self.draw.trained, self.unlabelled.train),
                (self.draw.validated, self.unlabelled.validation),
            )
        )
        tally = replace(self.unlabelled, train=train, validation=validation)
        tally = looked_at(tally, self.draw.choices, "refuse", self.erased)
        if self.draw.choices.is_sampled:
            return tally
        read = {*self.draw.trained, *self.draw.validated[: len(tally.validation)]}
        cells = self._cells({node: labels[node] for node in read if node in labels})
        return replace(tally, gap=outside(self.unlabelled.gap, tally.labelled, cells))

    def _label(self, node: str, h: int, labels: LabelsByNode) -> Label:
        true = labels.get(node)
        if true is None:
            return Label.alone(h, None, None)
        return Label.alone(h, len(true), len(set(true) & self.holdout_matches.of(node).keys()))

    def _cells(self, labels: LabelsByNode) -> Iterator[Cell]:
        """Yield cells of nodes without a label whose pairs labels reveal, if X = Y."""
        counts_by_node: dict[str, Counter[str]] = {}
        for x, true in labels.items() if self.draw.matching.dedupe else ():
            matched = self.holdout_matches.of(x).keys()
            for y in {*matched, *true} - labels.keys():
                what = ("right" if y in true else "wrong") if y in matched else "missed"
                counts_by_node.setdefault(y, Counter())[what] += 1
        for y, counts in counts_by_node.items():
            if self.part is not None and y not in self.part:
                continue
            h = self.degrees.get(y, 0)
            yield Cell(h, h, h, 1, **counts)


def why_not(choices: Choices, holdout: bool) -> str | None:
    """Why there are no live bounds, in a sentence; None if there can be."""
    if choices.until_true:
        return (
            "No bounds are shown on the way: this draw's labels go on until "
            f"{choices.until_true} validation nodes have a true match. The page tells when."
        )
    if not choices.is_anytime:
        return (
            "No bounds are shown on the way: this draw's hold for the labels of all drawn nodes, "
            "and stopping when they look good would break them. Draw with --anytime for bounds "
            "that may be watched."
        )
    if not holdout:
        return "No bounds are shown: start the page with --holdout to see those of that matcher."
    if choices.bands or choices.algorithms or choices.choose_threshold or choices.rounds:
        return (
            "No bounds are shown: the draw fixed bands, thresholds, rounds or several matchers, "
            "whose bounds `certify` gives."
        )
    return None


def start(
    con: Engine,
    draw: Draw,
    is_clusters: bool,
    holdout_matches: Proposals,
    targets: Mapping[str, float],
    holdout: Recorded,
    erased: Sequence[Row] = (),
) -> Live:
    """Tally the loaded tables `holdout` and `population` once, without labels."""
    in_part = draw.within is not None
    con.keep("labels", "select id as x, id as y from sample where id is null")
    loaded = Loaded(
        draw.size,
        draw.sample,
        clusters=frozenset(["holdout"] if is_clusters else []),
        dedupe=draw.matching.dedupe,
        one_to_one=draw.choices.one_to_one,
        gap=draw.gap,
        future=draw.choices.future,
        in_part=in_part,
    )
    tally = count(con, loaded, "worst")
    nodes = "cluster_nodes" if is_clusters else "nodes"
    degrees, part = {}, None
    if draw.matching.dedupe:
        degrees = dict(con.rows(f"select x, h from {nodes}"))
        part = {x for (x,) in con.rows("select id from population")} if in_part else None
    return Live(draw, tally, holdout_matches, targets, holdout, degrees, erased, part)
