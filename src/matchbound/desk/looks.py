"""What each labeller was shown of each node, and how it came there."""

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field

LIKENESS, EXPANSION, SEARCH, ENTITY, CANDIDATE = (
    "likeness",
    "expansion",
    "search",
    "entity",
    "candidate",
)
"""How a record came to be shown: near the node, near a ticked record, found by a search, of an
entity that was labelled before, or proposed in `--candidates`."""


@dataclass
class Looks:
    """The records shown, by labeller and place, each with the way in which it came first."""

    _shown: dict[tuple[str, int], dict[str, str]] = field(default_factory=dict)

    def begin(self, labeller: str, place: int) -> None:
        """The node is shown anew: the list starts empty."""
        self._shown[labeller, place] = {}

    def add(self, labeller: str, place: int, ids: Iterable[str], way: str) -> None:
        shown = self._shown.setdefault((labeller, place), {})
        for y in ids:
            shown.setdefault(y, way)

    def listed(self, labeller: str, place: int) -> Collection[str]:
        return self._shown.get((labeller, place), {}).keys()

    def counts(self, labeller: str, place: int, matches: Iterable[str]) -> Mapping[str, int]:
        """How many records were shown, and how many of the matches came in each way.

        A match that was not shown was typed by somebody who asks without the page: it is of none.
        """
        shown = self._shown.get((labeller, place), {})
        ways = [shown[y] for y in matches if y in shown]
        return {"shown": len(shown)} | {way: ways.count(way) for way in dict.fromkeys(ways)}
