"""A plan's curve over labels, as SVG or in an offline page."""

from html import escape
from pathlib import Path
from typing import TYPE_CHECKING

from matchbound.charts import Series, line_chart
from matchbound.errors import InputError
from matchbound.files import write_whole
from matchbound.plans.outlooks import Prospects

if TYPE_CHECKING:
    from matchbound.plans.plan import Plan

POINTS = 12
PAGE = """<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<title>{title}</title>
<style>
:root {{ color-scheme: light dark; }}
body {{ font: 16px system-ui, sans-serif; max-width: 60rem; margin: 2rem auto; padding: 0 1rem; }}
svg {{ width: 100%; height: auto; }} pre {{ overflow-x: auto; }}
</style></head>
<body><h1>{title}</h1>
{svg}<pre>{text}</pre></body></html>
"""
TITLE = "A plan for labels"


def check_plot(path: str | Path) -> Path:
    path = Path(path)
    if path.suffix not in (".svg", ".html"):
        raise InputError(f"plot must end in .svg or .html, got {str(path)!r}. Rename it.")
    return path


def save(plan: "Plan", path: str | Path, *, force: bool) -> None:
    path = check_plot(path)
    svg = _powers(plan) if plan.question.targets and plan.labels is None else _bounds(plan)
    page = PAGE.format(title=TITLE, svg=svg, text=escape(str(plan)))
    write_whole({path: page if path.suffix == ".html" else svg}, force=force)


def _budgets(plan: "Plan") -> list[int]:
    most = plan.rows[-1].labels
    return sorted({max(round(most * i / POINTS), 1) for i in range(1, POINTS + 1)})


def _powers(plan: "Plan") -> str:
    """The probability of reaching each target, and all of them."""
    prospects, targets = Prospects(plan.question), plan.question.targets
    budgets = _budgets(plan)
    series = [
        Series(metric, [(n, prospects.power(n, metric)) for n in budgets]) for metric in targets
    ]
    if len(targets) > 1:
        series.append(Series("together, at least", [(n, prospects.together(n)) for n in budgets]))
    wanted = ", ".join(f"{metric} {value:g}" for metric, value in targets.items())
    needed = "No number of labels is enough." if plan.needed is None else f"{plan.needed} needed."
    return line_chart(
        title=f"Probability of certifying {wanted}",
        description=f"Over 0 to {budgets[-1]} validation labels. {needed}",
        x="validation labels",
        y="probability",
        series=series,
        least=0,
        line=(plan.question.power, "wanted"),
    )


def _bounds(plan: "Plan") -> str:
    """The bounds to expect."""
    prospects, budgets = Prospects(plan.question), _budgets(plan)
    series = [
        Series(metric, [(n, margin.typical(n)) for n in budgets])
        for metric, margin in prospects.margins.items()
    ]
    told = ", ".join(f"{one.name} {one.points[-1][1]:.4f}" for one in series)
    return line_chart(
        title="Bounds to expect",
        description=f"Over 0 to {budgets[-1]} validation labels, at the end {told}.",
        x="validation labels",
        y="bound from the sample expected",
        series=series,
        least=min(y for one in series for _, y in one.points[1:] or one.points),
    )
