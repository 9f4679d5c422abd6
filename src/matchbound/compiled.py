"""Compiled functions, kept between processes where there is a place to keep them."""

from typing import Any

from numba import njit


def compiled(function: Any) -> Any:
    """Threads may run it side by side: it does not hold Python's lock."""
    try:
        return njit(cache=True, nogil=True)(function)
    except RuntimeError:  # nowhere to write, as in a read-only container
        return njit(nogil=True)(function)
