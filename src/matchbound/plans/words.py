"""A plan in words, for a terminal."""

import math
from collections.abc import Mapping, Sequence

from matchbound.plans.margins import matches_each
from matchbound.plans.outlooks import MOST, Outlook, OutlookRow
from matchbound.plans.question import Question
from matchbound.plans.simulation import FEW, MANY
from matchbound.theorems import METRICS, Choices


def table(question: Question, rows: Sequence[OutlookRow], *, likely: bool) -> list[str]:
    """The lines of the table; columns are as wide as their heads, numbers never too good."""
    heads = ["labels"]
    for metric in question.choices.metrics:
        heads.append(metric)
        if likely:
            heads.append("likely")
        if metric in question.targets:
            heads.append(f"P({METRICS[metric].sign} {question.targets[metric]:g})")
    several = len(question.targets) > 1
    heads += ["together ≥"] if several else []
    return [
        "  "
        + "  ".join(cell.rjust(max(len(head), 6)) for cell, head in zip(cells, heads, strict=True))
        for cells in (heads, *(_cells(row, several) for row in rows))
    ]


def _cells(row: OutlookRow, several: bool) -> list[str]:
    cells = [str(row.labels)]
    for metric, outlook in row.outlooks.items():
        cells += _of_metric(metric, outlook)
    return [*cells, _down(row.together)] if several and row.together is not None else cells


def _of_metric(metric: str, outlook: Outlook) -> list[str]:
    cells = [METRICS[metric].text(outlook.typical)]
    if outlook.likely is not None:
        cells.append(f"{outlook.likely:.3f}")
    return cells if outlook.power is None else [*cells, _down(outlook.power)]


def _down(value: float) -> str:
    return f"{math.floor(value * 1e4) / 1e4:.4f}"


def assumed(question: Question) -> list[str]:
    """The plan's assumptions about the population and the matchers."""
    choices = question.choices
    values = ", ".join(f"{metric} {value:g}" for metric, value in choices.guesses.items())
    lines = [
        f"If {values}; {question.matched:.4g} of {question.size} nodes with a true match; "
        f"δ = {choices.delta:g}; {choices.theorem}."
    ]
    if question.gap_rate is None:
        lines.append("One matcher, which no validation label trained.")
    else:
        where = f"on a sample of {choices.gap} nodes" if choices.gap else "on all nodes"
        lines.append(
            f"The complete matcher has another match at {question.gap_rate:g} of the nodes, "
            f"compared {where}."
        )
    return [*lines, *_matches_assumed(choices), *_limit_assumed(choices)]


def _matches_assumed(choices: Choices) -> list[str]:
    """How many matches nodes are taken to have, where a metric depends on it."""
    rows = [METRICS[metric] for metric in choices.metrics]
    kinds = ["pairwise"] if any(row.ratio.pooled for row in rows) else []
    kinds += ["B-cubed"] if any(row.of_clusters for row in rows) else []
    if not kinds:
        return []
    each = matches_each(choices)
    return [
        f"Nodes with matches are taken to have {each} each, all right or all wrong. Nodes with "
        "many matches make",
        f"{' and '.join(kinds)} bounds wider: label more than planned if there are such nodes.",
    ]


def _limit_assumed(choices: Choices) -> list[str]:
    """Which limit on true matches is planned with, where a metric needs one."""
    if not any(METRICS[metric].needs_limit for metric in choices.metrics):
        return []
    if choices.limit_by_sample:
        return [
            "Pairwise recall and F1 use the limit on true matches that the sample proves. A limit "
            "that you promise",
            "(--most-true-matches) is smaller, and needs fewer labels.",
        ]
    if choices.among_records_with_at_most:
        limit = choices.among_records_with_at_most
        return [f"Pairwise recall and F1 are about nodes with at most {limit} true matches."]
    promised = choices.most_true_matches or 1
    return [
        f"For pairwise recall and F1, no node has more than {promised} true matches, as promised."
    ]


def answer(question: Question, needed: int | None, limits: Mapping[str, float]) -> list[str]:
    """The labels needed for the targets; or each bound's limit, if no number is enough."""
    wanted = " and ".join(map(_wanted, question.targets.items()))
    if needed is not None:
        together = " together" if len(question.targets) > 1 else ""
        return [
            f"Labels needed: {needed} nodes to validate on, for {wanted}{together} with "
            f"probability {question.power:g}."
        ]
    return [_out_of_reach(target, limits[target[0]]) for target in question.targets.items()]


def _wanted(target: tuple[str, float]) -> str:
    """A target in words, such as `precision ≥ 0.9`."""
    metric, value = target
    return f"{metric} {METRICS[metric].sign} {value:g}"


def _out_of_reach(target: tuple[str, float], limit: float) -> str:
    metric, value = METRICS[target[0]], target[1]
    best = f"its bound tends to {metric.text(limit)} as labels are added"
    if limit != value and metric.meets(limit, value):
        return f"{_wanted(target)} is in reach, {best}; not with {MOST} labels."
    return f"No number of labels reaches {_wanted(target)}: {best}."


def reading(question: Question, rows: Sequence[OutlookRow], *, likely: bool) -> list[str]:
    """How to read the table."""
    lines = ["A metric's column: the bound from the sample expected."]
    if likely:
        lines.append(f"likely: the bound that is reached with probability {question.power:g}.")
    errors = [o.error for row in rows for o in row.outlooks.values()]
    if any(errors):
        lines += [
            f"P: from {MANY} simulated draws at the labels asked for, {FEW} elsewhere, less two "
            "standard errors",
            f"(at most {math.ceil(max(errors) * 1e4) / 1e4:g}); where values are 0 or 1, summed "
            "over all samples.",
        ]
    elif question.targets:
        lines.append("P: summed over all samples.")
    return lines


def division(labels: int | None, moving: Mapping[str, float]) -> list[str]:
    """How much bounds lose if a tenth of the labels train rather than validate."""
    if not labels or labels < 10:
        return []
    costs = ", ".join(f"{metric} {cost:.4f}" for metric, cost in moving.items())
    return [
        "Division: validation labels make the bounds; the complete matcher learns from them too. "
        "Training",
        "labels serve the holdout matcher alone: none are needed if it learns from no labels. "
        f"Moving {labels // 10}",
        f"of {labels} labels from validation to training costs the bounds {costs}:",
        "do it if it brings the holdout matcher, or its likeness to the complete one, more than "
        "that.",
    ]


def next_step(command: str | None) -> list[str]:
    """The command that draws as planned: with other guesses, bets would not have the power."""
    if command is None:
        return []
    return ["Draw with these values, or the bounds will be others:", f"  {command}"]
