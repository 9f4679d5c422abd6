"""A plan in words, for a terminal."""

import math
from collections.abc import Mapping
from typing import TYPE_CHECKING

from matchbound.plans.outlooks import MOST, Outlook, Row
from matchbound.plans.question import Question
from matchbound.plans.simulation import FEW, MANY

if TYPE_CHECKING:
    from matchbound.plans.plan import Plan


def describe(plan: "Plan") -> str:
    question = plan.question
    lines = [*_assumed(question), *_answer(plan), *table(plan), *_reading(plan)]
    return "\n".join([*lines, *_division(plan), *_next(plan)])


def sign(metric: str) -> str:
    return "≤" if metric == "error-rate" else "≥"


def table(plan: "Plan") -> list[str]:
    """Columns as wide as their heads; numbers rounded against us."""
    question = plan.question
    heads = ["labels"]
    for metric in question.choices.metrics:
        heads.append(metric)
        if plan.labels is not None:
            heads.append("likely")
        if metric in question.targets:
            heads.append(f"P({sign(metric)} {question.targets[metric]:g})")
    several = len(question.targets) > 1
    rows = [_cells(row, several) for row in plan.rows]
    heads += ["together ≥"] if several else []
    return [
        "  "
        + "  ".join(cell.rjust(max(len(head), 6)) for cell, head in zip(cells, heads, strict=True))
        for cells in (heads, *rows)
    ]


def _cells(row: Row, several: bool) -> list[str]:
    cells = [str(row.labels)]
    for metric, outlook in row.outlooks.items():
        cells += _of_metric(metric, outlook)
    return [*cells, _down(row.together)] if several and row.together is not None else cells


def _of_metric(metric: str, outlook: Outlook) -> list[str]:
    cells = [bound(metric, outlook.typical)]
    if outlook.likely is not None:
        cells.append(f"{outlook.likely:.3f}")
    return cells if outlook.power is None else [*cells, _down(outlook.power)]


def bound(metric: str, value: float) -> str:
    rounded = math.ceil if metric == "error-rate" else math.floor
    return f"{rounded(round(value * 1e4, 6)) / 1e4:.4f}"


def _down(value: float) -> str:
    return f"{math.floor(value * 1e4) / 1e4:.4f}"


def _assumed(question: Question) -> list[str]:
    choices = question.choices
    values = ", ".join(f"{metric} {value:g}" for metric, value in choices.guesses.items())
    lines = [
        f"If {values}; {question.matched:.4g} of {question.size} nodes with a true match; "
        f"δ = {choices.delta:g}; {choices.theorem}."
    ]
    if question.gap_rate is None:
        return [*lines, "One matcher, which no validation label trained."]
    where = f"on a sample of {choices.gap} nodes" if choices.gap else "on all nodes"
    return [
        *lines,
        f"The complete matcher has another match at {question.gap_rate:g} of the nodes, compared "
        f"{where}.",
    ]


def _answer(plan: "Plan") -> list[str]:
    question = plan.question
    if plan.labels is not None:
        return []
    wanted = " and ".join(
        f"{metric} {sign(metric)} {value:g}" for metric, value in question.targets.items()
    )
    if plan.needed is not None:
        together = " together" if len(question.targets) > 1 else ""
        return [
            f"Labels needed: {plan.needed} nodes to validate on, for {wanted}{together} with "
            f"probability {question.power:g}."
        ]
    return [_out_of_reach(question, metric, plan.limits) for metric in question.targets]


def _out_of_reach(question: Question, metric: str, limits: Mapping[str, float]) -> str:
    target, limit = question.targets[metric], limits[metric]
    within = limit < target if metric == "error-rate" else limit > target
    best = f"its bound tends to {bound(metric, limit)} as labels are added"
    if within:
        return f"{metric} {sign(metric)} {target:g} is in reach, {best}; not with {MOST} labels."
    return f"No number of labels reaches {metric} {sign(metric)} {target:g}: {best}."


def _reading(plan: "Plan") -> list[str]:
    lines = ["A metric's column: the bound from the sample expected."]
    if plan.labels is not None:
        lines.append(f"likely: the bound that is reached with probability {plan.question.power:g}.")
    errors = [o.error for row in plan.rows for o in row.outlooks.values()]
    if any(errors):
        lines += [
            f"P: from {MANY} simulated draws at the labels asked for, {FEW} elsewhere, less two "
            "standard errors",
            f"(at most {math.ceil(max(errors) * 1e4) / 1e4:g}); where values are 0 or 1, summed "
            "over all samples.",
        ]
    elif plan.question.targets:
        lines.append("P: summed over all samples.")
    return lines


def _division(plan: "Plan") -> list[str]:
    labels = plan.needed if plan.labels is None else plan.labels
    if not labels or labels < 10:
        return []
    costs = ", ".join(f"{metric} {cost:.4f}" for metric, cost in plan.moving.items())
    return [
        "Division: validation labels make the bounds; the complete matcher learns from them too. "
        "Training",
        "labels serve the holdout matcher alone: none are needed if it learns from no labels. "
        f"Moving {labels // 10}",
        f"of {labels} labels from validation to training costs the bounds {costs}:",
        "do it if it brings the holdout matcher, or its likeness to the complete one, more than "
        "that.",
    ]


def _next(plan: "Plan") -> list[str]:
    """The draw that the plan is of: bets sized by other values would not have its power."""
    if plan.command is None:
        return []
    return ["Draw with these values, or the bounds will be others:", f"  {plan.command}"]
