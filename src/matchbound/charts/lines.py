"""Line charts as SVG, with light and dark colours, and dashes that distinguish curves too."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from html import escape

WIDTH, HEIGHT = 720, 440
LEFT, RIGHT, TOP, BOTTOM = 70, 36, 50, 110
LIGHT = ("#fff", "#1a1a1a", "#ddd", "#b34700", "#00674f", "#0059a8", "#8f2f74")
DARK = ("#16181d", "#e8e8e8", "#3a3d44", "#ff9a4d", "#4fd1ad", "#6db8ff", "#e58fcb")


def _colours(page: str, ink: str, grid: str, *curves: str) -> str:
    """CSS rules of a colour scheme. No CSS variables: not every viewer of SVG supports them."""
    rules = [f".page {{ fill: {page} }} text {{ fill: {ink} }} .axis {{ stroke: {ink} }}"]
    rules.append(f".grid {{ stroke: {grid} }}")
    for i, colour in enumerate(curves):
        rules.append(f".c{i} .curve {{ stroke: {colour} }} .c{i} .dot {{ fill: {colour} }}")
    return " ".join(rules)


STYLE = (
    "text { font: 14px system-ui, sans-serif } .curve { fill: none; stroke-width: 2.5 }\n"
    f"{_colours(*LIGHT)}\n@media (prefers-color-scheme: dark) {{ {_colours(*DARK)} }}"
)
DASHES = ("none", "9 5", "2 4", "12 4 2 4")


@dataclass(frozen=True)
class Series:
    """A curve and its name."""

    name: str
    points: Sequence[tuple[float, float]]


@dataclass(frozen=True)
class _Scale:
    """A function from values to coordinates on an axis."""

    least: float
    most: float
    start: float
    end: float

    def __call__(self, value: float) -> float:
        share = (value - self.least) / (self.most - self.least)
        return round(self.start + share * (self.end - self.start), 2)

    @property
    def ticks(self) -> list[float]:
        step = _step(self.most - self.least)
        first = math.ceil(round(self.least / step, 6))
        return [round(i * step, 10) for i in range(first, math.floor(self.most / step + 1e-6) + 1)]


def line_chart(
    *,
    title: str,
    description: str,
    x: str,
    y: str,
    series: Sequence[Series],
    least: float,
    line: tuple[float, str] | None = None,
    names: Sequence[str] = (),
) -> str:
    """An `<svg>` of curves without their values below `least`; `line` is a level and its name.

    `names` stand below 1, 2, 3, …, instead of numbers.
    """
    ends = [point[0] for curve in series for point in curve.points]
    tops = [point[1] for curve in series for point in curve.points] + ([line[0]] if line else [])
    across = _Scale(0, len(names) + 1 if names else max(ends), LEFT, WIDTH - RIGHT)
    up = _Scale(least, max(*tops, least + 1e-3) + 0.01, HEIGHT - BOTTOM, TOP)
    curves = [part for i, curve in enumerate(series) for part in _curve(i, curve, across, up)]
    return "\n".join(
        [
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" '
            f'role="img" aria-label="{escape(f"{title}. {description}")}">',
            f"<title>{escape(title)}</title>",
            f"<desc>{escape(description)}</desc>",
            f"<style>{STYLE}</style>",
            f'<rect class="page" width="{WIDTH}" height="{HEIGHT}"/>',
            _text(WIDTH / 2, 26, title, "middle"),
            *_axes(across, up, x, y),
            *_below(across, up, _named(names) if names else [(t, f"{t:g}") for t in across.ticks]),
            *(_level(*line, up) if line else []),
            *curves,
            *_legend(series),
            "</svg>\n",
        ]
    )


def _axes(across: _Scale, up: _Scale, x: str, y: str) -> list[str]:
    parts = []
    for tick in up.ticks:
        parts.append(_segment("grid", across.start, up(tick), across.end, up(tick)))
        parts.append(_text(across.start - 8, up(tick) + 5, f"{tick:g}", "end"))
    middle = (up.start + up.end) / 2
    turned = f'<text transform="translate(18 {middle}) rotate(-90)" text-anchor="middle">'
    return [
        *parts,
        _segment("axis", across.start, up.start, across.end, up.start),
        _text((across.start + across.end) / 2, up.start + 46, x, "middle"),
        f"{turned}{escape(y)}</text>",
    ]


NAMED, LETTERS = 5, 13
"""How many names stand below an axis, and how much of each: more would overlap."""


def _named(names: Sequence[str]) -> list[tuple[float, str]]:
    """The places of some names, the last among them; a long one is cut."""
    every = math.ceil(len(names) / NAMED)
    kept = [i for i in range(len(names)) if (len(names) - 1 - i) % every == 0]
    return [
        (i + 1, names[i] if len(names[i]) <= LETTERS else f"{names[i][: LETTERS - 1]}…")
        for i in kept
    ]


def _below(across: _Scale, up: _Scale, ticks: Sequence[tuple[float, str]]) -> list[str]:
    """What stands below the axis."""
    parts = []
    for place, text in ticks:
        parts.append(_segment("axis", across(place), up.start, across(place), up.start + 5))
        parts.append(_text(across(place), up.start + 22, text, "middle"))
    return parts


def _curve(number: int, curve: Series, across: _Scale, up: _Scale) -> list[str]:
    points = [(across(x), up(y)) for x, y in curve.points if y >= up.least]
    path = "M" + " L".join(f"{x} {y}" for x, y in points) if points else ""
    dashes = DASHES[number % len(DASHES)]
    dots = [f'<circle class="dot" cx="{x}" cy="{y}" r="3"/>' for x, y in points]
    return [
        f'<g class="c{number % 4}"><title>{escape(curve.name)}</title>',
        f'<path class="curve" stroke-dasharray="{dashes}" d="{path}"/>',
        *dots,
        "</g>",
    ]


def _level(value: float, name: str, up: _Scale) -> list[str]:
    return [
        _segment("axis", LEFT, up(value), WIDTH - RIGHT, up(value)),
        _text(WIDTH - RIGHT, up(value) - 6, f"{name} {value:g}", "end"),
    ]


def _legend(series: Sequence[Series]) -> list[str]:
    parts: list[str] = []
    x, y = LEFT, HEIGHT - 22
    for i, curve in enumerate(series):
        stroke = f'stroke-dasharray="{DASHES[i % len(DASHES)]}"'
        parts.append(f'<g class="c{i % 4}"><path class="curve" {stroke} d="M{x} {y} h34"/></g>')
        parts.append(_text(x + 42, y + 5, curve.name, "start"))
        x += 62 + 8 * len(curve.name)  # a letter is about 8 wide
    return parts


def _segment(kind: str, x1: float, y1: float, x2: float, y2: float) -> str:
    return f'<line class="{kind}" x1="{x1}" y1="{y1}" x2="{x2}" y2="{y2}"/>'


def _text(x: float, y: float, text: str, anchor: str) -> str:
    return f'<text x="{x}" y="{y}" text-anchor="{anchor}">{escape(text)}</text>'


def _step(width: float) -> float:
    """The distance of ticks: a round number that divides a width into four to eight parts."""
    power = 10.0 ** math.floor(math.log10(width))
    return next(step for step in (power / 5, power / 2, power, 2 * power) if width / step <= 8)
