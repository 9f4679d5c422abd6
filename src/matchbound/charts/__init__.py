"""Charts of numbers as SVG and HTML."""

from matchbound.charts.bars import Bar, picture
from matchbound.charts.lines import Series, line_chart

__all__ = ["Bar", "Series", "line_chart", "picture"]
