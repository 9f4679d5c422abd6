"""The one-sided likelihood ratio, for values that are 0 or 1: valid at any time."""

import numpy as np
from numpy.typing import ArrayLike, NDArray

from matchbound.bounds._likelihood import least_kept, running_ones
from matchbound.bounds.checks import check_binary, check_delta, check_size, one_size
from matchbound.bounds.ranges import least_share
from matchbound.bounds.sample import Known, Sample, Size

ROUNDING = 1e-9
STEPS = 40  # microseconds of Python that one inversion takes, about
BLOCKS = 10_000  # evaluations over a range of sizes


def likelihood(sample: Sample, size: Size, delta: float) -> float:
    """A bound on the share of ones in a finite population that allows looking after each value.

    Claim: with probability at least 1 − δ the share is at or above this bound for every beginning
    of the sample's order, and for every size in the range.
    Formula: the least m that no beginning rejects, divided by n; m is rejected when the mean of
    f(m')/f(m) over m' = m + 1 … n reaches 1/δ, f(m) = C(m, k)·C(n − m, i − k), k ones among the
    first i. For a range, the least such share, from the beginning that is best for the greatest
    size.
    Assumes: drawn uniformly without replacement, in draw order, values *known* to be 0 or 1.
    Prefer it: for such values, if their number is not fixed beforehand; `anytime` is tighter if
    fewer than 8 zeros are expected.
    Source: Ville (1939), for a mixture of likelihood ratios.

    >>> import numpy as np
    >>> from matchbound import bounds
    >>> seen = np.arange(400) % 20 > 0
    >>> round(bounds.lower(seen, size=2000, delta=0.05, method="likelihood"), 4)
    0.9165
    >>> round(bounds.lower(seen, size=(400, 2000), delta=0.05, method="likelihood"), 4)
    0.9161
    """
    assert size is not None
    return likelihood_share(sample.values == 1, size, delta)


def likelihood_share(
    values: NDArray[np.bool_], size: tuple[int, int], delta: float, known: Known = (0.0, 0)
) -> float:
    """A bound on the mean over nodes drawn from and known ones, valid at any time.

    It is to `likelihood` what `share_lower` is to `hypergeometric`. For a range, the beginning of
    the sample that gives most for the greatest size is used for all sizes: every beginning is
    valid.
    """
    (least, most), enough = size, (1 + ROUNDING) / delta
    running = running_ones.over(STEPS * len(values))(values, most, enough)
    time = int(np.argmax(running == running[-1]))
    ones = int(values[: time + 1].sum())
    zeros, missed = time + 1 - ones, int((~values).sum())

    def bound(n: int) -> int:
        return min(int(least_kept.over(STEPS)(ones, zeros, n, enough, ones)), n - missed)

    if least == most:
        return (known[0] + bound(most)) / (known[1] + most)
    return least_share(bound, size, known, BLOCKS)


def likelihood_ones(values: ArrayLike, n: int, delta: float) -> int:
    """A lower bound on the number of ones among n, from values in draw order.

    Claim, assumptions and source: as `likelihood`.

    >>> likelihood_ones([True] * 19 + [False], 100, 0.05)
    82
    """
    return int(likelihood_sequence(values, n, delta)[-1])


def likelihood_sequence(values: ArrayLike, n: int, delta: float) -> NDArray[np.int64]:
    """`likelihood_ones` after each value, all of them valid together.

    >>> likelihood_sequence([1, 1, 0, 1, 1, 1, 1], 9, 0.1)
    array([1, 3, 3, 3, 4, 5, 6])
    """
    delta, numbers = check_delta(delta), check_binary(values)
    size = int(one_size("likelihood", check_size(n, len(numbers))))
    kernel = running_ones.over(STEPS * len(numbers))
    running = np.asarray(kernel(numbers, size, (1 + ROUNDING) / delta))
    return np.asarray(np.minimum(running, size - np.cumsum(~numbers)))
