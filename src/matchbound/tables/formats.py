"""Recognise a file's format by its name, and check that its bytes are what the name says."""

import codecs
import csv
import gzip
import io
import os
import re
import zlib
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import BinaryIO

from matchbound.engines import Table, database_format
from matchbound.errors import AssumptionError, InputError
from matchbound.files import content_of_file, digest_of_several, open_regular

SMALL = 4 << 20
"""Files of up to so many bytes have their rows digested always: it takes less than 0.1 s.

If they are CSV or JSON, their rows are read once and kept: someone may be writing labels meanwhile.
"""
FORMATS = {
    ".csv": "csv",
    ".tsv": "csv",
    ".txt": "csv",
    ".jsonl": "json",
    ".ndjson": "json",
    ".parquet": "parquet",
    ".pq": "parquet",
}
COMPRESSIONS = {".gz": "gzip", ".zst": "zstd"}
HEADER = 10_000_000
"""Bytes that a header line may have: DuckDB reads no longer lines."""


@dataclass(frozen=True)
class FileTable:
    """A table of files: how it is opened, its bytes before compression, and their digest if asked.

    `columns` are its columns as the file has them: the files of one table have the same.
    """

    table: Table
    size: int
    digest: str | None
    columns: Sequence[tuple[str, str]] = ()

    @property
    def is_small(self) -> bool:
        return self.size <= SMALL


@dataclass(frozen=True)
class Text:
    """What is checked of a text: its first line, its last bytes, its size, and for NUL bytes."""

    start: bytes
    end: bytes
    size: int
    has_nul: bool


def format_of(name: str) -> tuple[str, str] | None:
    """The format and the compression that a file's name tells; None if it tells none."""
    compression, name = "none", name.lower()
    for suffix, codec in COMPRESSIONS.items():
        if name.endswith(suffix):
            compression, name = codec, name.removesuffix(suffix)
    for suffix, format in FORMATS.items():
        if name.endswith(suffix) and (compression == "none" or format != "parquet"):
            return format, compression
    return None


def table_of(argument: str, files: Sequence[tuple[Path, Path]], *, hashed: bool) -> FileTable:
    """The table in several files. Each comes as the user knows it, and by its absolute path."""
    tables = [table_in(argument, path, place, hashed=hashed) for path, place in files]
    first = tables[0]
    for (path, _), one in zip(files, tables, strict=True):
        _refuse_other(argument, (files[0][0], first), (path, one))
    size = sum(one.size for one in tables)
    at_once = size <= SMALL and first.table.format != "parquet"
    table = replace(first.table, location=tuple(place for _, place in files), at_once=at_once)
    digests = [one.digest for one in tables if one.digest is not None]
    return FileTable(table, size, digest_of_several(digests) if hashed else None)


def _refuse_other(
    argument: str, first: tuple[Path, FileTable], other: tuple[Path, FileTable]
) -> None:
    """Refuse two files that are not parts of one table."""
    (path, a), (path_of_other, b) = first, other
    if (a.table.format, a.table.compression) != (b.table.format, b.table.compression):
        raise InputError(
            f"{argument} must have files of one kind, got {path.name!r} and "
            f"{path_of_other.name!r}. Give those of one kind by a pattern, such as "
            f"{str(path.parent / '*')!r} with their ending."
        )
    if (a.columns, a.table.delimiter) != (b.columns, b.table.delimiter):
        raise InputError(
            f"{argument} must have files with the same columns, got {_difference(a, b)} in "
            f"{path_of_other.name!r}, other than in {path.name!r}. Write them alike, or give a "
            "pattern of those that belong together."
        )


def _difference(first: FileTable, other: FileTable) -> str:
    """The first column, and its type, that one of two files has and the other has not there."""
    columns = [f"{name!r} ({kind})" if kind else repr(name) for name, kind in other.columns]
    known = [f"{name!r} ({kind})" if kind else repr(name) for name, kind in first.columns]
    new = [one for one, same in zip(columns, known, strict=False) if one != same]
    return next(iter([*new, *columns[len(known) :]]), f"{len(columns)} columns")


def table_in(argument: str, path: Path, place: Path, *, hashed: bool) -> FileTable:
    """The table in a file, recognised by the name that the user gave."""
    kind = format_of(path.name)
    if kind is None:
        raise _unknown(argument, path, place)
    format, compression = kind
    str(path).encode()
    if format == "parquet":
        columns = _parquet_columns(place)
        refuse_repeated_names(argument, [name for name, _ in columns])
        with open_regular(place) as file:
            size = os.fstat(file.fileno()).st_size
        digest = content_of_file(place).digest if hashed else None
        return FileTable(Table(place, "parquet"), size, digest, columns)
    text, digest = _read_text(argument, path, place, compression, hashed)
    at_once = text.size <= SMALL
    if format == "json":
        _refuse_no_object(argument, path, text)
        table = Table(place, "json", compression=compression, at_once=at_once)
        return FileTable(table, text.size, digest)
    _refuse_other_format(argument, path, text)
    names, delimiter = csv_header(argument, path, text.start)
    _refuse_nul(argument, path, text)
    table = Table(place, "csv", names, delimiter, compression, at_once)
    return FileTable(table, text.size, digest, [(name, "") for name in names])


def _unknown(argument: str, path: Path, place: Path) -> InputError | AssumptionError:
    """Why a file of this name is not read."""
    if path.suffix.lower() == ".json":
        with open_regular(place) as file:
            start = file.read(1 << 20)
        if b'"distinct"' in start:
            return AssumptionError(
                f"{argument} must be a random sample, got dedupe's training pairs in "
                f"{str(path)!r}: active learning chose them because they are hard, and they have "
                "no ids to join by. Draw nodes with `matchbound draw` and verify their matches."
            )
    if database_format(place) is not None:
        return InputError(
            f"{argument} must name a table of a database, got {str(path)!r} alone. Give "
            f"{path.name}::TABLE."
        )
    return InputError(
        f"{argument} must be a .csv, .jsonl or .parquet file (text also as .gz or .zst), got "
        f"{str(path)!r}. Convert it to one."
    )


