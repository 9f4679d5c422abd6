"""Nodes that are drawn by weight, and what is known of all that can be drawn."""

from dataclasses import dataclass, fields

import numpy as np
from numpy.typing import NDArray

from matchbound.errors import InputError

ROUNDING = 1e-9  # of sums, relative


@dataclass(frozen=True, eq=False)
class Draws:
    """The nodes drawn, in draw order: arrays of one length, or of rows, each of them a sample.

    A node adds `num` to one sum and `den` to another; num is 0 where den is. `most` is the greatest
    den that it might have had before it was labelled.
    """

    num: NDArray[np.float64]
    den: NDArray[np.float64]
    most: NDArray[np.float64]
    weight: NDArray[np.float64]

    def __post_init__(self) -> None:
        for field in fields(self):
            array = np.ascontiguousarray(getattr(self, field.name), dtype=np.float64)
            object.__setattr__(self, field.name, array)
        for field in fields(self):
            array = getattr(self, field.name)
            if array.shape != self.num.shape:
                raise InputError(
                    f"{field.name} must have the shape of num, {self.num.shape}, got "
                    f"{array.shape}. Give a number for each node drawn."
                )
            _check(array, (array >= 0) & np.isfinite(array), f"{field.name} must be at least 0")
        _check(self.weight, self.weight > 0, "weight must be above 0")
        _check(self.num, (self.num == 0) | (self.den > 0), "num must be 0 where den is 0")
        _check(self.den, self.den <= self.most, "den must be at most the node's most")


@dataclass(frozen=True)
class Urn:
    """All nodes that can be drawn: the sums of weight, of weight² and of `most`.

    `risk` is the greatest most/weight.
    """

    weight: float
    squares: float
    most: float
    risk: float

    def __post_init__(self) -> None:
        for field in fields(self):
            number = float(getattr(self, field.name))
            object.__setattr__(self, field.name, number)
            if not 0 <= number < np.inf:
                raise InputError(
                    f"urn.{field.name} must be at least 0, got {number!r}. "
                    "Add up all nodes that can be drawn."
                )

    def check_holds(self, draws: Draws) -> None:
        """Refuse draws that are not all from this urn."""
        sums = {
            "weight": draws.weight.sum(),
            "squares": (draws.weight**2).sum(),
            "most": draws.most.sum(),
            "risk": (draws.most / draws.weight).max(initial=0.0),
        }
        for name, drawn in sums.items():
            if drawn > getattr(self, name) * (1 + ROUNDING):
                raise InputError(
                    f"urn.{name} must be at least {drawn:g}, that of the nodes drawn, got "
                    f"{getattr(self, name):g}. Add up all nodes that can be drawn."
                )


def _check(array: NDArray[np.float64], right: NDArray[np.bool_], rule: str) -> None:
    if not right.all():
        raise InputError(f"{rule}, got {array[~right].flat[0]:g}. Correct it.")
