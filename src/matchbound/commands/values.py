"""From the command line's text to values: `precision=0.9`, `0.5,0.9`, `name=FILE`."""

import math
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from matchbound.errors import InputError
from matchbound.tables import COLUMN_ROLES


def whole_numbers(text: str | None) -> tuple[int, ...] | None:
    if text is None:
        return None
    if not all(part.strip().isdecimal() for part in text.split(",")):
        raise InputError(
            f"options must be whole numbers with commas between them, got {text!r}. "
            "Give for example 2,3,4."
        )
    return tuple(int(part) for part in text.split(","))


def numbers(text: str | None, argument: str) -> tuple[float, ...] | None:
    """`0.5,0.9`."""
    if text is None:
        return None
    try:
        return tuple(float(part) for part in text.split(","))
    except ValueError:
        raise InputError(
            f"{argument} must be scores with commas between them, got {text!r}. "
            "Give for example 0.5,0.9."
        ) from None


def named(given: Sequence[str] | None) -> Any:
    """A file; or `name=FILE`, for several algorithms."""
    if not given:
        return None
    if len(given) == 1 and ("=" not in given[0] or Path(given[0]).exists()):
        return given[0]
    named = dict(pairs(given, "holdout and complete"))
    if len(named) < len(given):
        raise InputError(
            f"holdout and complete must name each algorithm once, got {', '.join(given)}. "
            "Give name=FILE for each."
        )
    return named


def pairs(given: Sequence[str] | None, argument: str) -> list[tuple[str, str]]:
    pairs = []
    for text in given or ():
        name, equals, value = text.partition("=")
        if not (name and equals and value):
            raise InputError(
                f"{argument} must be given as name=value, got {text!r}. Put an equals sign between."
            )
        pairs.append((name, value))
    return pairs


def by_metric(pairs: Sequence[str] | None, argument: str) -> dict[str, float]:
    """`precision=0.9`, for as many metrics as given."""
    values: dict[str, float] = {}
    for pair in pairs or ():
        metric, _, number = pair.partition("=")
        try:
            value = float(number)
        except ValueError:
            value = math.nan
        if not 0 <= value <= 1 or metric in values:
            raise InputError(
                f"{argument} must be a metric and a number from 0 to 1, once each, got {pair!r}. "
                "Give for example precision=0.9."
            )
        values[metric] = value
    return values


def columns(text: str | None) -> dict[str, str]:
    """`x=left_id,y=right_id`."""
    columns = {}
    for part in text.split(",") if text else ():
        role, _, name = part.partition("=")
        if role not in COLUMN_ROLES or not name:
            raise InputError(
                f"columns must be given as role=name, with roles {', '.join(COLUMN_ROLES)}, "
                f"got {part!r}. Give for example x=left_id,y=right_id."
            )
        columns[role] = name
    return columns


def whole(number: float | None) -> int | float | None:
    whole = number is not None and math.isfinite(number) and number == int(number)
    return int(number) if whole and number is not None else number
