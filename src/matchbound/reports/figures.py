"""The paper's four figures: lower bounds for the complete matcher over the number of labels.

The settings are those of *Validation of Matching*, section 7: 120 million nodes, two thirds of
them with a match, δ = 0.05 in all, a sample of 100,000 nodes for the gap. For recall, the complete
matcher drops a match at 0.1% of the nodes. For precision, d_p has mean 0.003, so the complete
matcher has another match at 0.15% of the nodes.
"""

from pathlib import Path

from matchbound.charts import Series, line_chart
from matchbound.files import write_whole
from matchbound.theorems import WHOLE, Cell, Choices, Label, Tally, guarantees

NODES, GAP_SAMPLE = 120_000_000, 100_000
CHANGED = {"recall": 0.001, "precision": 0.0015}
LABELS = (250, 500, 750, 1000, 1500, 2000, 3000, 4000, 5000, 6000, 8000, 10_000)
FIGURES = {
    "recall_85": ("recall", 0.85),
    "recall_95": ("recall", 0.95),
    "precision_85": ("precision", 0.85),
    "precision_95": ("precision", 0.95),
}
CURVES = {  # the paper's three bounds for every term; and sharp, with a census of the gap
    "hoeffding": ("paper", "hoeffding"),
    "bernstein": ("paper", "bernstein"),
    "hypergeometric": ("paper", "hypergeometric"),
    "sharp": ("sharp", "auto"),
}


def bound(metric: str, rate: float, curve: str, labels: int) -> float:
    """The metric's bound if two thirds of the labels have a match, and `rate` of these are right.

    >>> bound("recall", 0.85, "hypergeometric", 1000)
    0.816181
    """
    theorem, method = CURVES[curve]
    matched = round(labels * 2 / 3)
    right = round(rate * matched)
    validation = (
        *(Label.alone(1, 1, 1),) * right,
        *(Label.alone(1, 1, 0),) * (matched - right),
        *(Label.alone(0, 0, 0),) * (labels - matched),
    )
    sampled = theorem == "paper"
    nodes = GAP_SAMPLE if sampled else NODES - labels
    with_match = nodes * 2 // 3 if sampled else NODES * 2 // 3 - matched
    changed = round((GAP_SAMPLE if sampled else NODES) * CHANGED[metric])
    gap = (
        Cell(0, 0, 0, nodes - with_match),
        Cell(1, 1, 0, changed),
        Cell(1, 1, 1, with_match - changed),
    )
    choices = Choices(
        delta=0.05,
        metrics=(metric,),
        theorem=theorem,
        bound=method,
        one_to_one=True,
        at_most_one_match=True,
        gap=GAP_SAMPLE if sampled else 0,
    )
    tally = Tally(NODES, (), validation, (), gap)
    (guarantee,) = guarantees({WHOLE: tally}, choices, complete=True)
    return guarantee.value


def figures(out: str | Path, *, force: bool = False) -> list[Path]:
    """Write each figure as `.svg` and `.csv` to a folder."""
    files = {}
    for name, (metric, rate) in FIGURES.items():
        rows = [[bound(metric, rate, curve, labels) for curve in CURVES] for labels in LABELS]
        files[Path(out) / f"{name}.csv"] = _csv(rows)
        files[Path(out) / f"{name}.svg"] = _svg(metric, rate, rows)
    write_whole(files, force=force)
    return list(files)


def _csv(rows: list[list[float]]) -> str:
    lines = [",".join(("labels", *CURVES))]
    for labels, row in zip(LABELS, rows, strict=True):
        lines.append(",".join((str(labels), *(f"{value:.6f}" for value in row))))
    return "\n".join(lines) + "\n"


def _svg(metric: str, rate: float, rows: list[list[float]]) -> str:
    columns = zip(*rows, strict=True)
    at_1000 = dict(zip(CURVES, rows[LABELS.index(1000)], strict=True))
    values_at_1000 = ", ".join(f"{curve} {value:.4f}" for curve, value in at_1000.items())
    return line_chart(
        title=f"Lower bounds for complete {metric}, holdout {metric} {rate}",
        description=f"Bounds over 250 to 10000 verified nodes. From 1000: {values_at_1000}.",
        x="verified nodes",
        y=f"complete {metric} ≥",
        series=[
            Series(curve, list(zip(LABELS, values, strict=True)))
            for curve, values in zip(CURVES, columns, strict=True)
        ],
        least=rate - 0.15,
        line=(rate, f"holdout {metric}"),
    )
