"""Tokens with a digit, such as house numbers, models and years, that two records share."""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Ints = NDArray[np.int32]
Floats = NDArray[np.float32]
TOKEN = re.compile(r"\w*\d\w*")


@dataclass(frozen=True)
class Digits:
    """The tokens of each text, as numbers from `starts` on, in rising order."""

    starts: NDArray[np.int64]
    tokens: Ints


def digits_of(*tables: Sequence[str]) -> list[Digits]:
    """The tokens with a digit in the texts of each table; the same token has the same number."""
    numbers: dict[str, int] = {}
    return [_digits(texts, numbers) for texts in tables]


def _digits(texts: Sequence[str], numbers: dict[str, int]) -> Digits:
    starts = np.zeros(len(texts) + 1, np.int64)

    def tokens() -> Iterator[int]:
        for row, text in enumerate(texts):
            own = sorted({numbers.setdefault(token, len(numbers)) for token in _tokens(text)})
            starts[row + 1] = starts[row] + len(own)
            yield from own

    return Digits(starts, np.fromiter(tokens(), np.int32))


def _tokens(text: str) -> Iterable[str]:
    return TOKEN.findall(text)


def shared_digits(left: Digits, right: Digits, x: Ints, y: Ints) -> list[Floats]:
    """How many tokens with a digit both records have, and how many one has alone."""
    from matchbound.matchers.records._pairs import count_shared

    shared, alone = np.empty(len(x), np.float32), np.empty(len(x), np.float32)
    sides = (left.starts, left.tokens), (right.starts, right.tokens)
    count_shared(x, y, *sides, shared, alone)
    return [shared, alone]
