"""Guided reconciliation: validation labels choose how generous each round is, and pay for it.

Rounds and options are fixed at the draw. Every way through them is a matcher of its own, developed
with D's labels alone, and all of them are bounded at once, at their share of δ: whichever the
labels choose, its bound holds.
"""

import os
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from matchbound.audits import Audit, Draw, check_all_labelled, labels_of
from matchbound.certificates.certificate import Certificate
from matchbound.certificates.certification import certify
from matchbound.errors import AssumptionError, InputError
from matchbound.files import refuse_input_as_out, undone_on_error
from matchbound.matchers import (
    Board,
    Found,
    Graph,
    Matches,
    degrees_down,
    graph,
    in_both,
    joined,
    named,
    read_seeds,
)
from matchbound.theorems import Cell, Choices, Label, Tally, guarantees

if TYPE_CHECKING:
    from os import PathLike

Truth = dict[str, set[str]]


def guide(
    left: Any,
    right: Any,
    audit: "str | PathLike[str]",
    *,
    target: float,
    out: "str | PathLike[str]",
    labels: Any = None,
    certificate: Any = None,
    force: bool = False,
) -> tuple[Matches, Certificate]:
    """Match two networks round by round, each with the least threshold that keeps the precision.

    A round is a sweep of `witness` over all degrees; its thresholds are the draw's `options`, tried
    from the most generous on. If none keeps the bound on precision at `target`, matching ends. The
    seeds are the training nodes' matches. Matches are written to `out`, and certified;
    the certificate is written to `certificate`, if that is given.
    """
    opened = _checked(audit, target)
    draw, place = opened.drawn, Path(out)
    _refuse_own_files(place, opened, labels)
    truth = opened.truth(labels)
    known = labels_of(opened, truth, "all")
    check_all_labelled(draw, known)
    estimate = PrecisionEstimate(draw, known)
    x, y = graph(left, "left"), graph(right, "right")
    pairs = in_both(x, y, labels_of(opened, truth, "train"))
    if not pairs:
        raise InputError(
            "labels must give a training node a match in both networks, got none: they are the "
            "seeds. Draw with --train, and label those nodes."
        )
    seeds, likeness = read_seeds(pairs, x, y)
    adopted: list[Found] = []
    for done in range(draw.choices.rounds):
        found = _round(x, y, seeds, likeness, adopted, draw.choices, target, estimate)
        if found is None:
            break
        found.round[:] = done + 1
        adopted.append(found)
    matches = named(x, y, seeds, likeness, joined(adopted))
    with undone_on_error([place]):
        matches.save(place, force=force)
        given = {"labels": labels, "out": certificate, "force": force}
        return matches, certify(audit, holdout=place, threshold=0.0, **given)


def _checked(audit: Any, target: Any) -> Audit:
    if not isinstance(audit, str | os.PathLike):
        raise InputError(f"audit must be a folder, got {type(audit).__name__}. Give its path.")
    opened = Audit.open(audit)
    draw = opened.drawn
    if not draw.choices.rounds:
        raise InputError(
            "audit must be of a draw with rounds and options, got one without. "
            "Draw with --rounds 3 --options 2,3,4,5."
        )
    number = isinstance(target, int | float) and not isinstance(target, bool)
    if not (number and 0 < target < 1 and "precision" in draw.choices.metrics):
        raise InputError(
            "target must be a precision above 0 and below 1, of a draw that certifies precision, "
            f"got {target!r}. Give precision=0.95."
        )
    return opened


def _refuse_own_files(out: Path, audit: Audit, labels: Any) -> None:
    """Refuse to write matches over what a person or the draw made, even if forced."""
    ours = [*audit.files, audit.own_folder / "certificate.json"]
    ours += [Path(labels)] if isinstance(labels, str | os.PathLike) else []
    refuse_input_as_out(out, ours)


def _round(
    x: Graph,
    y: Graph,
    seeds: Any,
    likeness: Any,
    adopted: list[Found],
    choices: Choices,
    target: float,
    estimate: "PrecisionEstimate",
) -> Found | None:
    """Return what the most generous option that keeps the target finds; None if none does."""
    before = joined(adopted)
    start = np.concatenate([seeds, np.stack([before.x, before.y], axis=1)]).astype(np.int32)
    for threshold in choices.options:
        board, sweep = Board(x, y, start), []
        for degree in degrees_down(x, y):
            pairs = board.best(degree, threshold)
            board.adopt(pairs.x, pairs.y)
            sweep.append(pairs)
        found = joined(sweep)
        if estimate.precision(named(x, y, seeds, likeness, joined([*adopted, found]))) >= target:
            return found
    return None


class PrecisionEstimate:
    """The bound on precision that a certificate of matches would have, from the labels."""

    def __init__(self, draw: Draw, labels: list[tuple[str, str | None]]) -> None:
        self.draw = draw
        self.truth: Truth = {}
        for x, y in labels:
            self.truth.setdefault(x, set()).update([] if y is None else [y])

    def precision(self, matches: Matches) -> float:
        matched_to = dict(matches.pairs())
        size = self.draw.population.size
        train, validation = self.draw.trained, self.draw.validated
        in_train, labelled = set(train), {*train, *validation} & self.truth.keys()
        matched = len(matched_to.keys() - labelled)
        cells = [Cell(0, 0, 0, size - len(labelled) - matched), Cell(1, 1, 1, matched)]
        tally = Tally(
            size,
            tuple(self._label(x, matched_to) for x in train),
            tuple(self._label(x, matched_to) for x in validation),
            tuple(i for i, x in enumerate(validation) if x in in_train),
            tuple(cell for cell in cells if cell.nodes),
        )
        try:
            bounds = guarantees({"all": tally}, self.draw.choices, complete=False)
        except AssumptionError:  # no labelled node has a match: nothing is certified
            return 0.0
        return next(g.value for g in bounds if g.metric == "precision")

    def _label(self, x: str, matched_to: dict[str, str]) -> Label:
        true = self.truth.get(x)
        h = int(x in matched_to)
        if true is None:
            return Label.alone(h, None, None)
        return Label.alone(h, len(true), int(matched_to.get(x) in true))
