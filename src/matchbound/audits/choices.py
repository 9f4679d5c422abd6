"""Choices by name: those that were given, those that follow from them, those a draw has fixed."""

from collections.abc import Mapping
from dataclasses import fields, replace

from matchbound.errors import InputError
from matchbound.tables import Matching
from matchbound.theorems import Choices

FIXED_BY_THE_DRAW = ("until", "among", "gap", "weigh")
"""The choices that decide which nodes are drawn."""
FIXED_BY_WEIGHTS = ("most_true_matches", "among_records_with_at_most", "one_to_one")
"""Those that weights for F1 depend on, too."""
LIMITS = ("most_true_matches", "among_records_with_at_most", "one_to_one", "limit_by_sample")
"""Those that limit true matches: one takes the place of another."""


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


def is_by_matcher(choices: Choices) -> bool:
    """Whether the holdout matcher's output decides which nodes are drawn."""
    return bool(choices.among or choices.until_matched or choices.weigh)


def change_choices(
    fixed: Choices, changes: Mapping[str, object], matching: Matching, *, in_part: bool
) -> tuple[Choices, tuple[str, ...]]:
    """A draw's choices with changes, and the names of those that are no longer the draw's."""
    of_weights = FIXED_BY_WEIGHTS if fixed.weigh == "pairwise-f1" else ()
    for name in (*FIXED_BY_THE_DRAW, *of_weights):
        is_dropped_gap = name == "gap" and changes.get(name) == 0
        if name in changes and changes[name] != getattr(fixed, name) and not is_dropped_gap:
            raise InputError(
                f"{name} must be as it was drawn, got {changes[name]!r}. Draw again with it."
            )
    before = fixed.as_dict()
    if any(changes.get(name) for name in LIMITS):
        usual = Choices().as_dict()
        changes = {name: usual[name] for name in LIMITS} | dict(changes)
    choices = fit_choices(Choices.from_dict(before | dict(changes)), matching, in_part=in_part)
    after = choices.as_dict()
    return choices, tuple(name for name in after if after[name] != before[name])


def fit_choices(choices: Choices, matching: Matching, *, in_part: bool = False) -> Choices:
    """The choices for what is matched: one table with itself, or with another.

    Metrics that need a limit on true matches get one that the sample proves, where it can.
    `in_part`: nodes are drawn from a part of the population.
    """
    if in_part:
        refuse_unproven_in_part(choices)
    of_clusters, limited = choices.of_clusters, choices.limited
    if of_clusters and not matching.dedupe:
        raise InputError(
            f"metric must not be {of_clusters[0]} where one table is matched with another, got it: "
            "B-cubed is about clusters over both tables. Put both into one table and draw with "
            "--dedupe, or choose a pairwise metric."
        )
    if choices.limit_by_sample and not matching.dedupe:
        raise InputError(
            "limit_by_sample must come with dedupe, got it without: a sample tells no limit where "
            "one record can have many matches in another table. Promise most_true_matches."
        )
    if not limited or choices.has_limit:
        return choices
    if not matching.dedupe or choices.is_anytime or choices.choose_threshold:
        raise InputError(
            f"most_true_matches must be given for {limited[0]}, got none: one record with very "
            "many true matches could make it as small as one likes. Promise a limit, such as "
            "--most-true-matches 20, or give --among-records-with-at-most; or draw with --dedupe, "
            "without anytime, if one table is matched with itself."
        )
    return replace(choices, limit_by_sample=True)


def refuse_unproven_in_part(choices: Choices) -> None:
    """Refuse choices that are proved for the whole population, and not for a part of it.

    An entity may have one record in the part: the sample misses it easily, so it proves no limit.
    """
    unlimited = choices.limited if not choices.has_limit or choices.limit_by_sample else []
    if unlimited:
        raise InputError(
            f"most_true_matches must be given for {unlimited[0]} within a part of the population, "
            "got none: of an entity with many records one alone may be in the part, so that the "
            "sample proves no limit. Promise one, such as --most-true-matches 20, or give "
            "--among-records-with-at-most."
        )
    if choices.rounds:
        raise InputError(
            "rounds must be left out within a part of the population, got it: a guided matcher "
            "chooses by bounds on all nodes. Drop one of them."
        )
