"""Which drawn nodes' labels name an id, in the journal or in labels.csv of any form."""

import csv
import html
import io
import json
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from matchbound.errors import InputError, MatchboundError
from matchbound.files import csv_text, read_text
from matchbound.tables import (
    SEPARATOR,
    Clusters,
    Form,
    Pairs,
    Source,
    csv_header,
    form_of_labels,
)

CHUNK = 1 << 24  # bytes of a file that are searched at once


@dataclass(frozen=True)
class Ids:
    """The ids to erase. An id is found whole alone: another that begins with it is not it."""

    values: tuple[str, ...]

    def __contains__(self, text: object) -> bool:
        return text in self.values

    def in_text(self, text: str) -> set[str]:
        """The ids that a note or a reason mentions."""
        found = (match[0] for match in self._words.finditer(text))
        return set(found) | ({text} & {*self.values})

    def in_label(self, label: Mapping[str, Any]) -> set[str]:
        """The ids that a label names: its node, its matches, and those in its note."""
        named = {label["node"], *(label["matches"] or ())}
        return (named & {*self.values}) | self.in_text(label["note"])

    def in_file(self, path: Path) -> bool:
        """Whether a file holds one, as text, CSV, JSON or HTML writes it."""
        rest, longest = b"", max(map(len, self._spellings)) + 1
        with path.open("rb") as file:
            while chunk := file.read(CHUNK):
                if self._bytes.search(rest + chunk):
                    return True
                rest = (rest + chunk)[-longest:]
        return False

    @cached_property
    def _words(self) -> re.Pattern[str]:
        longest_first = sorted(self.values, key=len, reverse=True)
        return re.compile("|".join(_whole(re.escape(one), one, r"\w") for one in longest_first))

    @cached_property
    def _spellings(self) -> list[bytes]:
        spelled = {
            text
            for one in self.values
            for text in (
                one,
                one.replace('"', '""'),
                json.dumps(one)[1:-1],
                json.dumps(one, ensure_ascii=False)[1:-1],
                html.escape(one),
            )
        }
        return sorted((text.encode(errors="surrogatepass") for text in spelled), key=len)

    @cached_property
    def _bytes(self) -> re.Pattern[bytes]:
        patterns = (
            _whole(re.escape(one.decode("latin-1")), one.decode("latin-1"), "[0-9A-Za-z_]")
            for one in reversed(self._spellings)
        )
        return re.compile("|".join(patterns).encode("latin-1"))


def _whole(pattern: str, text: str, word: str) -> str:
    """A pattern that finds a text unless it is part of a longer word."""
    before = f"(?<!{word})" if re.match(word, text[0]) else ""
    after = f"(?!{word})" if re.match(word, text[-1]) else ""
    return f"{before}{pattern}{after}"


@dataclass(frozen=True)
class LabelRow:
    """A row of labels.csv: the drawn nodes that it labels, and the ids to erase that it names.

    `record` is whom a row of clusters is about; a row of pairs has none.
    """

    cells: Sequence[str]
    nodes: frozenset[str]
    named: frozenset[str]
    record: str | None = None

    def is_left(self, nodes: set[str]) -> bool:
        """Whether it stays where the labels of these nodes go.

        It does if it is the label of another node too, unless it names an id to erase.
        """
        return not (self.named or (self.nodes and self.nodes <= nodes))


@dataclass(frozen=True)
class LabelFile:
    """labels.csv, made by hand, by a tool or by the labelling page."""

    header: Sequence[str]
    rows: Sequence[LabelRow]
    delimiter: str

    @property
    def named(self) -> frozenset[str]:
        """The ids to erase that stand in it."""
        return frozenset().union(*(row.named for row in self.rows))

    @property
    def naming(self) -> frozenset[str]:
        """The drawn nodes whose labels name one."""
        return frozenset().union(*(row.nodes for row in self.rows if row.named))

    def without(self, nodes: set[str]) -> str | None:
        """The file without the labels of these nodes; None if it has none of them."""
        kept = [row for row in self.rows if row.is_left(nodes)]
        if len(kept) == len(self.rows):
            return None
        return csv_text(self.header, [row.cells for row in kept], self.delimiter)

    def records_of(self, nodes: set[str]) -> int:
        """How many records go from its clusters with the labels of these nodes."""
        return len({row.record for row in self.rows if not row.is_left(nodes)} - {None})


