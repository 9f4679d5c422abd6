"""The journal of an audit: what its ledger commits to and does not show.

The ledger holds no seed, id, match, name or note, but commitments: SHA-256 over a random salt of
128 bits and the content. Salts and contents are here, a line each. A line that is removed here is
erased for good, and the ledger's chain stays whole.
"""

import hashlib
import json
import secrets
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from matchbound.audits.places import finished_lines
from matchbound.files import read_json
from matchbound.tables import Digest

NAME = "journal.jsonl"
Entry = Mapping[str, Any]
"""An entry, as JSON: its number, time, kind and facts, the digest before it and its own."""
SEALED = {
    "moved": ("ledger",),
    "draw": ("seed", "nodes"),
    "choices": ("seed", "train_seed"),
    "labeller": ("name",),
    "label": ("label",),
}
"""The facts of an entry, by its kind, that the ledger has as commitments."""


@dataclass(frozen=True)
class Opening:
    """A fact of an entry and the salt of its commitment: whoever has both can check it."""

    salt: str
    name: str
    value: Any

    @staticmethod
    def new(name: str, value: Any) -> "Opening":
        return Opening(secrets.token_hex(16), name, value)

    @property
    def commitment(self) -> str:
        content = canonical(self.name, self.value)
        return hashlib.sha256(self.salt.encode() + content).hexdigest()

    @property
    def line(self) -> bytes:
        """Its line in journal.jsonl."""
        content = {self.name: self.value}
        record = {"sealed": self.commitment, "salt": self.salt, "content": content}
        return json.dumps(record, ensure_ascii=False).encode(errors="surrogatepass") + b"\n"


def canonical(name: str, value: Any) -> bytes:
    """What is committed to: a fact and its name, as JSON with names in order and no spaces."""
    text = json.dumps({name: value}, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    return text.encode(errors="surrogatepass")


def is_sealed(value: Any) -> bool:
    """Whether a fact of an entry is a commitment that was not opened."""
    is_one = isinstance(value, dict) and value.keys() == {"sealed"}
    return is_one and isinstance(value["sealed"], str)


class Journal:
    """The openings of an audit's commitments, and the salt of its digests of labels.

    `changed` are commitments that a line claims to open and does not. `size` is the number of bytes
    of the finished lines; `unfinished`: a crash left one that is not.
    """

    def __init__(self) -> None:
        self.salt: str | None = None
        self.changed: list[str] = []
        self.size, self.unfinished = 0, False
        self._openings: dict[str, Opening] = {}
        self._by_content: dict[bytes, str] = {}

    def put(self, opening: Opening, commitment: str) -> None:
        self._openings[commitment] = opening
        self._by_content[canonical(opening.name, opening.value)] = commitment

    def drop(self, opening: Opening) -> None:
        self._openings.pop(opening.commitment, None)
        self._by_content.pop(canonical(opening.name, opening.value), None)

    def get(self, commitment: str) -> Opening | None:
        return self._openings.get(commitment)

    def holding(self, name: str, value: Any) -> Opening | None:
        """The opening that has this content, if one has."""
        commitment = self._by_content.get(canonical(name, value))
        return None if commitment is None else self._openings[commitment]

    def opened(self, entry: Entry) -> Entry:
        """An entry with the contents that are known; others stay commitments."""
        return {name: self._open(name, value) for name, value in entry.items()}

    def _open(self, name: str, value: Any) -> Any:
        opening = self.get(value["sealed"]) if is_sealed(value) else None
        return value if opening is None or opening.name != name else opening.value

    def salted(self, digest: Digest) -> Digest:
        """A digest of labels as it stands on record; without a salt, what fits no other."""
        salt = self.salt or secrets.token_hex(16)
        return Digest(*(part and _salted(salt, part) for part in (digest.rows, digest.bytes)))

    def lines(self) -> Iterator[bytes]:
        """What journal.jsonl holds."""
        if self.salt is not None:
            yield salt_line(self.salt)
        for opening in self._openings.values():
            yield opening.line

    def without(self, commitments: set[str], *, salt: str | None) -> "Journal":
        """The journal with some commitments never to be opened again, and a salt of labels."""
        rest = Journal()
        rest.salt = salt
        for commitment, opening in self._openings.items():
            if commitment not in commitments:
                rest.put(opening, commitment)
        return rest

    @property
    def openings(self) -> Mapping[str, Opening]:
        return self._openings


def _salted(salt: str, digest: str) -> str:
    return hashlib.sha256(f"{salt}{digest}".encode()).hexdigest()


def salt_line(salt: str) -> bytes:
    """The journal's line with the salt of the digests of labels."""
    return json.dumps({"salt of labels": salt}).encode() + b"\n"


def read_journal(folder: Path) -> Journal:
    """Read the journal of a folder; where there is none, nothing can be opened."""
    journal = Journal()
    lines, journal.size, journal.unfinished = finished_lines(folder / NAME)
    for line in lines:
        _read_line(journal, line)
    return journal


def _read_line(journal: Journal, line: bytes) -> None:
    """Take up one line; one that opens nothing is as good as erased."""
    try:
        record = read_json(line.decode(errors="surrogatepass"))
        if "salt of labels" in record:
            journal.salt = str(record["salt of labels"]) or None
            return
        ((name, value),) = record["content"].items()
        opening, claimed = Opening(str(record["salt"]), name, value), str(record["sealed"])
        if opening.commitment == claimed:
            journal.put(opening, claimed)
        else:
            journal.changed.append(claimed)
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
        return
