"""Open a table on this machine: a file, a folder or a pattern of files, or one in a database."""

import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from matchbound.engines import Engine, Table, database_format, tables_in
from matchbound.errors import ChangedError, InputError
from matchbound.files import (
    TRIES,
    Seen,
    files_at,
    in_database,
    is_file,
    is_folder,
    is_pattern,
    is_there,
    parts_at,
    read_at_once,
    resolved,
    scratch,
)
from matchbound.tables.formats import (
    SMALL,
    FileTable,
    format_of,
    refuse_repeated_names,
    table_in,
    table_of,
)
from matchbound.tables.sources import Source, listed, readable

LOGS = ("_delta_log", "_spark_metadata", ".hoodie")
"""Folders beside files that are not all in a table: a log tells which are."""
Files = Sequence[tuple[Path, Path]]
"""Files as the user knows them, each with its absolute path."""


def is_local(path: Path) -> bool:
    """Whether a path is read here even if there is a cluster, which reads folders of Parquet."""
    files = files_at(path)
    formats = {format_of(file.name) for file in files}
    return bool(files) and not (is_folder(path) and formats & {None, ("parquet", "none")})


def open_local(con: Engine, argument: str, path: Path, *, hashed: bool) -> Source:
    """Open a table by its path; `hashed` computes the digest of the bytes of its files.

    Files that are changed between hashing and reading are opened again. A small CSV that others
    replace so often that it never stays is copied, and the copy is opened: the labels of an audit,
    for one, while people label.
    """
    database = None if is_file(path) else in_database(path)
    if database is not None:
        return _open_in_database(con, argument, path, *database)
    _refuse_nothing(argument, path)
    for _ in range(TRIES):
        try:
            with _permitted(argument, path):
                files = _files(argument, path)
            return _open_files(con, argument, path, files, hashed)
        except ChangedError as error:
            changed = error
    with _permitted(argument, path):
        is_csv = is_file(path) and format_of(path.name) == ("csv", "none")
        if con.is_cluster or not is_csv or Seen.at(path).size > SMALL:
            raise changed
        content = read_at_once(resolved(path), SMALL)
    with scratch(path.name, content) as copy:
        return _open_files(con, argument, path, [(path, resolved(copy))], hashed)


def _open_files(con: Engine, argument: str, path: Path, files: Files, hashed: bool) -> Source:
    """Open the table of files that the user knows as `path`."""
    for _, place in files:
        _refuse_backslash(argument, place)
    with _permitted(argument, path):
        seen = tuple(Seen.at(place) for _, place in files)
        found = _table(argument, path, files, hashed)
    with readable(argument, str(path)):
        opened = con.open(found.table)
    for file in seen:
        file.refuse_changed()
    refuse_repeated_names(argument, list(opened.columns))
    is_kept = found.table.at_once and not con.is_cluster
    return Source(
        argument,
        str(_with_folder(path)),
        opened.columns,
        opened.scan,
        found.digest,
        found.is_small,
        () if is_kept else seen,
    )


def _table(argument: str, path: Path, files: Files, hashed: bool) -> FileTable:
    if is_file(path):
        return table_in(argument, *files[0], hashed=hashed)
    return table_of(argument, files, hashed=hashed)


def _with_folder(path: Path) -> Path:
    """A path that has a name by which it is found again: `*.csv` would fit any other table."""
    is_bare = is_pattern(path) and len(path.parts) == 1
    return Path(os.path.abspath(path)) if is_bare or path.name in ("", "..") else path


def _files(argument: str, path: Path) -> Files:
    """The files of a table; refuse what may be no table, or not all of one."""
    if is_file(path):
        return [(path, resolved(path))]
    parts = parts_at(path)
    _refuse_other_parts(argument, path, parts)
    if not parts:
        what = "a folder without files" if is_folder(path) else "a pattern that matches no file"
        raise InputError(
            f"{argument} must have files, got {str(path)!r}, {what}. Check the path; names that "
            "begin with _ or . do not count."
        )
    return [(part, resolved(part)) for part in parts]


