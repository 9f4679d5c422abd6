"""Check every argument of the public bounds, once; the mathematics behind relies on it."""

import math
import operator
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from matchbound.bounds.sample import Known, Size
from matchbound.errors import InputError

LARGEST_SIZE = 2**53  # beyond this a whole number is no longer exact in floating point
SMALLEST_DELTA = 1e-300  # below this 1/δ overflows
SMALLEST_VARIANCE = 1e-12


def check_delta(delta: float) -> float:
    """Return δ as a float strictly between 0 and 1."""
    number = _number("delta", delta)
    if not 0 < number < 1:
        raise InputError(
            f"delta must be above 0 and below 1, got {delta!r}. "
            "It is the probability of failure: give 0.05 for 95%."
        )
    if number < SMALLEST_DELTA:
        raise InputError(f"delta must be at least 1e-300, got {delta!r}. Give a larger one.")
    return number


def check_span(span: tuple[float, float]) -> tuple[float, float]:
    try:
        least, most = (_number("span", end) for end in span)
    except (TypeError, ValueError):
        least = most = math.nan
    if not (least < most and 1e-100 < most - least < 1e100):
        raise InputError(
            f"span must be two numbers, the lower first, got {span!r}. "
            "Give the least and the greatest value possible."
        )
    return least, most


def check_values(values: ArrayLike, span: tuple[float, float]) -> NDArray[np.float64]:
    """Return values in the span as a flat array that is not empty, scaled to [0, 1]."""
    array = flat("values", values)
    if array.size == 0:
        raise InputError("values must not be empty, got none. Draw at least one.")
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
    member: ArrayLike, values: ArrayLike, known: Known = (0.0, 0)
) -> tuple[NDArray[np.bool_], NDArray[np.float64]]:
    """Return which nodes are members, and the members' values; others have value 0."""
    members, listed = flat("member", member), _listed(values)
    if members.dtype != bool or members.size != len(listed):
        raise InputError(
            f"member must hold true or false for each of the {len(listed)} values, "
            f"got {members.size} of type {members.dtype}. Give one for each drawn node."
        )
    if not members.any() and not known[1]:
        raise InputError(
            f"member must be true at least once, got 0 of {members.size}. Draw more nodes."
        )
    kept = [value if belongs else 0.0 for value, belongs in zip(listed, members, strict=True)]
    return members, check_values(kept, (0.0, 1.0))


def check_known(known: Known) -> Known:
    total, count = float(known[0]), int(known[1])
    if not 0 <= total <= count * (1 + 1e-9):
        raise InputError(
            f"known must be a sum of values in [0, 1] and their number, got {known!r}. "
            "Give (0.0, 0) if no member is known."
        )
    return total, count


def check_weights(weights: ArrayLike, values: int) -> NDArray[np.float64]:
    array = flat("weights", weights).astype(np.float64)
    if array.size != values or not ((array > 0) & (array <= 1)).all():
        raise InputError(
            f"weights must hold a probability above 0 for each of the {values} values, "
            f"got {weights!r}. Give how likely each is to be in the sample."
        )
    return array


def check_binary(values: ArrayLike) -> NDArray[np.bool_]:
    """Return values that are 0 or 1 as booleans."""
    numbers = check_values(values, (0.0, 1.0))
    between = numbers[(numbers > 0) & (numbers < 1)]
    if between.size:
        raise InputError(f"values must be 0 or 1, got {between[0]:g}. Use star for fractions.")
    return np.asarray(numbers == 1)


def check_counts(counts: ArrayLike, values: int) -> NDArray[np.int64]:
    array = flat("counts", counts)
    whole = array.size == values and array.dtype.kind in "iu" and not (array < 0).any()
    if not whole or float(array.sum(dtype=np.float64)) > LARGEST_SIZE:
        raise InputError(
            f"counts must hold a whole number for each of the {values} values, got {counts!r}. "
            "Give how often each distinct value was drawn."
        )
    if not array.any():
        raise InputError("counts must not all be 0, got no draw. Draw at least one value.")
    return array.astype(np.int64)


