"""The report's section on releases: their bounds as charts, their list, and the room left."""

import math
import re
from html import escape

from matchbound.certificates import Release, Releases, as_percent
from matchbound.charts import Series, line_chart
from matchbound.reports.sections import table
from matchbound.theorems import METRICS

UNBROKEN = re.compile("([≥≤]) ")  # a sign stays beside its number
MARGIN = 0.02  # of the scale, below the least number


def releases_section(releases: Releases) -> str:
    """The section; empty if there is no release."""
    if not releases.rows:
        return ""
    charts = "".join(f"<figure>{_chart(releases, m)}</figure>" for m in _charted(releases))
    rooms = "".join(f"<p>{escape(line)}</p>" for line in _rooms(releases))
    head, *rows = [[UNBROKEN.sub("\\1\u00a0", cell) for cell in row] for row in releases.table]
    listed = table(head, rows, "Releases, in the order of their certificates")
    meaning = f"<p>{escape(releases.room_words)}</p>" if releases.targets else ""
    return (
        f"<section><h2>Releases</h2><p>{escape(releases.heading)}</p>{charts}{rooms}"
        f'<div class="listed">{listed}</div>{meaning}</section>'
    )


def _charted(releases: Releases) -> list[str]:
    rows = releases.rows
    return [m for m in releases.metrics if any(row.bound(m) is not None for row in rows)]


def _chart(releases: Releases, metric: str) -> str:
    """The bounds on a metric over releases, with its target as a line."""
    row, target = METRICS[metric], releases.targets.get(metric)
    bounds = [(i, one, one.bound(metric)) for i, one in enumerate(releases.rows, start=1)]
    points = [(i, value) for i, _, value in bounds if value is not None]
    numbers = [value for _, value in points] + ([] if target is None else [target])
    told = [f"{one.name} {one.bound_text(metric)}" for _, one, value in bounds if value is not None]
    wanted = "" if target is None else f" Target {target:g}."
    side = "lower" if row.is_lower else "upper"
    return line_chart(
        title=f"Bounds on {metric}",
        description=f"{', '.join(told)}.{wanted}",
        x="release",
        y=f"{side} bound",
        series=[Series(metric, points)],
        least=max(math.floor((min(numbers) - MARGIN) * 100) / 100, 0.0),
        line=None if target is None else (target, "target"),
        names=[one.name for one in releases.rows],
    )


def _rooms(releases: Releases) -> list[str]:
    """How much of each target's room the last release leaves, in words."""
    rows = [row for row in releases.rows if row.certificate is not None]
    last = rows[-1:]
    lines = [
        _room(one, metric, releases.targets[metric]) for one in last for metric in one.verdicts
    ]
    return [line for line in lines if line]


def _room(last: Release, metric: str, target: float) -> str:
    verdict, gap = last.verdicts[metric], last.gap
    if not verdict.is_told or gap is None:
        return ""
    if verdict.room is None:
        return f"The holdout matcher itself does not have {metric} {target:g}."
    pairs, left = gap[0], verdict.room - gap[0]
    rest = f"{as_percent(left, math.floor)} is left" if left >= 0 else "nothing is left for certain"
    return (
        f"A release may differ from the holdout matcher in {verdict.room_text} of its pairs before "
        f"{metric} {target:g} can be lost; {last.name} differs in {as_percent(pairs, math.ceil)}, "
        f"so {rest}."
    )
