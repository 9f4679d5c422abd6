"""Bounds as bars on one scale: the range in which a metric lies, the estimate, the target.

Coordinates are percentages, so that a picture fits any width while its text keeps its size.
"""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from html import escape

Coordinate = Callable[[float], str]


@dataclass(frozen=True)
class Bar:
    """A lower or upper bound on `subject`, as a number and as `text`."""

    subject: str
    text: str
    value: float
    is_lower: bool
    estimate: float | None = None
    target: float | None = None


def picture(bars: Sequence[Bar]) -> str:
    """Draw a bar for each bound, and one axis below; each bar has a description in words too."""
    low, high = _scale(bars)

    def at(value: float) -> str:
        return f"{100 * (value - low) / (high - low):.2f}%"

    rows = "".join(_row(bar, at, low, high) for bar in bars)
    return f'<div class="picture">{rows}{_axis(low, high, at)}</div>'


def _scale(bars: Sequence[Bar]) -> tuple[float, float]:
    """The ends of the scale: tenths around all numbers, and around the best possible value."""
    each = [number for bar in bars for number in (bar.value, bar.estimate, bar.target)]
    numbers = [number for number in each if number is not None]
    ends = [1.0 if bar.is_lower else 0.0 for bar in bars]
    low = math.floor(min([*numbers, *ends]) * 10 - 0.3) / 10
    high = math.ceil(max([*numbers, *ends]) * 10 + 0.3) / 10
    return max(low, 0.0), min(high, 1.0)


def _row(bar: Bar, at: Coordinate, low: float, high: float) -> str:
    start, end = (bar.value, high) if bar.is_lower else (low, bar.value)
    width = f"{100 * (end - start) / (high - low):.2f}%"
    shapes = [
        f'<rect class="range" x="{at(start)}" y="14" width="{width}" height="14" rx="3"/>',
        f'<line class="edge" x1="{at(bar.value)}" x2="{at(bar.value)}" y1="9" y2="33"/>',
    ]
    description = f"{bar.subject} {bar.text}"
    if bar.estimate is not None:
        shapes.append(f'<circle class="estimate" cx="{at(bar.estimate)}" cy="21" r="5"/>')
        description += f"; sample mean {bar.estimate:.4f}"
    if bar.target is not None:
        shapes.append(
            f'<svg class="target" x="{at(bar.target)}" overflow="visible">'
            '<path d="M0 8l5 -7h-10z"/><line y1="8" y2="34"/></svg>'
        )
        description += f"; target {bar.target:g}"
    return (
        f"<p>{escape(bar.subject)} <b>{escape(bar.text)}</b></p>"
        f'<svg class="bar" role="img" aria-label="{escape(description)}">'
        f"<title>{escape(description)}</title>{''.join(shapes)}</svg>"
    )


def _axis(low: float, high: float, at: Coordinate) -> str:
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
