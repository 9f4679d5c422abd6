"""Columns of a matcher's table that are not read and may say which pairs are matches."""

import pyarrow as pa

ROWS = 60
UNREAD_VALUES = {  # by the values of two kinds of rows, or by all rows
    "T or F": ("T", "F"),
    "1 or -1": (1, -1),
    "1 or empty": (1, None),
    "match or nonmatch": ("match", "nonmatch"),
    "1 or 2": (1, 2),
    "on or off": ("on", "off"),
    "X or empty": ("X", ""),
    "M or U": ("M", "U"),
    "accept or reject": ("accept", "reject"),
    "0 and 1, and one 2": [2, *(i % 2 for i in range(ROWS - 1))],
    "all 0": (0, 0),
    "all empty": (None, None),
    "all no": ("no", "no"),
    "probabilities": [i / ROWS for i in range(ROWS)],
    "probabilities as text": [f"{i / ROWS:.3e}" for i in range(ROWS)],
    "per cent": [f"{i}%" for i in range(ROWS)],
    "decimal commas": [f"0,{i:02}" for i in range(ROWS)],
    "mostly words": [*(f"word {i}" for i in range(ROWS - 1)), "0.5"],
    "numbers and words": [f"0.{i} likely" for i in range(ROWS)],
    "reasons, or empty": [*(f"wrong street {i}" for i in range(ROWS - 1)), ""],
    "days, or empty": [*(f"2026-01-01 00:00:{i}" for i in range(ROWS - 1)), None],
}


def unread(values, name="link"):
    values = [values[i % 2] for i in range(ROWS)] if isinstance(values, tuple) else values
    n = range(ROWS)
    return pa.table({"x": [f"p{i % 40}" for i in n], "y": [f"q{i}" for i in n], name: values})
