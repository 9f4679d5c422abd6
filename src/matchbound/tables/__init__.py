"""What users have, as tables loaded and checked."""

from matchbound.tables.digests import (
    Digest,
    Rows,
    digest_of,
    digest_of_rows,
    is_same_table,
    rows_of_labels,
    rows_of_matches,
)
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
from matchbound.tables.outputs import (
    Output,
    Reading,
    Recorded,
    kinds_of_ids,
    native_columns,
    read_outputs,
    register_outputs,
)
from matchbound.tables.predictions import (
    digest_of_ids,
    id_column,
    kind_of_ids,
    node_of_table,
    read_ids,
    read_matches,
    rows_of_ids,
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
    "Digest",
    "Form",
    "Matching",
    "Output",
    "Pairs",
    "Reading",
    "Recorded",
    "Row",
    "Rows",
    "Source",
    "as_table",
    "check_scored",
    "count_rows",
    "digest_of",
    "digest_of_ids",
    "digest_of_rows",
    "first_threshold",
    "id_column",
    "is_same_table",
    "keep_several",
    "key_kind",
    "kind_of_ids",
    "kinds_of_ids",
    "listed",
    "literal",
    "load",
    "load_drawn",
    "narrow",
    "native_columns",
    "node_of_table",
    "open_source",
    "quoted",
    "read_ids",
    "read_labels",
    "read_matches",
    "read_outputs",
    "recognise",
    "refuse_empty",
    "refuse_spaces",
    "register_outputs",
    "rows_of_ids",
    "rows_of_labels",
    "rows_of_matches",
    "spaced",
]
