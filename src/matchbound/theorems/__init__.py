"""Compute guarantees from a tally, under the choices made before labelling."""

from matchbound.theorems.choices import Choices
from matchbound.theorems.design import Design
from matchbound.theorems.estimates import Estimate, estimates, sample_mean
from matchbound.theorems.grown import Change, New
from matchbound.theorems.growth import Cohort, Growth, check_growth, uncovered
from matchbound.theorems.guarantees import (
    ROUNDING,
    SCALE,
    Guarantee,
    Threshold,
    choose_threshold,
    guarantees,
    outwards,
    within,
)
from matchbound.theorems.label_errors import survives, why_not_computable, with_errors
from matchbound.theorems.limits import found_outside, limit, most_true, provable_limit, proved_limit
from matchbound.theorems.members import Line, Steps, worst_ratio
from matchbound.theorems.metrics import METRICS, Metric, matched_by_guess
from matchbound.theorems.others import holdout_alone, patched_holdout
from matchbound.theorems.parts import WHOLE, Part, as_text, candidate, parts
from matchbound.theorems.planned import brought_variances, planned_variances
from matchbound.theorems.probabilities import at_least, percent
from matchbound.theorems.tally import Cell, Label, Tally
from matchbound.theorems.terms import refuse_several
from matchbound.theorems.weighted import Holdout

__all__ = [
    "METRICS",
    "ROUNDING",
    "SCALE",
    "WHOLE",
    "Cell",
    "Change",
    "Choices",
    "Cohort",
    "Design",
    "Estimate",
    "Growth",
    "Guarantee",
    "Holdout",
    "Label",
    "Line",
    "Metric",
    "New",
    "Part",
    "Steps",
    "Tally",
    "Threshold",
    "as_text",
    "at_least",
    "brought_variances",
    "candidate",
    "check_growth",
    "choose_threshold",
    "estimates",
    "found_outside",
    "guarantees",
    "holdout_alone",
    "limit",
    "matched_by_guess",
    "most_true",
    "outwards",
    "parts",
    "patched_holdout",
    "percent",
    "planned_variances",
    "provable_limit",
    "proved_limit",
    "refuse_several",
    "sample_mean",
    "survives",
    "uncovered",
    "why_not_computable",
    "with_errors",
    "within",
    "worst_ratio",
]
