"""Features of candidate pairs: how alike two records are, field by field and as a whole."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from matchbound.matchers.records.candidates import Candidates
from matchbound.matchers.records.digits import Digits, digits_of, shared_digits
from matchbound.matchers.records.fields import Field, Tables
from matchbound.matchers.records.rivals import RIVALS, rivals
from matchbound.matchers.records.similarity import TEXT, compare_texts

Floats = NDArray[np.float32]
Ints = NDArray[np.int32]
NUMBER = ("difference", "relative difference")
DATE = ("days apart",)
WHOLE = ("cosine3", "cosine4", "digits shared", "digits of one")

FEW = 1 << 16  # candidates whose features are kept for other labels


@dataclass(frozen=True)
class Features:
    """The features of candidate pairs, computed for some of them at a time.

    `others` are further columns by name, a number for each candidate.
    """

    tables: Tables
    candidates: Candidates
    digits: tuple[Digits, Digits]
    others: dict[str, Floats]

    @property
    def names(self) -> list[str]:
        of_fields = [f"{f.name}: {kind}" for f in self.tables.fields for kind in kinds(f)]
        return [*of_fields, *WHOLE, *RIVALS, *self.others]

    def matrix(self, rows: Any) -> Floats:
        """The features of these candidates (a slice or positions), one row each."""
        if len(self.candidates) <= FEW:
            return np.asarray(self._matrix[rows])
        return self._computed(rows)

    @cached_property
    def _matrix(self) -> Floats:
        return self._computed(slice(None))

    def _computed(self, rows: Any) -> Floats:
        pairs = self.candidates
        x, y = pairs.x[rows], pairs.y[rows]
        columns = [column for f in self.tables.fields for column in compare(f, x, y)]
        columns += [pairs.cosine3[rows], pairs.cosine4[rows]]
        columns += shared_digits(*self.digits, x, y)
        columns += [column[rows] for column in (*self._rivals, *self.others.values())]
        return np.stack(columns, axis=1, dtype=np.float32)

    @cached_property
    def _rivals(self) -> Sequence[Floats]:
        return rivals(self.candidates, is_dedupe=self.tables.is_dedupe)

    def of(self, candidates: Candidates) -> "Features":
        """The same features of other candidates."""
        return Features(self.tables, candidates, self.digits, {})


def features_of(tables: Tables, candidates: Candidates) -> Features:
    if tables.is_dedupe:
        (digits,) = digits_of(tables.left_texts)
        return Features(tables, candidates, (digits, digits), {})
    left, right = digits_of(tables.left_texts, tables.right_texts)
    return Features(tables, candidates, (left, right), {})


def kinds(field: Field) -> Sequence[str]:
    """The names of a field's features."""
    numbers = () if field.numbers is None else NUMBER
    return (*TEXT, *numbers, *(() if field.days is None else DATE))


def compare(field: Field, x: Ints, y: Ints) -> list[Floats]:
    """A field's features, NaN where one of the records has no text, or no number."""
    a, b = field.left[x], field.right[y]
    columns = compare_texts(field.texts, a, b)
    if field.numbers is not None:
        difference, largest = _difference(field.numbers, a, b)
        columns += [difference, difference / np.maximum(largest, 1e-9)]
    if field.days is not None:
        columns.append(_difference(field.days, a, b)[0])
    return columns


def _difference(values: NDArray[np.float64], a: Ints, b: Ints) -> tuple[Any, Any]:
    """How far the numbers of two texts are apart, and the larger of their sizes."""
    of_a, of_b = (np.where(codes < 0, np.nan, values[codes]) for codes in (a, b))
    return np.abs(of_a - of_b), np.maximum(np.abs(of_a), np.abs(of_b))
