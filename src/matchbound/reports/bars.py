"""Bounds as a picture: where each metric must lie, the estimate, the target, on one scale.

Places are percentages, so that a picture fits any width while its text keeps its size.
"""

import math
from collections.abc import Callable, Mapping, Sequence
from html import escape

from matchbound.certificates.words import rounded, subject
from matchbound.theorems.guarantees import Guarantee

Place = Callable[[float], str]


def picture(found: Sequence[Guarantee], targets: Mapping[str, float]) -> str:
    """A bar a guarantee and one axis below; what the shapes say is said in words too."""
    low, high = _scale(found, targets)

    def at(value: float) -> str:
        return f"{100 * (value - low) / (high - low):.2f}%"

    rows = "".join(_row(g, targets.get(g.metric), at, low, high) for g in found)
    return f'<div class="picture">{rows}{_axis(low, high, at)}</div>'


def _scale(found: Sequence[Guarantee], targets: Mapping[str, float]) -> tuple[float, float]:
    """Tenths that hold every number, and the end to which a metric may go."""
    numbers = [g.value for g in found] + [g.estimate for g in found if g.estimate is not None]
    numbers += targets.values()
    ends = [1.0 if g.side == "lower" else 0.0 for g in found]
    low = math.floor(min([*numbers, *ends]) * 10 - 0.3) / 10
    high = math.ceil(max([*numbers, *ends]) * 10 + 0.3) / 10
    return max(low, 0.0), min(high, 1.0)


def _row(g: Guarantee, target: float | None, at: Place, low: float, high: float) -> str:
    start, end = (g.value, high) if g.side == "lower" else (low, g.value)
    width = f"{100 * (end - start) / (high - low):.2f}%"
    shapes = [
        f'<rect class="range" x="{at(start)}" y="14" width="{width}" height="14" rx="3"/>',
        f'<line class="edge" x1="{at(g.value)}" x2="{at(g.value)}" y1="9" y2="33"/>',
    ]
    said = f"{subject(g)} {rounded(g)}"
    if g.estimate is not None:
        shapes.append(f'<circle class="estimate" cx="{at(g.estimate)}" cy="21" r="5"/>')
        said += f"; sample mean {g.estimate:.4f}"
    if target is not None:
        shapes.append(
            f'<svg class="target" x="{at(target)}" overflow="visible">'
            '<path d="M0 8l5 -7h-10z"/><line y1="8" y2="34"/></svg>'
        )
        said += f"; target {target:g}"
    return (
        f"<p>{escape(subject(g))} <b>{escape(rounded(g))}</b></p>"
        f'<svg class="bar" role="img" aria-label="{escape(said)}">'
        f"<title>{escape(said)}</title>{''.join(shapes)}</svg>"
    )


def _axis(low: float, high: float, at: Place) -> str:
    step = next(s for s in (0.02, 0.05, 0.1, 0.2) if high - low <= 6 * s)
    ticks = [low + i * step for i in range(round((high - low) / step) + 1)]
    marks = "".join(
        f'<line class="axis" x1="{at(tick)}" x2="{at(tick)}" y1="1" y2="5"/>'
        f'<text class="tick" x="{at(tick)}" y="19" text-anchor="{_anchor(tick, low, high)}">'
        f"{tick:.{2 if step < 0.1 else 1}f}</text>"
        for tick in ticks
    )
    line = '<line class="axis" x1="0%" x2="100%" y1="1" y2="1"/>'
    return f'<svg class="scale" aria-hidden="true">{line}{marks}</svg>'


def _anchor(tick: float, low: float, high: float) -> str:
    return "start" if tick <= low else "end" if tick >= high - 1e-9 else "middle"
