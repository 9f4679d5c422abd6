"""A plan's chart over the number of labels, as SVG or in an offline page."""

from html import escape
from pathlib import Path

from matchbound.charts import Series, line_chart
from matchbound.errors import InputError
from matchbound.files import write_whole
from matchbound.plans.outlooks import Prospects
from matchbound.plans.question import Question

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


def save(svg: str, text: str, path: str | Path, *, force: bool) -> None:
    """Write a chart as SVG, or as a page with the plan in words below it."""
    path = check_plot(path)
    page = PAGE.format(title=TITLE, svg=svg, text=escape(text))
    write_whole({path: page if path.suffix == ".html" else svg}, force=force)


def _budgets(most: int) -> list[int]:
    return sorted({max(round(most * i / POINTS), 1) for i in range(1, POINTS + 1)})


def powers(question: Question, needed: int | None, most: int) -> str:
    """A chart of the probability of reaching each target, and all of them, up to `most` labels."""
    prospects, targets = Prospects(question), question.targets
    budgets = _budgets(most)
    series = [
        Series(metric, [(n, prospects.power(n, metric)) for n in budgets]) for metric in targets
    ]
    if len(targets) > 1:
        series.append(Series("together, at least", [(n, prospects.together(n)) for n in budgets]))
    wanted = ", ".join(f"{metric} {value:g}" for metric, value in targets.items())
    enough = "No number of labels is enough." if needed is None else f"{needed} needed."
    return line_chart(
        title=f"Probability of certifying {wanted}",
        description=f"Over 0 to {budgets[-1]} validation labels. {enough}",
        x="validation labels",
        y="probability",
        series=series,
        least=0,
        line=(question.power, "wanted"),
    )


def expected_bounds(question: Question, most: int) -> str:
    """A chart of the bounds to expect, up to `most` labels."""
    prospects, budgets = Prospects(question), _budgets(most)
    series = [
        Series(metric, [(n, margin.typical(n)) for n in budgets])
        for metric, margin in prospects.margins.items()
    ]
    last = ", ".join(f"{curve.name} {curve.points[-1][1]:.4f}" for curve in series)
    return line_chart(
        title="Bounds to expect",
        description=f"Over 0 to {budgets[-1]} validation labels, at the end {last}.",
        x="validation labels",
        y="bound from the sample expected",
        series=series,
        least=min(y for curve in series for _, y in curve.points[1:] or curve.points),
    )
