"""What the page shows of a node: its record, candidates, and results of a search.

Candidates come in an order that does not reveal a matcher's answer.
"""

from collections.abc import Collection, Iterable, Mapping, Sequence
from concurrent.futures import Future
from dataclasses import dataclass
from itertools import islice

from matchbound.audits import hash_of
from matchbound.desk.proposals import Proposals
from matchbound.desk.search import Search
from matchbound.errors import InputError
from matchbound.tables import Alignment, Records, shown_values

SUGGESTED = 10
EXPANSION = 5  # records that join the list for each that was ticked
MOST_SEARCHES = 8  # at most so many of the ticked records are looked around for at once
MOST_DECOYS = 40
RESULTS = 20
LONGEST_QUERY = 300  # characters


@dataclass(frozen=True)
class Shown:
    """A record for the page: its values in the order of the fields."""

    id: str
    values: Sequence[str | None]


@dataclass(frozen=True)
class Answer:
    """The holdout matcher's matches with scores, if there is such a matcher; candidates' scores."""

    matches: Mapping[str, float | None] | None
    scores: Mapping[str, float | None]


@dataclass(frozen=True)
class Material:
    """The records of both sides, the search over the right side, and matchers' proposals."""

    left: Records
    right: Records
    fields: Alignment
    search: "Future[Search]"
    candidates: Proposals
    holdout: Proposals | None
    dedupe: bool
    guidelines: str | None = None

    def record(self, node: str) -> Shown:
        return Shown(node, shown_values(self.left.values(node), self.fields.left))

    def candidate(self, node: str) -> Shown:
        return Shown(node, shown_values(self.right.values(node), self.fields.right))

    def proposed(self, node: str, also: Iterable[str] = ()) -> list[Shown]:
        """The records to show: the most similar ones, then candidates and those of `also`.

        The order depends on the records' text alone: a matcher's scores would reveal its answer.
        For each proposed record that is not among the most similar, two decoys are added, which
        nobody proposed.
        """
        nearest = self._likest(node, SUGGESTED + 2 * MOST_DECOYS)
        first, others = self._distinct(nearest, SUGGESTED)
        proposed = [y for y in (*self.candidates.of(node), *also) if y in self.right.rows]
        outside = set(proposed) - set(first)
        decoys = others[: 2 * len(outside)]
        rest = sorted({*decoys, *outside}, key=lambda y: hash_of(node, y))
        return [self.candidate(y) for y in (*first, *rest)]

    def more(self, node: str, listed: Collection[str]) -> list[Shown]:
        """The next most similar records, after those that are listed."""
        found = (y for y in self._likest(node, SUGGESTED + len(listed)) if y not in listed)
        return [self.candidate(y) for y in islice(found, SUGGESTED)]

    def around(self, node: str, ticked: Sequence[str], listed: Collection[str]) -> list[Shown]:
        """The records nearest to those that were just ticked, of which none is listed yet.

        Where many were ticked at once, more join for each, so that a large entity takes few steps.
        """
        spread = ticked[:: -(-len(ticked) // MOST_SEARCHES) or 1]
        each = max(EXPANSION, len(ticked) // 4)
        joining: dict[str, None] = {}
        for y in spread:
            texts = self._text(self.right.values(y)) or y
            known = {*listed, *joining}
            found = self.find(texts, node, None, each + len(known))
            joining |= dict.fromkeys(islice((z for z in found if z not in known), each))
        return [self.candidate(y) for y in joining]

    def _likest(self, node: str, limit: int) -> list[str]:
        return self.find(self._text(self.left.values(node)) or node, node, None, limit)

    @staticmethod
    def _text(values: Iterable[str | None]) -> str:
        return " ".join(filter(None, values))

    def _distinct(self, ids: Sequence[str], limit: int) -> tuple[list[str], list[str]]:
        """The first records up to so many different ones, with all that are like them; the rest.

        Records that are alike in every field are one row on the page.
        """
        groups: dict[tuple[str | None, ...], list[str]] = {}
        for y in ids:
            groups.setdefault(tuple(self.right.values(y)), []).append(y)
        rows = list(groups.values())
        first = [y for row in rows[:limit] for y in row]
        return first, [y for row in rows[limit:] for y in row]

    def results(self, text: str, node: str, field: str | None) -> list[Shown]:
        """The records that a search finds. `ph: 4073` looks in the one field that begins so."""
        start, colon, rest = text.partition(":")
        named = [name for name in self.right.names if name.casefold().startswith(start.casefold())]
        if field is None and colon and start and rest.strip() and len(named) == 1:
            text, field = rest, named[0]
        if field is not None and field not in self.right.names:
            raise InputError(f"field must be one of the records', got {field!r}. Choose another.")
        return [self.candidate(y) for y in self.find(text, node, field, RESULTS)]

    def find(self, text: str, node: str, field: str | None, limit: int) -> list[str]:
        """The ids of the most similar records, without the node itself where X = Y."""
        rows = self.search.result().find(text[:LONGEST_QUERY], field, limit + 1)
        ids = [self.right.node(row) for row in rows]
        return [y for y in ids if not (self.dedupe and y == node)][:limit]

    @property
    def has_answers(self) -> bool:
        """Whether there are answers to hide: a holdout matcher's, or scores of candidates."""
        proposals = self.candidates.by_node.values()
        scores = (score for by_id in proposals for score in by_id.values())
        return self.holdout is not None or any(score is not None for score in scores)

    def answer(self, node: str) -> Answer:
        matches = None if self.holdout is None else self.holdout.of(node)
        return Answer(matches, self.candidates.of(node))

    def check_known(self, matches: Iterable[str]) -> None:
        for y in matches:
            if y not in self.right.rows:
                raise InputError(
                    f"matches must be records of {self.right.source.path!r}, got {y!r}, which is "
                    "none. Find it by search."
                )
