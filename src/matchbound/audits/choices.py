"""Choices by name: those that were given."""

from collections.abc import Mapping

from matchbound.errors import InputError
from matchbound.theorems import Choices


def given_choices(choices: Choices | None, by_name: Mapping[str, object]) -> dict[str, object]:
    """The choices that were given, as a value or by name; None by name means: not given."""
    named = {name: value for name, value in by_name.items() if value is not None}
    if choices is None:
        return named
    if named:
        raise InputError(
            f"choices must be given as one value or by name, got both (first: {next(iter(named))})."
            " Drop one of them."
        )
    usual, values = Choices().as_dict(), choices.as_dict()
    return {name: value for name, value in values.items() if value != usual[name]}
