"""Count loaded tables into tallies. Ids end here: no later room sees one."""

from matchbound.tallies.closed import check_closed
from matchbound.tallies.counts import count, count_drawn, outside
from matchbound.tallies.holdout import check_on_population
from matchbound.tallies.label_digests import label_digests
from matchbound.tallies.label_rules import check_clusters, check_pairs
from matchbound.tallies.loaded import TEXT, Loaded, Setting
from matchbound.tallies.pairs import refuse_repeats
from matchbound.tallies.parts import OutputCounts, refuse_doubt, tally_parts
from matchbound.tallies.prefix import looked_at
from matchbound.tallies.within import count_others, keep_within

__all__ = [
    "TEXT",
    "Loaded",
    "OutputCounts",
    "Setting",
    "check_closed",
    "check_clusters",
    "check_on_population",
    "check_pairs",
    "count",
    "count_drawn",
    "count_others",
    "keep_within",
    "label_digests",
    "looked_at",
    "outside",
    "refuse_doubt",
    "refuse_repeats",
    "tally_parts",
]