def check_size(size: int | tuple[int, int] | None, drawn: int) -> Size:
    """Return (least, most), with least raised to the number drawn; None for independent draws."""
    if size is None:
        return None
    ends = size if isinstance(size, tuple | list) else (size, size)
    try:
        least, most = (_whole(end) for end in ends)
    except (TypeError, ValueError):
        raise InputError(
            f"size must be a whole number, a pair of them or None, got {size!r}. "
            "Give the number of nodes in the population."
        ) from None
    if not 0 <= least <= most:
        raise InputError(
            f"size must not be negative and a pair in rising order, got {size!r}. "
            "Give the least and the most it can be."
        )
    if most > LARGEST_SIZE:
        raise InputError(f"size must be at most 2**53, got {size!r}. Give a smaller population.")
    if drawn > most:
        raise InputError(
            f"size must be at least the number of values drawn, {drawn}, got {size!r}. "
            "Give the size of the whole population, not of the sample."
        )
    return max(least, drawn), most


def one_size(bound: str, size: Size) -> float:
    """Return the size as a float, infinite for independent draws; refuse a range of sizes."""
    if size is None:
        return math.inf
    least, most = size
    if least != most:
        raise InputError(
            f"size must be one number for {bound}, got {size!r}. "
            "Give the whole population's size; for 0 and 1, hypergeometric takes a pair."
        )
    return float(most)


def check_variance(variance: float | None, default: float) -> float:
    if variance is None:
        return default
    number = _number("variance", variance)
    if not SMALLEST_VARIANCE <= number < math.inf:
        raise InputError(
            f"variance must be at least 1e-12, got {variance!r}. "
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
    """Return the four arrays, broadcast together; each element must pass `check_draw`."""
    arrays = [_array(name, a) for name, a in (("k", k), ("s", s), ("n", n), ("delta", delta))]
    for name, kinds, array in zip(
        ("k", "s", "n", "delta"), ("iu", "iu", "iu", "f"), arrays, strict=True
    ):
        if array.size and array.dtype.kind not in kinds:
            rule = "fractions" if name == "delta" else "whole numbers"
            raise InputError(
                f"{name} must be {rule}, got {array.dtype} values. Convert them first."
            )
    try:
        ks, ss, ns, deltas = np.broadcast_arrays(*arrays)
    except ValueError:
        shapes = ", ".join(str(a.shape) for a in arrays)
        raise InputError(
            f"k, s, n and delta must broadcast together, got shapes {shapes}. Match them."
        ) from None
    is_valid = (ks >= 0) & (ks <= ss) & (ss <= ns) & (ns <= LARGEST_SIZE)
    is_valid &= (deltas >= SMALLEST_DELTA) & (deltas < 1)
    for i in np.flatnonzero(~is_valid.ravel())[:1]:
        check_draw(*(array.flat[i].item() for array in (ks, ss, ns, deltas)))
    return ks.astype(np.int64), ss.astype(np.int64), ns.astype(np.int64), deltas.astype(np.float64)


def flat(name: str, values: ArrayLike) -> NDArray[Any]:
    """Return a flat array of numbers or booleans."""
    array = _array(name, values)
    if array.ndim != 1:
        got = f"{array.ndim} dimensions" if array.ndim else type(values).__name__
        raise InputError(f"{name} must be a flat sequence, got {got}. Give a list or an array.")
    return array


def _array(name: str, values: ArrayLike) -> NDArray[Any]:
    """Return an array of booleans or real numbers; refuse masked ones."""
    try:
        array = np.asarray(values)
    except ValueError:
        raise InputError(
            f"{name} must be a flat sequence, got rows of several lengths. Give a list or an array."
        ) from None
    if isinstance(values, np.ma.MaskedArray):
        raise InputError(f"{name} must not be masked, got a masked array. Fill or drop the gaps.")
    if array.dtype.kind not in "biuf" and _is_sequence(values):
        culprit = next(
            (
                v
                for v in array.ravel().tolist()
                if isinstance(v, bool | complex | str) or not _real(v)
            ),
            array.dtype,
        )
        raise InputError(f"{name} must be numbers, got {culprit!r}. Convert them first.")
    return array


def _is_sequence(values: Any) -> bool:
    return hasattr(values, "__len__") and not isinstance(values, str | bytes | dict | set)


def _listed(values: Any) -> list[Any]:
    return list(values) if _is_sequence(values) else []


def _real(value: Any) -> bool:
    return isinstance(value, int | float)


def _whole(value: Any) -> int:
    if isinstance(value, bool):
        raise TypeError
    if isinstance(value, float) and value.is_integer():
        return int(value)
    return operator.index(value)


def _number(name: str, value: Any) -> float:
    try:
        if isinstance(value, str):
            raise TypeError
        return float(value)
    except (TypeError, ValueError, OverflowError):
        raise InputError(f"{name} must be a number, got {value!r}. Convert it first.") from None
