"""A list of a matcher's errors at the validation nodes, as text and as CSV."""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from matchbound.certificates.error_fields import NO_FIELDS, Fields
from matchbound.certificates.error_search import NodeErrors
from matchbound.files import csv_text
from matchbound.reprs import brief

SHOWN = 20
"""How many nodes are printed."""
SHOWN_PAIRS = 5
"""How many pairs of a node are printed."""


@dataclass(frozen=True)
class ErrorList:
    """The nodes with errors, the worst first, among those `checked`: labelled, and in S.

    `fields` are those of the records, if they were given; `out` is the file written; `entry` is the
    ledger's that says that the list was shown; None where there is no folder.
    """

    nodes: tuple[NodeErrors, ...]
    checked: int
    fields: Fields = NO_FIELDS
    out: Path | None = None
    entry: int | None = None

    @property
    def wrong(self) -> int:
        return sum(node.wrong for node in self.nodes)

    @property
    def missed(self) -> int:
        return sum(node.missed for node in self.nodes)

    def to_csv(self) -> str:
        """A row a pair: the node, the other record, what is wrong, score and fields side by side.

        `wrong` and `missed` are the node's numbers; the first of each are listed.
        """
        header = ["matcher", "node", "other", "kind", "score", "wrong", "missed"]
        rows = (
            [node.matcher, node.node, pair.other, pair.kind, pair.score, node.wrong, node.missed]
            + [value for _, *both in self.fields.of(node.node, pair.other) for value in both]
            for node in self.nodes
            for pair in node.pairs
        )
        sides = [f"{side}_{name}" for name in self.fields.names for side in ("node", "other")]
        return csv_text([*header, *sides], rows)

    def __repr__(self) -> str:
        return brief(self, next(self._lines()))

    def __str__(self) -> str:
        return "\n".join(self._lines())

    def _lines(self) -> Iterator[str]:
        several = len({node.matcher for node in self.nodes}) > 1
        yield (
            f"Errors at {len(self.nodes)} of {self.checked} labelled validation nodes; wrong "
            f"matches: {self.wrong}, missed ones: {self.missed}."
        )
        for node in self.nodes[:SHOWN]:
            yield f"{_plain(node.node)}: {node.wrong} wrong, {node.missed} missed" + (
                f", by {node.matcher}" if several else ""
            )
            yield from self._pairs(node)
        if len(self.nodes) > SHOWN:
            yield f"Not shown: {len(self.nodes) - SHOWN} further nodes with errors."
        if self.out is not None:
            yield f"The list is in {self.out}."
        yield (
            "A matcher that is mended by this list is no longer a holdout: certify its next "
            "version as --complete."
        )
        if self.entry is not None:
            yield (
                f"Entry {self.entry} of the ledger says that the list was shown: labels that are "
                "changed from now on are counted, and keep certificates from any --require."
            )

    def _pairs(self, node: NodeErrors) -> Iterator[str]:
        for pair in node.pairs[:SHOWN_PAIRS]:
            score = "" if pair.score is None else f"   score {pair.score:g}"
            yield f"  {pair.kind:6} {_plain(pair.other)}{score}"
            for name, left, right in self.fields.of(node.node, pair.other):
                yield f"      {_plain(name)}: {_plain(left)} | {_plain(right)}"
        more = len(node.pairs) - SHOWN_PAIRS + node.unlisted
        if more > 0:
            yield f"  and {more} more"


def _plain(text: str | None) -> str:
    """A text for one line of a terminal."""
    line = " ".join((text or "").split())[:60]
    return "".join(letter if letter.isprintable() else "?" for letter in line)
