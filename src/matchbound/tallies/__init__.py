"""Count loaded tables into tallies. Ids end here: no later room sees one."""

from matchbound.tallies.closed import check_closable, check_closed
from matchbound.tallies.counts import count, count_drawn, outside
from matchbound.tallies.holdout import check_on_population
from matchbound.tallies.label_digests import label_digests
from matchbound.tallies.label_rules import check_clusters, check_entities, check_pairs
from matchbound.tallies.loaded import BROUGHT, TEXT, Loaded, Setting
from matchbound.tallies.pairs import refuse_repeats
from matchbound.tallies.parts import refuse_doubt, tally_parts
from matchbound.tallies.prefix import looked_at
from matchbound.tallies.unclosed import Unclosed

__all__ = [
    "BROUGHT",
    "TEXT",
    "Loaded",
    "Setting",
    "Unclosed",
    "check_closable",
    "check_closed",
    "check_clusters",
    "check_entities",
    "check_on_population",
    "check_pairs",
    "count",
    "count_drawn",
    "label_digests",
    "looked_at",
    "outside",
    "refuse_doubt",
    "refuse_repeats",
    "tally_parts",
]