def read_label_file(
    path: Path, drawn: set[str], ids: Ids, named: Iterable[Mapping[str, str]] = ()
) -> LabelFile:
    """Read labels.csv as text; refuse it where it is not sure which columns hold the ids.

    `named` are columns that the user named for a matcher, which apply to labels that have them.
    """
    text = read_text(path, "labels", "Make it readable.")
    names, delimiter = csv_header("labels", path, text.partition("\n")[0].encode())
    try:
        lines = list(csv.reader(io.StringIO(text, newline=""), delimiter=delimiter))
    except csv.Error as error:
        raise InputError(
            f"labels must be CSV, got {str(path)!r} ({error}). Save it again."
        ) from None
    if not any(lines[1:]):
        return LabelFile(lines[0], [], delimiter)
    source = Source("labels", None, dict.fromkeys(names, "VARCHAR"), "")
    form = _form(source, [{}, *named])
    if form is None or _lacks_sources(names, lines[1:], form, drawn):
        raise InputError(
            "labels.csv must have columns by whose names alone every label of an erased person is "
            f"found, got {source.listed}. Name them x and y, or id and cluster; where ids have "
            "sources unique_id_l, unique_id_r, source_dataset_l and source_dataset_r, or id, "
            "cluster and source_dataset."
        )
    if isinstance(form, Clusters):
        rows = _of_clusters(names, lines[1:], form, drawn, ids)
    else:
        rows = [_of_pairs(names, cells, form, drawn, ids) for cells in lines[1:]]
    return LabelFile(lines[0], rows, delimiter)


def _form(source: Source, named: Iterable[Mapping[str, str]]) -> Form | None:
    """The form of labels; None if it is known only by names of the user, or is another by them."""
    try:
        forms = [form_of_labels(source, columns) for columns in named]
    except MatchboundError:
        return None
    return forms[0] if len(set(map(_columns, forms))) == 1 else None


def _columns(form: Form) -> tuple[str | None, ...]:
    """The columns of a form that hold ids, clusters and sources."""
    if isinstance(form, Clusters):
        return form.id, form.cluster, form.source
    return form.x, form.y, form.x_source, form.y_source


def _lacks_sources(
    names: Sequence[str], lines: Iterable[Sequence[str]], form: Form, drawn: set[str]
) -> bool:
    """Whether drawn nodes have sources, and labels have them in no column that is known."""
    column, origin = (
        (form.id, form.source) if isinstance(form, Clusters) else (form.x, form.x_source)
    )
    if origin is not None or not any(SEPARATOR in node for node in drawn):
        return False
    nodes = (dict(zip(names, cells, strict=False)).get(column, "") for cells in lines)
    return any(node and SEPARATOR not in node for node in nodes)


def _of_pairs(
    names: Sequence[str], cells: Sequence[str], form: Pairs, drawn: set[str], ids: Ids
) -> LabelRow:
    values = dict(zip(names, cells, strict=False))
    x, y = (
        _node(values, column, origin)
        for column, origin in ((form.x, form.x_source), (form.y, form.y_source))
    )
    either_way = form.either_way or form.x_source is not None
    nodes = drawn.intersection((x, y) if either_way else (x,))
    others = (value for name, value in values.items() if name not in (form.x, form.y))
    named = {one for one in (x, y) if one in ids}
    named.update(one for value in others for one in ids.in_text(value))
    return LabelRow(cells, frozenset(nodes), frozenset(named))


def _of_clusters(
    names: Sequence[str],
    lines: Sequence[Sequence[str]],
    form: Clusters,
    drawn: set[str],
    ids: Ids,
) -> list[LabelRow]:
    """The label of a record is its whole cluster."""
    rows: list[tuple[Sequence[str], str, str]] = []
    nodes: dict[str, set[str]] = {}
    named: dict[str, set[str]] = {}
    for cells in lines:
        values = dict(zip(names, cells, strict=False))
        node, cluster = _node(values, form.id, form.source), values.get(form.cluster, "")
        others = (value for name, value in values.items() if name != form.id)
        in_row = {one for value in others for one in ids.in_text(value)}
        nodes.setdefault(cluster, set()).update({node} & drawn)
        named.setdefault(cluster, set()).update(in_row | ({node} if node in ids else set()))
        rows.append((cells, cluster, node))
    return [
        LabelRow(cells, frozenset(nodes[cluster]), frozenset(named[cluster]), node)
        for cells, cluster, node in rows
    ]


def _node(values: Mapping[str, str], column: str, origin: str | None) -> str:
    """A node as sample.csv has it."""
    value = values.get(column, "")
    return value if origin is None else f"{values.get(origin, '')}{SEPARATOR}{value}"
