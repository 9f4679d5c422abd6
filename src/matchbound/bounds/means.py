"""The table of all bounds on a mean with their properties, and `lower` and `upper`."""

import math
from dataclasses import dataclass
from typing import NamedTuple

from numpy.typing import ArrayLike

from matchbound.bounds.bernstein import bernstein, maurer_pontil
from matchbound.bounds.betting import anytime
from matchbound.bounds.binomial import binomial
from matchbound.bounds.checks import (
    check_counts,
    check_delta,
    check_size,
    check_span,
    check_values,
    check_variance,
    flat,
)
from matchbound.bounds.hoeffding import hoeffding, serfling
from matchbound.bounds.hypergeometric import (
    hypergeometric,
    hypergeometric_ones,
    hypergeometric_share,
)
from matchbound.bounds.likelihood import likelihood, likelihood_ones, likelihood_share
from matchbound.bounds.orderfree import orderfree
from matchbound.bounds.sample import DEFAULT_VARIANCE, Bound, Ones, Sample, Share, Size
from matchbound.bounds.star import star
from matchbound.errors import InputError


@dataclass(frozen=True)
class BoundRow:
    """A bound and its properties. Other modules ask for properties, never for a bound's name.

    `population`: it holds for draws without replacement; `independent`: for independent ones;
    `future`: theorems about nodes to come may use it. `binary`: values must be 0 or 1; `ones` and
    `share` are then the same bound on the number of ones, and on their share in an unknown number.
    `ordered`: it depends on the order of the values; `anytime`: it holds after every value.

    `bets`: it is computed from bets or stakes, which a planned variance sizes, and so also bounds a
    mean over a set of unknown size; `unplanned`: it has a way without a planned variance.
    `by_mean`: it depends on the values through their mean alone. `monotone`: it never rises when a
    value falls. `with_errors`: the effect of wrong values on it can be computed. `offered`: users
    may choose it by name.
    """

    bound: Bound
    population: bool = True
    independent: bool = False
    future: bool = False
    binary: bool = False
    ordered: bool = False
    anytime: bool = False
    bets: bool = False
    unplanned: bool = False
    by_mean: bool = False
    monotone: bool = True
    with_errors: bool = False
    offered: bool = True
    ones: Ones | None = None
    share: Share | None = None

    @property
    def from_counts(self) -> bool:
        """Whether it accepts a histogram of any values."""
        return not (self.ordered or self.binary)


BOUNDS = {
    "hoeffding": BoundRow(hoeffding, independent=True, future=True, by_mean=True),
    "serfling": BoundRow(serfling, by_mean=True),
    "bernstein": BoundRow(bernstein, monotone=False),
    "hypergeometric": BoundRow(
        hypergeometric,
        binary=True,
        with_errors=True,
        ones=hypergeometric_ones,
        share=hypergeometric_share,
    ),
    "star": BoundRow(
        star, independent=True, future=True, ordered=True, bets=True, with_errors=True
    ),
    "anytime": BoundRow(
        anytime, independent=True, ordered=True, anytime=True, bets=True, with_errors=True
    ),
    "orderfree": BoundRow(orderfree, independent=True, bets=True, unplanned=True, with_errors=True),
    "likelihood": BoundRow(  # `anytime` stands for it where values are 0 or 1
        likelihood,
        binary=True,
        ordered=True,
        anytime=True,
        offered=False,
        ones=lambda values, n, delta: likelihood_ones(values == 1, n, delta),
        share=lambda values, size, delta, known: likelihood_share(values == 1, size, delta, known),
    ),
    "binomial": BoundRow(binomial, population=False, independent=True, binary=True),
    "maurer_pontil": BoundRow(maurer_pontil, population=False, independent=True, monotone=False),
}
"""All bounds by name, each with its properties."""