def _refuse_other_parts(argument: str, path: Path, parts: Sequence[Path]) -> None:
    """Refuse folders in a table, logs that say which files count, and what is no file."""
    inside = list(path.iterdir()) if is_folder(path) else list(parts)
    inside += [part.parent / log for part in parts for log in LOGS]
    folders = [part for part in inside if is_folder(part)]
    above = (folder for part in parts for folder in part.parents)
    folders += [one for one in above if "=" in one.name and one.name not in path.parts]
    if folders:
        raise InputError(
            f"{argument} must be files of one table, got {str(path)!r} with the folder "
            f"{folders[0].name!r}: its name may be a column, or a log may say which files count "
            "(Delta, Hudi). Write the table into one folder of files."
        )
    for part in parts:
        if not is_file(part):
            raise InputError(
                f"{argument} must be files of one table, got {part.name!r} in {str(path)!r}, a "
                "pipe, a device or a link to nothing. Remove it, or give a pattern without it."
            )


def _open_in_database(con: Engine, argument: str, path: Path, file: Path, table: str) -> Source:
    """Copy a table out of a database, or hand it to a cluster. Its rows tell which table it is."""
    _refuse_nothing(argument, file, path)
    place = resolved(file)
    with _permitted(argument, path), readable(argument, str(path)):
        seen, format = Seen.at(place), database_format(place)
        if format is None:
            raise InputError(
                f"{argument} must be in a database of DuckDB or SQLite, got {str(path)!r}, whose "
                "file is none. Give the file alone if it is a table itself."
            )
        names = _name_in(argument, table, tables_in(place, format))
        opened = con.open(Table(place, format, names))
    seen.refuse_changed()
    refuse_repeated_names(argument, list(opened.columns))
    files = (seen,) if con.is_cluster else ()
    return Source(argument, str(path), opened.columns, opened.scan, files=files)


def _name_in(argument: str, table: str, names: Sequence[tuple[str, str]]) -> tuple[str, str]:
    """The schema and the name of a table; a schema need not be said if it is `main`."""
    fitting = [
        (schema, name)
        for schema, name in names
        if table.lower()
        in [f"{schema}.{name}".lower(), *([name.lower()] if schema == "main" else [])]
    ]
    if len(fitting) != 1:
        known = [name if schema == "main" else f"{schema}.{name}" for schema, name in names]
        raise InputError(
            f"{argument} must name one table of the database, got {table!r}, which "
            f"{'two have' if fitting else 'none has'}. Choose among {listed(known) or 'none'}."
        )
    return fitting[0]


def _refuse_nothing(argument: str, path: Path, shown: Path | None = None) -> None:
    """Refuse a path at which there is no file, folder or pattern; `shown` is what the user gave."""
    if is_file(path) or (shown is None and (is_folder(path) or _is_local_pattern(path))):
        return
    text = str(shown or path)
    if _is_address(text):
        scheme, _, rest = text.partition(":")  # of whose slashes a Path keeps one
        typed = f"{scheme}:{'///' if scheme == 'file' else '//'}{rest.lstrip('/')}"
        raise InputError(
            f"{argument} must be the path of a local file, got {typed!r}, an address. Give a "
            "local copy, or read it where it is with --engine spark."
        )
    there = is_folder(path), is_there(path)
    what = {(True, True): "a folder", (False, True): "a pipe, a device or a link to nothing"}
    raise InputError(
        f"{argument} must be a file, got {text!r} ({what.get(there, 'no such file')}). "
        "Check the path."
    )


def _is_local_pattern(path: Path) -> bool:
    return is_pattern(path) and not _is_address(str(path))


def _is_address(path: str) -> bool:
    scheme, colon, rest = path.partition(":")
    return bool(colon) and len(scheme) > 1 and scheme.isalnum() and rest.startswith("/")


def _refuse_backslash(argument: str, place: Path) -> None:
    """Refuse a name that cannot be said to DuckDB: in patterns a backslash divides folders."""
    if os.name == "posix" and "\\" in str(place) and set("[*?") & set(str(place)):
        raise InputError(
            f"{argument} must not have a backslash beside one of [*? in its path, got "
            f"{str(place)!r}. Rename it."
        )


@contextmanager
def _permitted(argument: str, path: Path) -> Iterator[None]:
    try:
        yield
    except (OSError, UnicodeEncodeError) as error:
        reason = getattr(error, "strerror", None) or "its name is not UTF-8"
        raise InputError(
            f"{argument} must be readable, got {str(path)!r} ({reason}). "
            "Change its permissions or its name."
        ) from None
