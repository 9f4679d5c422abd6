"""An audit with the matchers' outputs, read and counted: what certificates and estimates need."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from matchbound.audits import (
    Audit,
    Draw,
    Identity,
    Inputs,
    OutputRef,
    Supplied,
    load,
    read_certified,
)
from matchbound.certificates.cohorts import Cohorts, read_cohorts
from matchbound.engines import Engine, Progress
from matchbound.errors import InputError
from matchbound.tables import Output
from matchbound.tallies import Setting, Unclosed, tally_parts
from matchbound.theorems import Choices, Growth, Tally


@dataclass(frozen=True)
class Counted:
    """The tallies of an audit, the choices that they were counted for, and the tables read.

    `unclosed` has the parts whose pairs are counted as pairs, though their clusters link more.
    `only_own_rows`: every labelled match is a row of the holdout matcher's own table. `growth` is
    what became of the population since the draw, and `cohorts` are later draws' certificates.
    """

    choices: Choices
    exploratory: tuple[str, ...]
    setting: Setting
    outputs: Sequence[Output]
    inputs: Inputs
    tallies: Mapping[str, Tally]
    unclosed: Mapping[str, Unclosed]
    only_own_rows: bool
    growth: Growth | None
    cohorts: Cohorts


def count_audit(
    con: Engine,
    audit: Audit,
    supplied: Supplied,
    changes: Mapping[str, object],
    identity: Identity,
    progress: Progress,
) -> Counted:
    """Read what the user supplied, and count it; `changes` are choices that are not the draw's."""
    choices, exploratory = audit.choices(changes)
    outputs = read_certified(con, audit, supplied, choices, identity)
    progress("reading the population and the labels")
    setting, origins, labels = load(con, audit, supplied, outputs, (choices, exploratory), identity)
    tallies = tally_parts(con, setting, outputs, supplied.unlabelled, progress)
    rows, left_out = tallies.rows, tallies.left_out
    certified = [OutputRef.of_output(o, rows[o.name], left_out[o.name]) for o in outputs]
    inputs, growth, cohorts = origins.inputs(labels, certified), tallies.growth, Cohorts()
    if growth is not None and supplied.cohorts:
        cohorts = read_cohorts(audit, supplied.cohorts, inputs)
        inputs = replace(inputs, cohorts=cohorts.refs)
        growth = replace(growth, cohorts=cohorts.tallies)
    counts = tallies.by_part, tallies.unclosed, tallies.only_own_rows, growth
    return Counted(choices, exploratory, setting, outputs, inputs, *counts, cohorts)


def check_matchers(holdout: Any, complete: Any, unlabelled: str) -> None:
    if holdout is None:
        alone = "complete alone" if complete is not None else "neither matcher"
        raise InputError(
            f"holdout must be given, got {alone}: labels that may have trained a matcher cannot "
            "test it. Give a matcher developed without the validation labels as holdout; if the "
            "labels trained nothing, that is your matcher itself."
        )
    if unlabelled not in ("refuse", "worst"):
        raise InputError(f"unlabelled must be refuse or worst, got {unlabelled!r}. Choose one.")


def check_validates(draw: Draw) -> None:
    if not draw.labels:
        raise InputError(
            "audit must hold nodes to validate on, got training nodes alone. Label them, develop "
            "the holdout matcher, then draw the others: draw POPULATION --labels N --holdout H."
        )
