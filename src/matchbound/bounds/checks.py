"""The door: every argument is checked here, once; the mathematics behind trusts it."""

import math
import operator
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from matchbound.bounds.sample import Size
from matchbound.errors import InputError

LARGEST_SIZE = 2**53  # beyond this a whole number is no longer exact in floating point


def check_delta(delta: float) -> float:
    """δ as a float strictly between 0 and 1."""
    number = _number("delta", delta)
    if not 0 < number < 1:
        raise InputError(
            f"delta must be above 0 and below 1, got {delta!r}. "
            "It is the probability of failure: give 0.05 for 95%."
        )
    return number


def check_span(span: tuple[float, float]) -> tuple[float, float]:
    try:
        least, most = (float(end) for end in span)
    except (TypeError, ValueError):
        least = most = math.nan
    if not -math.inf < least < most < math.inf:
        raise InputError(
            f"span must be two numbers, the lower first, got {span!r}. "
            "Give the least and the greatest value possible."
        )
    return least, most


def check_values(values: ArrayLike, span: tuple[float, float]) -> NDArray[np.float64]:
    """A flat, not empty array of values in the span, scaled to [0, 1]."""
    array = _flat("values", values)
    if array.size == 0:
        raise InputError("values must not be empty, got none. Draw at least one.")
    if array.dtype != bool and not np.issubdtype(array.dtype, np.number):
        raise InputError(f"values must be numbers, got {array.tolist()[0]!r}. Convert them first.")
    numbers = array.astype(np.float64)
    least, most = span
    outside = ~((numbers >= least) & (numbers <= most))  # true for NaN too
    if outside.any():
        worst = numbers[outside][0]
        raise InputError(
            f"values must lie in the span {least:g} to {most:g}, got {worst:g}. "
            "Correct it, or give the span that holds every possible value."
        )
    return np.clip((numbers - least) / (most - least), 0.0, 1.0)


def check_members(
    member: ArrayLike, values: ArrayLike
) -> tuple[NDArray[np.bool_], NDArray[np.float64]]:
    """Who belongs, and the members' values; the others' become 0."""
    members, array = _flat("member", member), _flat("values", values)
    if members.dtype != bool or members.size != array.size:
        raise InputError(
            f"member must hold true or false for each of the {array.size} values, "
            f"got {members.size} of type {members.dtype}. Give one for each drawn node."
        )
    return members, check_values(np.where(members, array, 0), (0.0, 1.0))


def check_counts(counts: ArrayLike, values: int) -> NDArray[np.int64]:
    array = _flat("counts", counts)
    if array.size != values or not np.issubdtype(array.dtype, np.integer) or (array < 0).any():
        raise InputError(
            f"counts must hold a whole number for each of the {values} values, got {counts!r}. "
            "Give how often each distinct value was drawn."
        )
    if not array.any():
        raise InputError("counts must not all be 0, got no draw. Draw at least one value.")
    return array.astype(np.int64)


def check_size(size: int | tuple[int, int] | None, drawn: int) -> Size:
    """(least, most), with least raised to what was drawn; None for independent draws."""
    if size is None:
        return None
    ends = size if isinstance(size, tuple) else (size, size)
    try:
        least, most = (operator.index(end) for end in ends)
    except (TypeError, ValueError):
        raise InputError(
            f"size must be a whole number, a pair of them or None, got {size!r}. "
            "Give the number of nodes in the population."
        ) from None
    if most > LARGEST_SIZE or least > most:
        raise InputError(
            f"size must be at most 2**53 and a pair in rising order, got {size!r}. "
            "Give the least and the most it can be."
        )
    if drawn > most:
        raise InputError(
            f"size must be at least the number of values drawn, {drawn}, got {size!r}. "
            "Give the size of the whole population, not of the sample."
        )
    return max(least, drawn), most


def check_variance(variance: float | None, default: float) -> float:
    if variance is None:
        return default
    number = _number("variance", variance)
    if not 0 < number < math.inf:
        raise InputError(
            f"variance must be above 0, got {variance!r}. "
            "Give the variance that you expect of the values, or leave it out."
        )
    return number


def check_draw(k: int, s: int, n: int, delta: float) -> None:
    if not 0 <= k <= s <= n <= LARGEST_SIZE:
        raise InputError(
            f"k, s and n must satisfy 0 ≤ k ≤ s ≤ n ≤ 2**53, got k={k}, s={s}, n={n}. "
            "Give ones seen, values drawn and population size, in this order."
        )
    check_delta(delta)


def check_draws(
    k: ArrayLike, s: ArrayLike, n: ArrayLike, delta: ArrayLike
) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64], NDArray[np.float64]]:
    """The four, broadcast together, each element as `check_draw` has it."""
    arrays = [np.asarray(a) for a in (k, s, n, delta)]
    for name, array in zip("ksn", arrays, strict=False):
        if array.size and not np.issubdtype(array.dtype, np.integer):
            raise InputError(
                f"{name} must be whole numbers, got {array.dtype} values. Convert them first."
            )
    try:
        ks, ss, ns, deltas = np.broadcast_arrays(*arrays)
    except ValueError:
        shapes = ", ".join(str(a.shape) for a in arrays)
        raise InputError(
            f"k, s, n and delta must broadcast together, got shapes {shapes}. Match them."
        ) from None
    good = (ks >= 0) & (ks <= ss) & (ss <= ns) & (ns <= LARGEST_SIZE) & (deltas > 0) & (deltas < 1)
    for i in np.flatnonzero(~good.ravel())[:1]:
        check_draw(*(array.flat[i].item() for array in (ks, ss, ns, deltas)))
    return ks.astype(np.int64), ss.astype(np.int64), ns.astype(np.int64), deltas.astype(np.float64)


def _number(name: str, value: Any) -> float:
    try:
        return float(value)
    except (TypeError, ValueError):
        raise InputError(f"{name} must be a number, got {value!r}. Convert it first.") from None


def _flat(name: str, values: ArrayLike) -> NDArray[Any]:
    try:
        array = np.asarray(values)
    except ValueError:
        array = np.empty((0, 0))
    if array.ndim != 1:
        raise InputError(
            f"{name} must be a flat sequence, got {array.ndim} dimensions. Flatten it first."
        )
    return array
