"""What an audit's tables are for, and where they are: lines of paths.jsonl that name a role.

So `label` and `certify` find the tables that `audit`, `draw` and `register` were given.
"""

import json
from collections.abc import Iterable
from contextlib import suppress
from dataclasses import dataclass, replace
from os import PathLike, fspath
from pathlib import Path
from typing import Any

from matchbound.audits.places import NAME, find, finished_lines, whole
from matchbound.files import files_at, read_json
from matchbound.tables import Digest, Output

ROLES = ("records", "against", "holdout")


@dataclass(frozen=True)
class Remembered:
    """A file and its role: records, against or holdout.

    `id` is the column of ids of `against` and `source` the name of its records' source, where they
    are known; `digest` is that of a holdout matcher's output.
    """

    role: str
    path: str
    id: str | None = None
    source: str | None = None
    digest: Digest | None = None

    def __post_init__(self) -> None:
        texts = self.id, self.source
        if self.role not in ROLES or not isinstance(self.path, str):
            raise TypeError("a remembered table must have a role and a path")
        if not all(isinstance(text, str | None) for text in texts):
            raise TypeError("a remembered table must have names as text")

    def now(self, folder: Path) -> str | None:
        """Where it is now: where it was, or in or beside the folder; None if it is gone."""
        if files_at(Path(self.path)):
            return self.path
        return next((str(path) for path in find(self.path, folder)), None)

    def is_at(self, table: Any) -> bool:
        """Whether what a user gives is the path of this file."""
        return isinstance(table, str | PathLike) and whole(fspath(table)) == self.path

    def as_dict(self) -> dict[str, object]:
        """As its line has it, without what is not known."""
        digest = None if self.digest is None else self.digest.as_dict()
        record = {**vars(self), "digest": digest}
        return {name: value for name, value in record.items() if value is not None}

    @staticmethod
    def of(record: Any) -> "Remembered":
        """From JSON; raise TypeError, KeyError or AttributeError if it is none."""
        digest = Digest.if_any(record.get("digest"))
        names = record.get("id"), record.get("source")
        return Remembered(record["role"], record["path"], *names, digest)


def remembered(folder: Path) -> list[Remembered]:
    """The tables that paths.jsonl gives a role, the latest first."""
    tables = []
    for line in finished_lines(folder / NAME)[0]:
        with suppress(ValueError, KeyError, TypeError, AttributeError, RecursionError):
            tables.append(Remembered.of(read_json(line.decode())))
    return tables[::-1]


def latest(folder: Path, role: str) -> Remembered | None:
    """The table that was given this role last."""
    return next((table for table in remembered(folder) if table.role == role), None)


def role_lines(folder: Path, tables: Iterable[Remembered]) -> bytes:
    """The lines to append for tables that are not the latest of their role already.

    Of several matchers each is the latest that has its digest.
    """
    known = {(table.role, table.digest): table for table in reversed(remembered(folder))}
    lines = []
    for table in tables:
        table = replace(table, path=whole(table.path))
        if known.get((table.role, table.digest)) != table:
            known[table.role, table.digest] = table
            lines.append(json.dumps(table.as_dict()) + "\n")
    return "".join(lines).encode()


def holdouts(outputs: Iterable[Output]) -> list[Remembered]:
    """The holdout matchers' outputs that are files, to be remembered."""
    return [
        Remembered("holdout", one.source.path, digest=one.digest)
        for one in outputs
        if one.source.path is not None
    ]