def _read_text(
    argument: str, path: Path, place: Path, compression: str, hashed: bool
) -> tuple[Text, str | None]:
    """Look at a text, and hash the file if asked. What is compressed is always read through.

    DuckDB reads a part of a file that is cut off without an error. What is no text by its beginning
    and its end is not hashed: it may be huge.
    """
    with open_regular(place) as file:
        if compression != "none":
            text = _read_through(argument, path, file, compression)
        else:
            size = os.fstat(file.fileno()).st_size
            start = file.readline(HEADER + 1)
            file.seek(max(size - 8, 0))
            end = file.read(8)
            text = Text(start, end, size, b"\0" in start + end)
    if not hashed or text.has_nul:
        return text, None
    content = content_of_file(place)
    is_nul_inside = content.has_nul and compression == "none"
    return replace(text, has_nul=is_nul_inside), content.digest


def _read_through(argument: str, path: Path, file: BinaryIO, compression: str) -> Text:
    """Decompress a file to its end."""
    try:
        inside = _decompressed(file, compression)
        start = inside.readline(HEADER + 1)
        size, end, has_nul = len(start), start[-8:], b"\0" in start
        while data := inside.read(1 << 20):
            size, end = size + len(data), (end + data)[-8:]
            has_nul = has_nul or b"\0" in data
    except (EOFError, OSError, ValueError, zlib.error) as error:
        raise InputError(
            f"{argument} must be readable, got {str(path)!r}, which is cut off or damaged "
            f"({error}). Save it again."
        ) from None
    return Text(start, end, size, has_nul)


def _decompressed(file: BinaryIO, compression: str) -> io.BufferedIOBase:
    if compression == "gzip":
        return gzip.GzipFile(fileobj=file)
    import pyarrow as pa

    return io.BufferedReader(pa.input_stream(file, compression="zstd"))


def _refuse_nul(argument: str, path: Path, text: Text) -> None:
    """Refuse bytes that no text has: a crash may have left them at a file's end."""
    if text.has_nul:
        raise InputError(
            f"{argument} must be text, got NUL bytes in {str(path)!r}. Save it again: it may be "
            "cut off, or UTF-16."
        )


def _refuse_other_format(argument: str, path: Path, text: Text) -> None:
    """Refuse Parquet and JSON that are named .csv: a table is recognised by its bytes, whatever its
    name, so the same bytes must never be read as two different tables.
    """
    is_parquet = text.end[-4:] in (b"PAR1", b"PARE")
    is_parquet = is_parquet and int.from_bytes(text.end[:-4], "little") < text.size
    if is_parquet or _is_object(text.start.removeprefix(codecs.BOM_UTF8)):
        what = "Parquet" if is_parquet else "JSON"
        raise InputError(
            f"{argument} must be CSV if it is named so, got {what} in {str(path)!r}. Rename it."
        )


def _refuse_no_object(argument: str, path: Path, text: Text) -> None:
    if not _is_object(text.start):
        raise InputError(
            f"{argument} must have a JSON object in every line, got {str(path)!r}, whose first "
            "line has none. Save it as JSON lines in UTF-8."
        )


def _is_object(start: bytes) -> bool:
    """Whether a first line begins as an object of JSON does; then it is no header of CSV."""
    return start.lstrip().startswith(b"{")


def _parquet_columns(path: Path) -> list[tuple[str, str]]:
    """The columns and their types in the file: DuckDB renames columns that differ by case only."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    try:
        schema = pq.read_schema(path)
    except (pa.ArrowException, OSError):
        return []  # DuckDB's error, when it opens the file, has the reason
    coded = pa.types.is_dictionary
    types = (field.type.value_type if coded(field.type) else field.type for field in schema)
    return [(name, str(kind)) for name, kind in zip(schema.names, types, strict=True)]


def csv_header(argument: str, path: Path, start: bytes) -> tuple[list[str], str]:
    """The names of the columns, and the delimiter: a comma, semicolon, tab or bar."""
    if len(start) > HEADER:
        raise InputError(
            f"{argument} must have a header line of at most {HEADER:,} bytes, got a longer one in "
            f"{str(path)!r}. Keep the columns that are needed."
        )
    try:
        header = start.decode("utf-8-sig").rstrip("\r\n")
    except UnicodeDecodeError:
        header = "\0"
    if "\0" in header:
        raise InputError(
            f"{argument} must be UTF-8 text, got {str(path)!r}. Save it as CSV in UTF-8."
        )
    if "\r" in header:
        raise InputError(
            f"{argument} must have lines that end in LF or CRLF, got {str(path)!r}. Save it again."
        )
    unquoted = re.sub(r'"[^"]*"', "", header)
    delimiter = max(",;\t|", key=unquoted.count)
    try:
        names = [name.strip() for name in next(csv.reader([header], delimiter=delimiter), [])]
    except csv.Error:
        names = []
    if not any(names):
        raise InputError(
            f"{argument} must have a header line, got {str(path)!r} without. "
            "Name the columns in the first line."
        )
    refuse_repeated_names(argument, names)
    return [name or f"unnamed {i}" for i, name in enumerate(names, start=1)], delimiter


def refuse_repeated_names(argument: str, names: list[str]) -> None:
    for name, count in Counter(name.lower() for name in names if name).items():
        if count > 1:
            raise InputError(
                f"{argument} must name each column once, got {name!r} {count} times. "
                "Rename or drop the others."
            )
