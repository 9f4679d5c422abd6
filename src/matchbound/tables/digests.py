"""The identity of a table: a digest of the rows that are read, and one of the file's bytes."""

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from matchbound.engines import Engine
from matchbound.tables.forms import Clusters, Form, Pairs
from matchbound.tables.ids import node_of
from matchbound.tables.sources import UNTYPED, Source, reading


@dataclass(frozen=True)
class Digest:
    """SHA-256 of a table's rows, whatever their order and format, and of a file's bytes.

    Either may be missing: a table in memory has no bytes, and the rows of a large file are only
    digested where its bytes do not decide whether it is a table on record.
    """

    rows: str | None
    bytes: str | None

    def is_same(self, other: "Digest", *, read_alike: bool) -> bool:
        """Whether the digests prove that both tables have the same rows.

        Equal bytes prove it if the same columns are read; else only equal rows do.
        """
        if read_alike and self.bytes is not None and self.bytes == other.bytes:
            return True
        return self.rows is not None and self.rows == other.rows

    def as_dict(self) -> dict[str, str | None]:
        return {"rows": self.rows, "bytes": self.bytes}

    @staticmethod
    def of(record: Any) -> "Digest":
        """Read a digest from JSON; raise TypeError if it is not what `as_dict` returns.

        Rows or bytes must be there: a digest without both would identify no table.
        """
        values = (record["rows"], record["bytes"])
        if len(record) != 2 or not all(isinstance(value, str | None) for value in values):
            raise TypeError("a digest must have rows and bytes")
        if values == (None, None):
            raise TypeError("a digest must have rows or bytes")
        return Digest(*values)

    @staticmethod
    def if_any(record: Any) -> "Digest | None":
        """From JSON, where null says that there is no table."""
        return None if record is None else Digest.of(record)


def is_same_table(first: Digest | None, second: Digest | None) -> bool:
    """Whether two digests, of tables read alike, are of the same rows.

    None stands for a missing table, which is the same only as another missing one.
    """
    if first is None or second is None:
        return first is second
    return first.is_same(second, read_alike=True)


@dataclass(frozen=True)
class Column:
    """A column to digest: its role, SQL for its values, and whether they are numbers or text."""

    role: str
    sql: str
    is_number: bool = False


@dataclass(frozen=True)
class Rows:
    """The rows of a table to digest: what kind of rows they are, and the columns that are read."""

    kind: str
    columns: Sequence[Column]


def rows_of_matches(source: Source, form: Form, *, unordered: bool) -> Rows:
    """The rows of a matcher's output. `unordered`: (x, y) and (y, x) are the same row."""
    columns = _columns(source, form)
    if isinstance(form, Clusters) or not unordered:
        return Rows("matches", columns)
    return Rows("matches in either order", _smaller_first(columns))


def rows_of_labels(source: Source, form: Form) -> Rows:
    """The rows of labels. x is the labelled node, unless the form has x and y in either order."""
    in_order = isinstance(form, Clusters) or not form.either_way
    return Rows("labels" if in_order else "labels in either order", _columns(source, form))


def _columns(source: Source, form: Form) -> list[Column]:
    if isinstance(form, Clusters):
        return [
            Column("id", node_of(source, form.id, form.source)),
            Column("cluster", source.key(form.cluster)),
            *_sources(source, ("source", form.source)),
        ]
    pair = [
        Column("x", node_of(source, form.x, form.x_source)),
        Column("y", _y(source, form)),
        *_sources(source, ("x source", form.x_source), ("y source", form.y_source)),
    ]
    if form.score is not None:
        # A threshold is rounded to the scores' precision, so the same scores as float and as
        # double may give different matches.
        role = "score as float" if source.columns[form.score] == "FLOAT" else "score"
        pair.append(Column(role, source.score(form.score), is_number=True))
    if form.positive is not None:
        pair.append(Column("verdict", source.verdict(form.positive), is_number=True))
    return pair


def _y(source: Source, form: Pairs) -> str:
    """SQL for y. If no label has a match, y may have no type, and is read as text."""
    if source.columns[form.y] in UNTYPED:
        return "cast(null as string)"
    return node_of(source, form.y, form.y_source)


def _sources(source: Source, *columns: tuple[str, str | None]) -> list[Column]:
    """The columns of sources. They are needed beside the nodes `source-__-id`, because two
    different pairs of source and id may give the same text.
    """
    return [Column(role, source.key(name)) for role, name in columns if name is not None]


def _smaller_first(columns: Sequence[Column]) -> list[Column]:
    """Exchange x and y, and their sources, in the rows where y is smaller by its bytes."""
    sql = {column.role: column.sql for column in columns}
    partners = {"x": "y", "y": "x", "x source": "y source", "y source": "x source"}
    return [
        replace(column, sql=_exchanged(sql, column.role, partners[column.role]))
        if column.role in partners
        else column
        for column in columns
    ]


def _exchanged(sql: Mapping[str, str], role: str, partner: str) -> str:
    return f"case when {sql['y']} < {sql['x']} then {sql[partner]} else {sql[role]} end"


def digest_of(
    con: Engine,
    source: Source,
    rows: Rows,
    alike: Sequence[Digest] = (),
    others: Sequence[Digest] = (),
    *,
    always: bool = False,
) -> Digest:
    """Digest a table; read its rows only where they may show that it is a table on record.

    `alike` are digests on record of tables that are read by the same columns: if one has the same
    bytes, its digest is returned. `others` are digests of tables that are read by other columns.
    Rows are digested if `always`, if there are no bytes, if the file is small, or if a digest on
    record has rows.
    """
    for digest in alike:
        if digest.rows is not None and digest.is_same(Digest(None, source.bytes), read_alike=True):
            return digest
    is_needed = source.bytes is None or source.is_small or any(d.rows for d in (*alike, *others))
    if not (always or is_needed):
        return Digest(None, source.bytes)
    return Digest(digest_of_rows(con, source, rows), source.bytes)


def digest_of_rows(con: Engine, source: Source, rows: Rows) -> str:
    """SHA-256 over the digests of the sorted rows' chunks; the same on every engine.

    The rows' kind, their columns' roles and their number are digested too. Repeated rows count
    once, and empty text is null.
    """
    columns = {f"c{i}": _canonical(column) for i, column in enumerate(rows.columns)}
    numbers = [f"c{i}" for i, column in enumerate(rows.columns) if column.is_number]
    with reading(source):
        chunks = con.digests(source.scan, columns, numbers, few=source.is_small)
    total = sum(count for count, _ in chunks)
    head = ["matchbound rows 1", rows.kind, [column.role for column in rows.columns], total]
    parts = [json.dumps(head).encode(), *(digest for _, digest in chunks)]
    return hashlib.sha256(b"\0".join(parts)).hexdigest()


def _canonical(column: Column) -> str:
    if not column.is_number:
        return f"nullif({column.sql}, '')"
    number = f"cast({column.sql} as double)"
    return f"case when {number} = 0 then cast(0 as double) else {number} end"  # not −0
