"""What a user has, understood: from a matcher's table and its records to what `draw` is asked."""

import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from matchbound.audits.readings import Answer, SeveralReadingsError
from matchbound.audits.remembered import Remembered
from matchbound.audits.sides import Opened, Sides, find_sides
from matchbound.audits.wishes import Wishes
from matchbound.engines import Engine
from matchbound.errors import InputError
from matchbound.files import resolved
from matchbound.tables import (
    Clusters,
    Form,
    Reading,
    Source,
    check_columns,
    check_scored,
    count_matches,
    open_source,
    possible_forms,
    recognise,
    refuse_ignored_nothing,
    refuse_unread_columns,
)


@dataclass(frozen=True)
class Given:
    """What a user has: a matcher's table, the records it is of, and how many are to be labelled.

    The others are what the user says where the tables leave it open: `clusters` whether those are
    deployed or the pairs, `source` which of the matches' sources is that of `records`, `id` and
    `against_id` the columns of ids, `columns` those of matches.
    """

    matches: Any
    records: Any
    against: Any = None
    labels: int | None = None
    threshold: float | None = None
    clusters: bool | None = None
    source: str | None = None
    id: str | None = None
    against_id: str | None = None
    columns: Mapping[str, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        for name in ("matches", "records"):
            if getattr(self, name) is None:
                raise InputError(f"{name} must be given, got None. Give a table or its path.")
        paths = [
            resolved(Path(table))
            for table in (self.records, self.against)
            if isinstance(table, str | os.PathLike)
        ]
        if self.against is not None and (
            self.against is self.records or len({*paths}) < len(paths)
        ):
            raise InputError(
                "against must be another table than records, got the same. Leave it out if one "
                "table was matched with itself."
            )


@dataclass(frozen=True)
class Understood:
    """What to ask of a draw, and three lines that say how the tables were understood."""

    wishes: Wishes
    lines: tuple[str, str, str]


def understand(con: Engine, given: Given) -> Understood:
    """Read the tables, and find the one reading that they have; refuse several, or none."""
    matches = open_source(con, "matches", given.matches, hashed=False)
    records = open_source(con, "records", given.records, hashed=False)
    against = None
    if given.against is not None:
        against = open_source(con, "against", given.against, hashed=False)
    form = _form(matches, given.columns)
    refuse_ignored_nothing([matches], given.columns)
    refuse_unread_columns(con, matches, form, given.columns)
    check_scored(matches, form, given.threshold)
    Reading(threshold=given.threshold).settled([form])
    rows = count_matches(con, matches)
    opened = Opened(records, against, given.source, given.id, given.against_id)
    sides = find_sides(con, matches, form, opened)
    clusters = _deployed(given, form)
    wishes = Wishes(
        given.records,
        labels=given.labels,
        id=sides.id,
        holdout=given.matches,
        reading=Reading({**given.columns, **sides.columns}, given.threshold, clusters),
        matching=sides.matching,
        tables=tuple(_remembered(opened, sides)),
    )
    lines = _form_line(matches, form, rows), _sides_line(opened, sides)
    return Understood(wishes, (*lines, _deployed_line(form, wishes.reading)))


def _form(matches: Source, columns: Mapping[str, str]) -> Form:
    check_columns(columns)
    named = {"x", "y", "id", "cluster"} & columns.keys()
    forms = [] if named else possible_forms(matches)
    if len(forms) > 1:
        raise SeveralReadingsError(
            "columns must say how matches are read, because they may be pairs and clusters, got "
            "None.",
            [
                Answer("columns", {**columns, **_named(one)}, f"they are {_in_words(one)}")
                for one in forms
            ],
        )
    return recognise(matches, columns)


def _named(form: Form) -> dict[str, str]:
    if isinstance(form, Clusters):
        return {"id": form.id, "cluster": form.cluster}
    return {"x": form.x, "y": form.y}


def _in_words(form: Form) -> str:
    if isinstance(form, Clusters):
        return f"records in {form.id!r} with clusters in {form.cluster!r}"
    return f"pairs in {form.x!r} and {form.y!r}"


def _deployed(given: Given, form: Form) -> bool:
    """Whether clusters are deployed; pairs do not show it."""
    if isinstance(form, Clusters):
        if given.clusters is False:
            raise InputError(
                "pairs must not be said where matches are clusters, got it. Drop it (--pairs, "
                "clusters=False)."
            )
        return True
    if given.clusters is None:
        raise SeveralReadingsError(
            "clusters or pairs must be said, because matches are pairs and what is deployed may be "
            "the clusters that they link, got neither.",
            [
                Answer("clusters", True, "the clusters that pairs link are deployed"),
                Answer("clusters", False, "the pairs themselves are deployed"),
            ],
        )
    return given.clusters


def _remembered(opened: Opened, sides: Sides) -> list[Remembered]:
    tables = []
    if opened.records.path is not None:
        tables.append(Remembered("records", opened.records.path))
    if opened.against is not None and opened.against.path is not None:
        tables.append(Remembered("against", opened.against.path, sides.against_id, sides.other))
    return tables


def _form_line(matches: Source, form: Form, rows: int) -> str:
    if isinstance(form, Clusters):
        return f"Matches: {_name(matches)}, {rows} {_in_words(form)}."
    more = "" if form.score is None else f", with scores in {form.score!r}"
    more += "" if form.positive is None else f", with verdicts in {form.positive!r}"
    return f"Matches: {_name(matches)}, {rows} {_in_words(form)}{more}."


def _sides_line(opened: Opened, sides: Sides) -> str:
    """Link type, sources and ids."""
    if opened.against is None:
        return f"Records: {_name(opened.records)} (ids in {sides.id!r}), matched with itself."
    ours = _of_side(opened.records, sides.matching.source, sides.id, sides.columns.get("x"))
    theirs = _of_side(opened.against, sides.other, sides.against_id, sides.columns.get("y"))
    return f"Records: {ours}, matched with {theirs}."


def _of_side(table: Source, origin: str | None, id: str | None, column: str | None) -> str:
    facts = [] if origin is None else [f"source {origin!r}"]
    facts += [] if column is None else [f"in {column!r} of matches"]
    return f"{_name(table)} ({', '.join([*facts, f'ids in {id!r}'])})"


def _deployed_line(form: Form, reading: Reading) -> str:
    scores = "" if reading.threshold is None else f" with a score from {reading.threshold:g} on"
    if isinstance(form, Clusters):
        return "Deployed: the clusters of the table."
    pairs = f"the pairs{scores}"
    return (
        f"Deployed: the clusters that {pairs} link." if reading.clusters else f"Deployed: {pairs}."
    )


def _name(table: Source) -> str:
    return "a table" if table.path is None else Path(table.path).name
