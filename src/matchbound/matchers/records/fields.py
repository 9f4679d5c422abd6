"""The fields that two tables share: texts, and numbers or dates where most texts are such."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from matchbound.engines import connect
from matchbound.errors import InputError
from matchbound.matchers.records.values import as_days, as_numbers
from matchbound.tables import Matching, Records, align, listed, open_source, read_records

Ints = NDArray[np.int32]
Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Field:
    """A field of both tables: its different texts, and which of them each record has.

    `left` and `right` are positions in `texts`; -1 where a record has no text. `numbers` and `days`
    are by text, NaN where a text is none; None where the field is not of numbers, or not of dates.
    """

    name: str
    texts: NDArray[np.object_]
    left: Ints
    right: Ints
    numbers: Floats | None
    days: Floats | None


@dataclass(frozen=True)
class Tables:
    """Two tables of records, or one that is matched with itself, and the fields they share."""

    left: Any  # Arrow: the records' ids
    right: Any
    fields: Sequence[Field]
    is_dedupe: bool

    @cached_property
    def left_texts(self) -> list[str]:
        """Each left record as one text: its fields in order."""
        return _joined(self.fields, [field.left for field in self.fields])

    @cached_property
    def right_texts(self) -> list[str]:
        return _joined(self.fields, [field.right for field in self.fields])


def read_tables(
    left: Any,
    right: Any = None,
    *,
    id: str | None = None,
    right_id: str | None = None,
    columns: Sequence[str] | Mapping[str, str] | None = None,
    sources: tuple[str | None, str | None] = (None, None),
) -> Tables:
    """Read two tables, or one to be matched with itself (`right` None).

    `columns` are the fields to compare: names that both tables have, or the right table's names by
    the left's. Without it they are all that have the same name in both. `sources` are the names of
    the tables' sources, where ids are written with them.
    """
    if right is None and right_id is not None:
        raise InputError(
            f"right_id must be left out if there is no right table, got {right_id!r}. "
            "Give id, the column of ids of the one table."
        )
    matching = Matching(right is None, right is not None, sources[0])
    with connect() as con:
        source = open_source(con, "left", left, hashed=False)
        of_left = read_records(con, source, id, matching, of_x=True)
        of_right = of_left
        if right is not None:
            source = open_source(con, "right", right, hashed=False)
            own = right_id or (id if id and source.column(id) else None)
            of_right = read_records(con, source, own, matching, of_x=False, origin=sources[1])
    pairs = _columns(of_left, of_right, columns)
    fields = [_field(of_left, of_right, *pair) for pair in pairs]
    fields = [field for field in fields if len(field.texts)]
    if not fields:
        names = listed([of_left.names[i] for i, _ in pairs])
        raise InputError(f"columns must have texts to compare, got none in {names}. Name others.")
    return Tables(_ids(of_left), _ids(of_right), fields, right is None)


def _columns(
    left: Records, right: Records, columns: Sequence[str] | Mapping[str, str] | None
) -> list[tuple[int, int]]:
    """The positions of the fields to compare in both tables."""
    if columns is None:
        fields = align(left, right)
        shared = [(i, j) for i, j in zip(fields.left, fields.right, strict=True) if i is not None]
        pairs = [(i, j) for i, j in shared if j is not None]
    else:
        named = columns if isinstance(columns, Mapping) else {name: name for name in columns}
        pairs = [(_position(left, a), _position(right, b)) for a, b in named.items()]
    if not pairs:
        raise InputError(
            "columns must name fields to compare, since the tables share none by name: left has "
            f"{listed(left.names)}, right {listed(right.names)}. Give left=right for each."
        )
    return pairs


def _position(records: Records, name: str) -> int:
    lowered = [own.lower() for own in records.names]
    if str(name).lower() not in lowered:
        raise InputError(
            f"columns must name fields of both tables, got {name!r}, which is not in "
            f"{records.source.argument}. Choose among {listed(records.names)}."
        )
    return lowered.index(str(name).lower())


def _field(left: Records, right: Records, i: int, j: int) -> Field:
    """Encode a field of both tables; the same texts get the same number."""
    import pyarrow as pa

    of_left = _cleaned(left.table.column(1 + i))
    both = (
        of_left
        if right is left
        else pa.chunked_array(
            [*of_left.chunks, *_cleaned(right.table.column(1 + j)).chunks], of_left.type
        )
    )
    encoded = _whole(both).dictionary_encode()
    codes = encoded.indices.fill_null(-1).to_numpy(zero_copy_only=False).astype(np.int32)
    n = left.table.num_rows
    texts, sides = encoded.dictionary, (codes[:n], codes if right is left else codes[n:])
    days = as_days(texts)
    numbers = None if days is not None else as_numbers(texts)
    return Field(left.names[i], texts.to_numpy(zero_copy_only=False), *sides, numbers, days)


def _cleaned(column: Any) -> Any:
    """Texts in lower case, with single spaces and none around them; null where nothing is left."""
    import pyarrow as pa
    import pyarrow.compute as pc

    text = pc.utf8_lower(column.cast(pa.large_string()))
    text = pc.utf8_trim_whitespace(pc.replace_substring_regex(text, r"\s+", " "))
    return pc.if_else(pc.equal(text, ""), pa.scalar(None, text.type), text)


def _ids(records: Records) -> Any:
    import pyarrow as pa

    return _whole(records.table.column(0)).cast(pa.large_string())


def _whole(column: Any) -> Any:
    import pyarrow as pa

    return column.combine_chunks() if isinstance(column, pa.ChunkedArray) else column


def _joined(fields: Sequence[Field], codes: Sequence[Ints]) -> list[str]:
    columns = [np.append(field.texts, "")[own] for field, own in zip(fields, codes, strict=True)]
    return [" ".join(filter(None, row)) for row in zip(*columns, strict=True)]
