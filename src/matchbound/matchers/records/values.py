"""Texts that are numbers or dates."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
MOSTLY = 0.9
"""A field is one of numbers, or of dates, if at least this share of its different texts are."""
LARGEST = 1e30  # digits beyond are no quantity, and would not fit into the classifier's numbers
NUMBER = r"^[+-]?(\d+\.?\d*|\.\d+)$"
DATES = (
    r"^(?P<y>\d{4})[-/.](?P<m>\d{1,2})[-/.](?P<d>\d{1,2})(?:[ t].*)?$",
    r"^(?P<y>(?:1[6-9]|20)\d\d)(?P<m>0[1-9]|1[0-2])(?P<d>0[1-9]|[12]\d|3[01])$",
    r"^(?P<d>\d{1,2})[-/.](?P<m>\d{1,2})[-/.](?P<y>\d{4})$",
)


def as_numbers(texts: Any) -> Floats | None:
    """Parse texts as numbers, with or without a currency's sign and commas at the thousands."""
    import pyarrow as pa
    import pyarrow.compute as pc

    bare = pc.replace_substring_regex(texts, "^[$€£¥] ?|,", "")
    bare = pc.if_else(pc.match_substring_regex(bare, NUMBER), bare, pa.scalar(None, bare.type))
    numbers = pc.cast(bare, pa.float64()).to_numpy(zero_copy_only=False)
    return _if_most(np.where(np.abs(numbers) < LARGEST, numbers, np.nan))


def as_days(texts: Any) -> Floats | None:
    """Parse texts as dates, in days since 1970: year first, or last with slashes between.

    Of 3/4/2020 the first is the day, unless a text has a number above 12 in the second place.
    """
    days = np.full(len(texts), np.nan)
    for pattern in DATES:
        days = np.where(np.isnan(days), _days(texts, pattern), days)
    return _if_most(days)


def _days(texts: Any, pattern: str) -> Floats:
    import pyarrow as pa
    import pyarrow.compute as pc

    parts = pc.extract_regex(texts, pattern)
    year, month, day = (
        pc.cast(pc.struct_field(parts, name), pa.int64()).fill_null(0).to_numpy() for name in "ymd"
    )
    if month.max(initial=0) > 12 >= day.max(initial=0):
        month, day = day, month
    is_date = (month >= 1) & (month <= 12) & (day >= 1) & (day <= 31)
    months = (np.where(is_date, year, 1970) - 1970) * 12 + np.where(is_date, month, 1) - 1
    first = months.astype("datetime64[M]").astype("datetime64[D]").astype(np.float64)
    return np.where(is_date, first + day - 1, np.nan)


def _if_most(values: Floats) -> Floats | None:
    """The values, if most are no NaN."""
    values = np.asarray(values, np.float64)
    count = np.count_nonzero(~np.isnan(values))
    return values if count and count >= MOSTLY * len(values) else None
