"""Bounds of an anytime draw as labels come in: what `certify` would say of the holdout matcher."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from matchbound.choices import Choices
from matchbound.counting import count
from matchbound.draws import Draw
from matchbound.engines import Engine
from matchbound.errors import MatchboundError
from matchbound.labelling.proposals import Proposals
from matchbound.parts import WHOLE
from matchbound.stopping import looked_at
from matchbound.tallies import Tally, Triple
from matchbound.theorems import guarantees
from matchbound.words import rounded

Labels = Mapping[str, tuple[str, ...]]


@dataclass(frozen=True)
class Live:
    """A tally without labels, and what the holdout matcher found at each drawn node."""

    draw: Draw
    unlabelled: Tally
    found: Proposals
    targets: Mapping[str, float]
    holdout: Mapping[str, Any]  # as the ledger knows it

    def at(self, labels: Labels) -> dict[str, Any]:
        """Bounds, targets, and whether one may stop; or why there are none yet."""
        try:
            tally = looked_at(self.tally(labels), self.draw.choices, "refuse")
            found = guarantees({WHOLE: tally}, self.draw.choices, complete=False)
        except MatchboundError as error:
            return {"why": str(error)}
        bounds = []
        for g in found:
            target = self.targets.get(g.metric)
            lower = g.side == "lower"
            reached = target is not None and (g.value >= target if lower else g.value <= target)
            bounds.append(
                {"metric": g.metric, "text": rounded(g), "value": g.value, "side": g.side}
                | {"target": target, "reached": reached}
            )
        wanted = [bound for bound in bounds if bound["target"] is not None]
        return {
            "bounds": bounds,
            "labels": len(tally.validation),
            "stop": bool(wanted) and all(bound["reached"] for bound in wanted),
        }

    def tally(self, labels: Labels) -> Tally:
        triples = [
            tuple(self._triple(node, h, labels) for node, (h, _, _) in zip(nodes, old, strict=True))
            for nodes, old in (
                (self.draw.trained, self.unlabelled.train),
                (self.draw.validated, self.unlabelled.validation),
            )
        ]
        return replace(self.unlabelled, train=triples[0], validation=triples[1])

    def _triple(self, node: str, h: int, labels: Labels) -> Triple:
        true = labels.get(node)
        if true is None:
            return h, None, None
        return h, len(true), len(set(true) & self.found.of(node).keys())


def why_not(choices: Choices, holdout: bool) -> str | None:
    """Why there are no live bounds, in a sentence; None if there can be."""
    if "recall" in choices.until:
        return (
            "No bounds are shown on the way: this draw's labels go on until "
            f"{choices.until['recall']} validation nodes have a true match. The page tells when."
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
    found: Proposals,
    targets: Mapping[str, float],
    known: Mapping[str, Any],
) -> Live:
    """Count what is in `holdout` once, with no labels yet; `population` is there too."""
    con.keep("labels", "select id as x, id as y from sample where id is null")
    tally = count(
        con,
        size=draw.population["size"],
        sample=draw.sample,
        complete=False,
        one_to_one=draw.choices.one_to_one,
        unlabelled="worst",
        forms={"holdout": "clusters" if is_clusters else "pairs"},
        dedupe=draw.matching.dedupe,
        gap=draw.gap,
        future=draw.choices.future,
    )
    return Live(draw, tally, found, targets, known)
