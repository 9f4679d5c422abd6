"""certificate.json: read and written, with its digests and its version."""

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from matchbound.errors import InputError
from matchbound.files import digest_of_json, read_json, read_text

VERSION = 2
SHORT = 16  # of a part's digest; the whole certificate's is in full


@dataclass(frozen=True)
class Record:
    """The content of a certificate.json, of whichever version, as JSON has it."""

    content: Mapping[str, Any]

    @staticmethod
    def read(path: Path) -> "Record":
        text = read_text(path, "certificate", "Give a certificate.json that matchbound wrote.")
        try:
            content = read_json(text)
        except (ValueError, RecursionError):
            content = None
        if not isinstance(content, dict) or "matchbound" not in content:
            raise InputError(
                f"certificate must be one that matchbound wrote, got {str(path)!r}. "
                "Give a certificate.json as it was written."
            )
        return Record(content)

    @staticmethod
    def sealed(body: Mapping[str, object]) -> "Record":
        """Add the version, a digest of each number or list of numbers, and one of the whole."""
        content = {"matchbound": VERSION, **body}
        content["digests"] = {
            place: digest_of_json(leaf)[:SHORT] for place, leaf in leaves(content)
        }
        return Record(content | {"digest": digest_of_json(content)})

    @property
    def version(self) -> object:
        return self.content["matchbound"]

    def check_version(self) -> None:
        """Refuse a record of another version."""
        if self.version == 1:
            raise InputError(
                f"certificate must be of version {VERSION} to be loaded or shown, got 1. Check it "
                "with `matchbound verify`, which knows version 1."
            )
        if self.version != VERSION:
            raise InputError(
                f"certificate must be of version {VERSION}, got {self.version!r}. "
                "Use the matchbound that wrote it."
            )

    @property
    def text(self) -> str:
        """The file's text; a list of numbers is one line, so that a person can read it."""
        text = json.dumps(self.content, indent=2, ensure_ascii=False)
        inner = re.compile(r"\[\s+((?:-?[\d.e+-]+|null)(?:,\s+(?:-?[\d.e+-]+|null))*)\s+\]")
        text = inner.sub(lambda m: "[" + re.sub(r",\s+", ", ", m[1]) + "]", text)
        return re.sub(r"(\]),\n\s+(?=\[)", r"\1, ", text) + "\n"

    def changed(self) -> Iterator[str]:
        """Yield what does not have the digest that the record gives it."""
        digests = self.content.get("digests")
        digests = digests if isinstance(digests, dict) else {}
        present = dict(self._leaves())
        intact = True
        for place in [*present, *(place for place in digests if place not in present)]:
            if place not in present or digests.get(place) != digest_of_json(present[place])[:SHORT]:
                intact = False
                yield f"{place} was changed" if place in present else f"{place} was removed"
        whole = {name: value for name, value in self.content.items() if name != "digest"}
        if intact and self.content.get("digest") != digest_of_json(whole):
            yield "digest was changed"

    def unknown_fields(self, rewritten: "Record") -> Iterator[str]:
        """Yield the places that the certificate does not have when it is written again."""
        ours = dict(rewritten._leaves())
        for place, leaf in self._leaves():
            if place not in ours or ours[place] != leaf:
                yield f"{place} is not part of a certificate, or not as one has it"

    def differences(self, recomputed: "Record") -> Iterator[str]:
        """Yield the places, other than paths, that are not as recomputed from the inputs.

        Which tables the inputs are is checked by itself: the same may have other bytes.
        """
        ours, others = dict(self._leaves()), dict(recomputed._leaves())
        for place in sorted(ours.keys() | others.keys()):
            if place.startswith("inputs.") and place.endswith((".digest.rows", ".digest.bytes")):
                continue
            if ours.get(place) != others.get(place) and not place.endswith(".path"):
                yield f"{place} is not what the inputs give"

    def _leaves(self) -> Iterator[tuple[str, Any]]:
        """All but the digests."""
        body = {name: v for name, v in self.content.items() if name not in ("digests", "digest")}
        return leaves(body)


def unreadable(error: Exception) -> InputError:
    return InputError(
        f"certificate must hold what matchbound wrote, got something else ({error}). "
        "Give a certificate.json as it was written."
    )


def guarantee_differences(
    recorded: Sequence[Mapping[str, object]], recomputed: Sequence[Mapping[str, object]]
) -> Iterator[str]:
    """Yield the fields of guarantees that are not as recomputed."""
    if len(recomputed) != len(recorded):
        yield f"guarantees are {len(recorded)}, the choices make {len(recomputed)}"
    for i, (before, again) in enumerate(zip(recorded, recomputed, strict=False)):
        for name, value in again.items():
            if before[name] != value:
                yield f"guarantees[{i}].{name} is {before[name]!r}, the tallies give {value!r}"


def leaves(value: Any, place: str = "") -> Iterator[tuple[str, Any]]:
    """Yield each scalar and each list of numbers, with its place: `guarantees[0].value`."""
    if isinstance(value, dict) and value:
        for name, inner in value.items():
            yield from leaves(inner, f"{place}.{name}" if place else str(name))
    elif isinstance(value, list) and value and isinstance(value[0], dict | str):
        for i, inner in enumerate(value):
            yield from leaves(inner, f"{place}[{i}]")
    else:
        yield place, value