def lower(
    values: ArrayLike,
    *,
    size: int | tuple[int, int] | None,
    delta: float,
    method: str | Bound = "auto",
    counts: ArrayLike | None = None,
    span: tuple[float, float] = (0, 1),
    variance: float | None = None,
) -> float:
    """A lower bound on the population's mean, with probability at least 1 − `delta`.

    `values` were drawn uniformly at random, in draw order, without replacement from `size` nodes.
    `size` is a pair `(least, most)` if it is only known to be between them, and None for
    independent draws. With `counts`, `values` are the distinct values. `span` is the range of
    possible values. `variance` is the variance that one expects of the values, fixed before they
    are seen; bounds that bet use it for the size of their bets.

    `method` is a name in `BOUNDS`, a callable like those in it, or "auto": `hypergeometric` for
    booleans (`binomial` without a size), `star` for all other values. Numbers are not treated as
    booleans if the sample happens to have only 0 and 1: a bound that is chosen by the sample fails
    more often than promised.

    >>> lower([True] * 95 + [False] * 5, size=10_000, delta=0.05)
    0.8981
    """
    checked = _checked(values, size, delta, method, counts, span, variance)
    share, (least, most) = _share(checked, checked.sample), checked.span
    if (least, most) == (0.0, 1.0):
        return share
    return max(least + (most - least) * share - _rounding(least, most), least)


def upper(
    values: ArrayLike,
    *,
    size: int | tuple[int, int] | None,
    delta: float,
    method: str | Bound = "auto",
    counts: ArrayLike | None = None,
    span: tuple[float, float] = (0, 1),
    variance: float | None = None,
) -> float:
    """An upper bound on the population's mean, with probability at least 1 − `delta`.

    It is computed by the lower bound on the values reflected in their span. Arguments as for
    `lower`.

    >>> round(upper([True] * 5 + [False] * 95, size=10_000, delta=0.05), 4)
    0.1019
    """
    checked = _checked(values, size, delta, method, counts, span, variance)
    share, (least, most) = _share(checked, checked.sample.flipped), checked.span
    return min(most - (most - least) * share + _rounding(least, most), most)


class Checked(NamedTuple):
    """The checked arguments of a bound."""

    sample: Sample
    size: Size
    delta: float
    bound: Bound
    span: tuple[float, float]


def _share(checked: Checked, sample: Sample) -> float:
    """The bound on values scaled to [0, 1]."""
    share = checked.bound(sample, checked.size, checked.delta)
    if not isinstance(share, int | float) or math.isnan(share):
        raise InputError(
            f"method must return a number, got {share!r}. Return a lower bound on the mean."
        )
    return float(min(max(share, 0.0), 1.0))


def _rounding(least: float, most: float) -> float:
    """The greatest error of scaling to [0, 1] and back."""
    return 4 * math.ulp(max(abs(least), abs(most)))


def _checked(
    values: ArrayLike,
    size: int | tuple[int, int] | None,
    delta: float,
    method: str | Bound,
    counts: ArrayLike | None,
    span: tuple[float, float],
    variance: float | None,
) -> Checked:
    delta, span = check_delta(delta), check_span(span)
    boolean = flat("values", values).dtype == bool
    scaled = check_values(values, span)
    width = span[1] - span[0]
    sample = Sample(
        scaled,
        None if counts is None else check_counts(counts, len(scaled)),
        None if variance is None else check_variance(variance, DEFAULT_VARIANCE) / width**2,
    )
    sizes = check_size(size, sample.drawn)
    if isinstance(method, str) and method == "auto":
        exact = "binomial" if size is None else "hypergeometric"
        method = exact if boolean else "star"
    return Checked(sample, sizes, delta, _pick(method, sample, sizes), span)


def _pick(method: str | Bound, sample: Sample, size: Size) -> Bound:
    """The bound of this name; refuse it if it does not fit the sample or the kind of draw."""
    method = next((name for name, row in BOUNDS.items() if row.bound is method), method)
    if callable(method):
        return method
    row = BOUNDS.get(method) if isinstance(method, str) else None
    if row is None:
        raise InputError(
            f"method must be auto, a callable or one of {', '.join(BOUNDS)}; got {method!r}. "
            "Choose one of them."
        )
    if size is None and not row.independent:
        raise InputError(
            f"size must be given for {method}, got None. "
            "Give the population's size, or use binomial or star for independent draws."
        )
    if size is not None and not row.population:
        raise InputError(
            f"size must be None for {method}, got {size[1]}: it is for independent draws. "
            "Use hypergeometric or star for a population."
        )
    between = sample.values[(sample.values > 0) & (sample.values < 1)]
    if row.binary and between.size:
        raise InputError(
            f"values must be 0 or 1 (the ends of the span) for {method}, got {between[0]:g}. "
            "Use star for fractional values."
        )
    if row.ordered and sample.counts is not None:
        raise InputError(
            f"counts must be left out for {method}, got some: it needs the values in draw order. "
            "Give every value, or booleans if they are 0 or 1, or use orderfree."
        )
    return row.bound
