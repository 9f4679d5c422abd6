"""An opened table of a user: its columns, and SQL for its ids, scores and verdicts."""

from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from matchbound.engines import Engine, QueryError
from matchbound.errors import InputError
from matchbound.files import Seen

# DuckDB's types of whole numbers; those that fit into 64 bits with a sign come first.
FITTING = {"TINYINT", "SMALLINT", "INTEGER", "BIGINT", "UTINYINT", "USMALLINT", "UINTEGER"}
WHOLE = FITTING | {"UBIGINT", "HUGEINT", "UHUGEINT"}
UNTYPED = ('"NULL"', "NULL")
YES, NO = ("yes", "y", "true"), ("no", "n", "false")


@dataclass(frozen=True)
class Source:
    """An opened table of a user.

    `argument` is the name of the argument that the user gave it as, for messages. `columns` are
    their types by name, and `scan` is the table's name in SQL. `path` is None for a table in
    memory. `bytes` is the SHA-256 of a file's bytes, or of several files'; None where bytes do not
    tell which table it is, as in a database. `files` are those that queries read, as they were when
    they were hashed; none if queries read no file.
    """

    argument: str
    path: str | None
    columns: Mapping[str, str]
    scan: str
    bytes: str | None = None
    is_small: bool = False
    files: tuple[Seen, ...] = ()

    @property
    def listed(self) -> str:
        """The names of its columns, for a sentence."""
        return listed(self.columns)

    def column(self, *names: str) -> str | None:
        """The column of the first of these names that the table has; case does not matter."""
        for name in names:
            for column in self.columns:
                if column.lower() == name.lower():
                    return column
        return None

    def require(self, *names: str) -> str:
        column = self.column(*names)
        if column is None:
            raise InputError(
                f"{self.argument} must have a column {' or '.join(map(repr, names))}, "
                f"got {listed(self.columns)}. Rename the column that holds it."
            )
        return column

    def key(self, column: str, kind: str = "string") -> str:
        """SQL for the column's ids, as text or as whole numbers (see `key_kind`)."""
        type_ = self.columns[column]
        is_text = type_ in ("VARCHAR", "UUID") or type_.startswith("ENUM")
        if not is_text and type_ not in WHOLE:
            raise InputError(
                f"{self.argument} must have ids that are text or whole numbers, "
                f"got {column!r} of type {type_}. Convert it (in pandas, Int64 keeps empty cells)."
            )
        return f"cast({quoted(column)} as {kind})"

    def score(self, column: str) -> str:
        """SQL for the column's numbers; null where the value is not a number."""
        type_ = self.columns[column]
        if type_ == "BOOLEAN":
            return f"cast({quoted(column)} as double)"
        if type_ == "VARCHAR":
            return f"number({quoted(column)})"
        if type_ not in WHOLE | {"FLOAT", "DOUBLE"} and not type_.startswith("DECIMAL"):
            raise InputError(
                f"{self.argument} must have scores that are numbers, "
                f"got {column!r} of type {type_}. Convert it first."
            )
        return quoted(column) if type_ == "FLOAT" else f"cast({quoted(column)} as double)"

    def verdict(self, column: str) -> str:
        """SQL for the column's verdicts: 1 for yes or true, 0 for no or false, or its numbers."""
        type_ = self.columns[column]
        if type_ != "VARCHAR" and not type_.startswith("ENUM"):
            return self.score(column)
        text = f"lower(trim(cast({quoted(column)} as string)))"
        words = f"when {text} in {YES} then 1e0 when {text} in {NO} then 0e0"
        return f"case {words} else number({text}) end"


def key_kind(*columns: tuple[Source, str]) -> str:
    """The type as which ids in these columns are compared: whole numbers if all are, else text.

    Comparing numbers is faster, and gives the same: each whole number has exactly one text.
    """
    return "bigint" if all(s.columns[name] in FITTING for s, name in columns) else "string"


def scan(con: Engine, source: Source, select: str, where: str = "true") -> list[Any]:
    """Return the rows of a query over a source."""
    with reading(source):
        return con.rows(f"{select} from {source.scan} where {where}")


def load(con: Engine, source: Source, table: str, columns: str, condition: str = "true") -> None:
    """Keep rows of a source as a table."""
    with reading(source):
        con.keep(table, f"select {columns} from {source.scan} where {condition}")


@contextmanager
def reading(source: Source) -> Iterator[None]:
    """Read a source's rows; refuse files that were changed since their bytes were hashed."""
    with readable(source.argument, source.path):
        yield
    for file in source.files:
        file.refuse_changed()


@contextmanager
def readable(argument: str, path: str | None) -> Iterator[None]:
    """Raise the engine's failure to read a table as an error that the user can act on."""
    try:
        yield
    except QueryError as error:
        if error.fatal:
            raise
        reason = " ".join(str(error).split())[:160].rstrip(".")
        raise InputError(
            f"{argument} must be readable, got {path or 'a table'!r} ({reason}). "
            "Check the file, or save it again."
        ) from None


def quoted(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'


def literal(value: str) -> str:
    """SQL for a text. A backslash becomes chr(92), because Spark would read it as an escape."""
    parts = ["'" + part.replace("'", "''") + "'" for part in value.split("\\")]
    return parts[0] if len(parts) == 1 else f"concat({', chr(92), '.join(parts)})"


def listed(names: Iterable[str]) -> str:
    """Names for a sentence: the first ones, if they are many or long."""
    every = list(names)
    first = [repr(name if len(name) <= 60 else f"{name[:60]}…") for name in every[:20]]
    rest = [f"{len(every) - 20} others"] if len(every) > 20 else []
    return ", ".join(first + rest)
