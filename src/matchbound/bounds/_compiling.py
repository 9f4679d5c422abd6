"""Compiled functions, kept between processes where there is a place to keep them."""

from typing import Any

from numba import njit


def compiled(function: Any) -> Any:
    try:
        return njit(cache=True)(function)
    except RuntimeError:  # nowhere to write, as in a read-only container
        return njit(function)
