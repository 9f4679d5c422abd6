"""What is shown of a node: its record, candidates in an order that tells nothing, what is found."""

from collections.abc import Iterable
from concurrent.futures import Future
from dataclasses import dataclass
from typing import Any

from matchbound.audits import hash_of
from matchbound.desk.proposals import Proposals
from matchbound.desk.records import Alignment, Records, shown
from matchbound.desk.search import Search
from matchbound.errors import InputError

SUGGESTED = 10
MOST_DECOYS = 40
FOUND = 20
LONGEST_QUERY = 300  # characters


@dataclass(frozen=True)
class Material:
    """The records of both sides, the search over the right, and what matchers propose."""

    left: Records
    right: Records
    fields: Alignment
    search: "Future[Search]"
    candidates: Proposals
    holdout: Proposals | None
    dedupe: bool

    def record(self, node: str) -> dict[str, Any]:
        return {"id": node, "values": shown(self.left.values(node), self.fields.left)}

    def candidate(self, node: str) -> dict[str, Any]:
        return {"id": node, "values": shown(self.right.values(node), self.fields.right)}

    def proposed(self, node: str, also: Iterable[str] = ()) -> list[dict[str, Any]]:
        """The nearest records, candidates and those ticked before; the likest first.

        The order is by the records' text alone: a matcher's scores would tell its answer. For each
        candidate that is not among the nearest there are two records more that nobody proposed.
        """
        values = list(filter(None, self.left.values(node)))
        nearest = self.find(" ".join(values) or node, node, None, SUGGESTED + 2 * MOST_DECOYS)
        known = [y for y in (*self.candidates.of(node), *also) if y in self.right.rows]
        outside = set(known) - set(nearest[:SUGGESTED])
        decoys = nearest[SUGGESTED : SUGGESTED + 2 * len(outside)]
        rest = sorted({*decoys, *outside}, key=lambda y: hash_of(node, y))
        return [self.candidate(y) for y in (*nearest[:SUGGESTED], *rest)]

    def found(self, text: str, node: str, field: str | None) -> list[dict[str, Any]]:
        if field is not None and field not in self.right.names:
            raise InputError(f"field must be one of the records', got {field!r}. Choose another.")
        return [self.candidate(y) for y in self.find(text, node, field, FOUND)]

    def find(self, text: str, node: str, field: str | None, limit: int) -> list[str]:
        """The nearest records' ids, without the node itself where one table is matched."""
        rows = self.search.result().find(text[:LONGEST_QUERY], field, limit + 1)
        ids = [self.right.node(row) for row in rows]
        return [y for y in ids if not (self.dedupe and y == node)][:limit]

    @property
    def has_answers(self) -> bool:
        """Whether there is anything to hide: a holdout matcher, or scores of candidates."""
        scores = (score for found in self.candidates.by_node.values() for score in found.values())
        return self.holdout is not None or any(score is not None for score in scores)

    def answer(self, node: str) -> dict[str, Any]:
        """The holdout matcher's matches, if there is one, and the scores of candidates."""
        found = None if self.holdout is None else self.holdout.of(node).items()
        return {
            "matches": None if found is None else [{"id": y, "score": s} for y, s in found],
            "scores": dict(self.candidates.of(node)),
        }

    def check_known(self, matches: Iterable[str]) -> None:
        for y in matches:
            if y not in self.right.rows:
                raise InputError(
                    f"matches must be records of {self.right.source.path!r}, got {y!r}, which is "
                    "none. Find it by search."
                )
