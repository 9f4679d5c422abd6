"""What a matcher finds, as places in the two graphs."""

from collections.abc import Sequence
from dataclasses import dataclass, fields

import numpy as np

from matchbound.matchers.graphs import Ints


@dataclass(frozen=True)
class Found:
    """Pairs (x, y) without the seeds, the round that adopted each, its witnesses and margin.

    Witnesses are the pairs known before that are neighbours of both; the margin is how many more
    they are than the best rival's, a pair with one of the two nodes and another free one.
    """

    x: Ints
    y: Ints
    round: Ints
    witnesses: Ints
    margin: Ints

    def __len__(self) -> int:
        return len(self.x)


def joined(parts: Sequence[Found]) -> Found:
    """All of them, one after the other."""
    none = np.empty(0, np.int32)
    columns = [[none, *(getattr(part, field.name) for part in parts)] for field in fields(Found)]
    return Found(*map(np.concatenate, columns))
