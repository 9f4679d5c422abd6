"""The entries of a version-1 ledger, entered again in today's form."""

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace

from matchbound.audits import Draw, Entry, Searched, SearchedFile, Transaction
from matchbound.certificates.version1.folder import facts_now
from matchbound.errors import InputError
from matchbound.tables import Digest

MADE = re.compile("[0-9a-f]{32}")
"""A seed as matchbound makes it. Version 1 did not record who made it."""


def is_given(seed: str) -> bool:
    """Whether a seed does not look as if matchbound had made it, so that the user gave it."""
    return MADE.fullmatch(seed) is None


class Mover:
    """Enters version 1's entries into a ledger of version 2, in their order, with their times.

    `drawn` is the folder's draw in today's form; version 1 knew it by another digest, `known_as`.
    """

    def __init__(self, ledger: Transaction, drawn: Draw, known_as: str) -> None:
        self._ledger, self._drawn, self._known_as = ledger, drawn, known_as
        self._numbers: dict[int, int] = {}  # of the entries: here, by those in version 1
        self._labellers: dict[str, int] = {}
        self._facts: Mapping[str, Callable[[Entry], Entry]] = {
            "register": lambda entry: _some(facts_now(entry), "holdout", "validation"),
            "watch": lambda entry: _some(facts_now(entry), "holdout"),
            "labels": self._labels,
            "certificate": self._certificate,
            "label": self._label,
            "undo": self._undo,
            "answer": lambda entry: {**_some(entry, "place"), **self._labeller(entry)},
            "search": lambda entry: {"search": _named(Searched.of(entry["search"])).as_dict()},
        }

    def enter(self, entry: Entry) -> None:
        """Enter one of version 1's entries; refuse what version 1 did not write."""
        kind = entry["kind"]
        if kind == "draw":
            self._draw(entry)
        elif kind in self._facts:
            self._ledger.add(kind, **self._facts[kind](entry), time=entry["time"])
        else:
            raise InputError(
                f"audit must hold entries that version 1 wrote, got {kind!r}. Restore the ledger."
            )
        self._numbers[entry["entry"]] = len(self._ledger.entries)

    def _draw(self, entry: Entry) -> None:
        """Enter a draw. Of one that was drawn over, δ is not on record: it counts as the last."""
        more = {"time": entry["time"]}
        if "extends" in entry:
            more["extends"] = self._digest(entry["extends"])
        if entry["draw"] == self._known_as:
            self._drawn.enter(self._ledger, **more)
            return
        facts = self._drawn.facts() | _some(entry, "seed", "labels", "train")
        del facts["nodes"]
        facts |= {"draw": self._hidden(entry["draw"]), "seed_given": is_given(entry["seed"])}
        self._ledger.add("draw", **facts, **more)

    def _digest(self, draw: str) -> str:
        return self._drawn.digest if draw == self._known_as else self._hidden(draw)

    def _hidden(self, digest: str) -> str:
        """A digest of version 1, salted: whoever knows all else of its file could try ids."""
        return str(self._ledger.salted(Digest(None, digest)).bytes)

    def _labels(self, entry: Entry) -> Entry:
        return _some(entry, "validation") | {"labels": self._salted(facts_now(entry)["labels"])}

    def _certificate(self, entry: Entry) -> Entry:
        facts = facts_now(entry)
        return {
            "certificate": self._hidden(entry["certificate"]),
            **_some(facts, "holdout", "complete", "delta", "is_sampled", "exploratory"),
            "labels": self._salted(facts["labels"]),
            "version": 1,
        }

    def _salted(self, digest: Entry) -> Entry:
        return self._ledger.salted(Digest.of(digest)).as_dict()

    def _label(self, entry: Entry) -> Entry:
        return {
            **_some(entry, "place", "validation"),
            **self._labeller(entry),
            "sure": entry["matches"] is not None,
            "decides": entry["decides"],
            "label": _some(entry, "node", "matches", "note"),
        }

    def _undo(self, entry: Entry) -> Entry:
        return {"undoes": self._numbers[entry["undoes"]], **self._labeller(entry)}

    def _labeller(self, entry: Entry) -> Entry:
        """The labeller's number; a new one is entered before what they did."""
        name = entry["labeller"]
        if name not in self._labellers:
            self._labellers[name] = len(self._labellers) + 1
            number = self._labellers[name]
            self._ledger.add("labeller", labeller=number, name=name, time=entry["time"])
        return {"labeller": self._labellers[name]}


def _some(entry: Entry, *names: str) -> dict[str, object]:
    return {name: entry[name] for name in names}


def searched_files(entries: Iterator[Entry]) -> Iterator[SearchedFile]:
    """The files that the labelling page showed records or proposals of."""
    for entry in entries:
        if entry["kind"] == "search":
            search = Searched.of(entry["search"])
            files = (search.records, search.against, search.candidates, search.holdout)
            yield from (file for file in files if file is not None)


def _named(search: Searched) -> Searched:
    """The same with the files' names alone."""
    return replace(
        search,
        records=_without_folder(search.records),
        against=_without_folder(search.against),
        candidates=search.candidates and _without_folder(search.candidates),
        holdout=search.holdout and _without_folder(search.holdout),
    )


def _without_folder(file: SearchedFile) -> SearchedFile:
    return file if file.path is None else replace(file, path=file.name)
