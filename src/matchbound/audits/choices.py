"""Choices by name: those that were given, those that follow from them, those a draw has fixed."""

from collections.abc import Mapping
from dataclasses import fields

from matchbound.errors import InputError
from matchbound.theorems import Choices

FIXED_BY_THE_DRAW = ("until", "among", "gap")
"""The choices that decide which nodes are drawn."""


def given_choices(choices: Choices | None, arguments: Mapping[str, object]) -> dict[str, object]:
    """The choices among a function's arguments, or those of one value; None means: not given."""
    names = (field.name for field in fields(Choices))
    named = {name: arguments[name] for name in names if arguments.get(name) is not None}
    if choices is None:
        return named
    if named:
        raise InputError(
            f"choices must be given as one value or by name, got both (first: {next(iter(named))})."
            " Drop one of them."
        )
    usual, values = Choices().as_dict(), choices.as_dict()
    return {name: value for name, value in values.items() if value != usual[name]}


def make_choices(by_name: Mapping[str, object], *, anytime: bool = False) -> Choices:
    """The choices that were given, with those that follow from them."""
    choices = dict(by_name)
    if anytime:
        if choices.get("bound", "auto") not in ("auto", "anytime"):
            raise InputError(
                f"bound must be left out with anytime, got {choices['bound']!r}. Drop one of them."
            )
        choices["bound"] = "anytime"
    target = choices.get("choose_threshold")
    if "allowance" not in choices and isinstance(target, Mapping) and target.get("precision"):
        choices["allowance"] = round((1 - target["precision"]) / 10, 6)
    return Choices.from_dict(choices)


def change_choices(
    fixed: Choices, changes: Mapping[str, object]
) -> tuple[Choices, tuple[str, ...]]:
    """A draw's choices with changes, and the names of those that are no longer the draw's."""
    for name in FIXED_BY_THE_DRAW:
        is_dropped_gap = name == "gap" and changes.get(name) == 0
        if name in changes and changes[name] != getattr(fixed, name) and not is_dropped_gap:
            raise InputError(
                f"{name} must be as it was drawn, got {changes[name]!r}. Draw again with it."
            )
    before = fixed.as_dict()
    choices = Choices.from_dict(before | dict(changes))
    after = choices.as_dict()
    return choices, tuple(name for name in after if after[name] != before[name])
