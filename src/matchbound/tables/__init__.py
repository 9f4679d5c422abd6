"""What users have, as tables loaded and checked."""

from matchbound.tables.forms import COLUMN_ROLES, Clusters, Form, Pairs, recognise
from matchbound.tables.ids import (
    Row,
    count_rows,
    keep_several,
    load_drawn,
    refuse_empty,
    refuse_spaces,
    spaced,
)
from matchbound.tables.objects import as_table
from matchbound.tables.outputs import Output, kinds_of_ids, matcher, named, opened
from matchbound.tables.predictions import (
    id_column,
    kind_of_ids,
    node_of_table,
    read_ids,
    read_matches,
)
from matchbound.tables.scores import check_scored, first_threshold, narrow
from matchbound.tables.sides import SEPARATOR, Matching
from matchbound.tables.sources import (
    FITTING,
    Source,
    key_kind,
    listed,
    literal,
    load,
    open_source,
    quoted,
)
from matchbound.tables.truth import read_labels

__all__ = [
    "COLUMN_ROLES",
    "FITTING",
    "SEPARATOR",
    "Clusters",
    "Form",
    "Matching",
    "Output",
    "Pairs",
    "Row",
    "Source",
    "as_table",
    "check_scored",
    "count_rows",
    "first_threshold",
    "id_column",
    "keep_several",
    "key_kind",
    "kind_of_ids",
    "kinds_of_ids",
    "listed",
    "literal",
    "load",
    "load_drawn",
    "matcher",
    "named",
    "narrow",
    "node_of_table",
    "open_source",
    "opened",
    "quoted",
    "read_ids",
    "read_labels",
    "read_matches",
    "recognise",
    "refuse_empty",
    "refuse_spaces",
    "spaced",
]
