"""Bounds on a population's mean that hold with probability at least 1 − δ, for any values."""

from matchbound.bounds.betting import sequence
from matchbound.bounds.chances import chance as chance
from matchbound.bounds.chances import chance_at_least as chance_at_least
from matchbound.bounds.checks import LARGEST_SIZE as LARGEST_SIZE
from matchbound.bounds.checks import check_delta as check_delta
from matchbound.bounds.hypergeometric import hypergeometric_lower, hypergeometric_upper
from matchbound.bounds.hypergeometric import share_lower as share_lower
from matchbound.bounds.likelihood import likelihood_ones as likelihood_ones
from matchbound.bounds.likelihood import likelihood_share as likelihood_share
from matchbound.bounds.means import BOUNDS, lower, upper
from matchbound.bounds.means import BoundRow as BoundRow
from matchbound.bounds.missed import missed as missed
from matchbound.bounds.orderfree import orderfree_ratio as orderfree_ratio
from matchbound.bounds.orderfree import weighted_lower as weighted_lower
from matchbound.bounds.pooled import pooled_lower as pooled_lower
from matchbound.bounds.pooled import pooled_rejects as pooled_rejects
from matchbound.bounds.ranges import GRAIN as GRAIN
from matchbound.bounds.sample import DEFAULT_VARIANCE as DEFAULT_VARIANCE
from matchbound.bounds.sample import Sample
from matchbound.bounds.star import ratio_lower
from matchbound.bounds.star import star_rejects as star_rejects
from matchbound.bounds.star import star_with_errors as star_with_errors
from matchbound.bounds.urn import Draws as Draws
from matchbound.bounds.urn import Urn as Urn

__all__ = [
    "BOUNDS",
    "Sample",
    "hypergeometric_lower",
    "hypergeometric_upper",
    "lower",
    "ratio_lower",
    "sequence",
    "upper",
]
