"""The rule of each choice: a function that checks a field's value and returns it."""

import math
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any, TypeVar

from matchbound.bounds import BOUNDS, check_delta
from matchbound.errors import InputError
from matchbound.theorems.design import AUTO, WEIGHED
from matchbound.theorems.metrics import METRICS

THEOREMS = ("sharp", "paper")
MOST_ROUNDS = 20
GUIDED = (
    f"rounds must be a number up to {MOST_ROUNDS} and options different whole numbers, both or "
    "neither"
)
T = TypeVar("T")


def bound_names() -> tuple[str, ...]:
    """The bounds that a user may choose."""
    rows = BOUNDS.items()
    return (AUTO, *(name for name, row in rows if row.population and row.offered))


def check_name(argument: str, name: str, names: Sequence[str]) -> str:
    if name not in names:
        raise InputError(
            f"{argument} must be one of {', '.join(names)}; got {name!r}. Choose one of them."
        )
    return name


def is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value)


def _is_share(value: Any) -> bool:
    return is_number(value) and 0 < value <= 1


def _is_whole(value: Any, least: int) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and value >= least


def _metrics(value: Any) -> tuple[str, ...]:
    metrics = (value,) if isinstance(value, str) else tuple(value or ())
    for metric in metrics:
        check_name("metric", metric, tuple(METRICS))
    if len(set(metrics)) != len(metrics) or not metrics:
        raise InputError(
            f"metric must be given once each and at least once, got {list(metrics)}. "
            f"Choose among {', '.join(METRICS)}."
        )
    return tuple(metric for metric in METRICS if metric in metrics)  # in the table's order


def _true_or_false(argument: str, value: Any) -> bool:
    if not isinstance(value, bool):
        raise InputError(f"{argument} must be true or false, got {value!r}. Choose one.")
    return value


def _theorem(value: Any) -> str:
    return check_name("theorem", value, THEOREMS)


def _bound(value: Any) -> str:
    return check_name("bound", value, bound_names())


def _guesses(value: Any) -> Mapping[str, float]:
    if not isinstance(value, Mapping):
        raise InputError(
            f"guesses must be values by metric, got {value!r}. Leave them out, or correct them."
        )
    for metric, guess in value.items():
        check_name("guess", metric, tuple(METRICS))
        if not (isinstance(guess, int | float) and 0 < guess < 1):
            raise InputError(
                f"guess must be above 0 and below 1, got {metric}={guess}. "
                "Give the value you expect, such as precision=0.95."
            )
    return value


def _other_terms(value: Any) -> float:
    if not (isinstance(value, float) and 0 < value < 0.25):
        raise InputError(
            f"other_terms must be a share above 0 and below 0.25, got {value!r}. Leave it out."
        )
    return value


def _matched(value: Any) -> float | None:
    if value is not None and not _is_share(value):
        raise InputError(
            f"matched must be above 0 and at most 1, got {value!r}. "
            "Give the share of nodes with a true match, such as 0.67."
        )
    return value  # type: ignore[no-any-return]


def _limit(argument: str, value: Any) -> int | None:
    if value is not None and not _is_whole(value, 1):
        raise InputError(
            f"{argument} must be a whole number from 1 on, got {value!r}. Give for example 20."
        )
    return value  # type: ignore[no-any-return]


def _weigh(value: Any) -> str:
    if value and value not in WEIGHED:
        raise InputError(
            f"weigh must be one of {', '.join(WEIGHED)}; got {value!r}: equal weights are best for "
            "other metrics. Choose one of them, or leave it out."
        )
    return value or ""


def _variances(value: Any) -> Mapping[str, float]:
    are_positive = isinstance(value, Mapping) and all(
        is_number(number) and number > 0 for number in value.values()
    )
    if not are_positive or any(name not in METRICS for name in value):
        raise InputError(
            f"variances must be positive numbers by metric, got {value!r}. "
            "Leave them out: the draw sets them."
        )
    return value  # type: ignore[no-any-return]


def _few_misses(value: Any) -> tuple[str, ...]:
    if not isinstance(value, Sequence) or any(name not in METRICS for name in value):
        raise InputError(
            f"few_misses must be metrics, got {value!r}. Leave them out: the draw sets them."
        )
    return tuple(metric for metric in METRICS if metric in value)


def _algorithms(value: Any) -> tuple[str, ...]:
    names = (value,) if isinstance(value, str) else tuple(value)
    for name in names:
        is_free = isinstance(name, str) and name.strip() == name and name not in ("", "all")
        if not is_free or "[" in name:
            raise InputError(
                f"algorithm must be a name other than all, without '[' or spaces around it, "
                f"got {name!r}. "
                "Choose a short name, such as rules."
            )
    if len(set(names)) != len(names) or len(names) == 1:
        raise InputError(
            f"algorithms must be several different names, got {list(names)}. "
            "Name each once, or leave them out for one matcher."
        )
    return names


def _scores(argument: str, value: Any) -> tuple[float, ...]:
    listed = isinstance(value, Sequence) and not isinstance(value, str)
    if not (listed and all(map(is_number, value)) and len(set(value)) == len(value)):
        raise InputError(
            f"{argument} must be different finite scores, got {value!r}. Give for example 0.5,0.9."
        )
    return tuple(float(score) for score in value)


def _bands(value: Any) -> tuple[float, ...]:
    return tuple(sorted(_scores("bands", value)))


def _choose_threshold(value: Any) -> Mapping[str, float]:
    if not isinstance(value, Mapping) or set(value) - {"precision"}:
        raise InputError(
            f"choose_threshold must be a precision, got {value!r}. Give precision=0.95."
        )
    return value


def _gap(value: Any) -> int:
    if not _is_whole(value, 0):
        raise InputError(f"gap must be a number of nodes, got {value!r}. Give for example 10000.")
    return value  # type: ignore[no-any-return]


def _until(value: Any) -> Mapping[str, int]:
    counted = (metric for metric in METRICS.values() if metric.members != "all")
    names = [metric.name for metric in counted if not metric.by_sums]
    if not isinstance(value, Mapping) or len(value) > 1 or set(value) - set(names):
        raise InputError(
            f"until must be a number for {' or for '.join(names)}, got {value!r}. "
            "Give for example recall=200."
        )
    for count in value.values():
        if not _is_whole(count, 1):
            raise InputError(
                f"until must be a whole number of nodes from 1 on, got {count!r}. "
                "Give for example recall=200."
            )
    return value


def _rounds(value: Any) -> int:
    if not _is_whole(value, 0) or value > MOST_ROUNDS:
        raise InputError(f"{GUIDED}, got {value!r} rounds. Give for example 3 and 2,3,4.")
    return value  # type: ignore[no-any-return]


def _options(value: Any) -> tuple[int, ...]:
    listed = isinstance(value, Sequence) and all(_is_whole(option, 1) for option in value)
    if not listed or len(set(value)) != len(value):
        raise InputError(f"{GUIDED}, got options {value!r}. Give for example 3 and 2,3,4.")
    return tuple(sorted(value))


def _as_it_is(value: T) -> T:
    """Return the value: `CONFLICTS` checks it together with another choice."""
    return value


RULES: dict[str, Callable[[Any], Any]] = {
    "delta": check_delta,
    "metrics": _metrics,
    **{
        name: partial(_true_or_false, name)
        for name in (
            "one_to_one",
            "at_most_one_match",
            "every_node_matched",
            "limit_by_sample",
            "among",
            "future",
            "brought",
        )
    },
    **{name: partial(_limit, name) for name in ("most_true_matches", "among_records_with_at_most")},
    "weigh": _weigh,
    "theorem": _theorem,
    "bound": _bound,
    "guesses": _guesses,
    "other_terms": _other_terms,
    "matched": _matched,
    "variances": _variances,
    "few_misses": _few_misses,
    "algorithms": _algorithms,
    "bands": _bands,
    "choose_threshold": _choose_threshold,
    "candidates": partial(_scores, "candidates"),
    "allowance": _as_it_is,
    "gap": _gap,
    "until": _until,
    "rounds": _rounds,
    "options": _options,
}
"""The rule of every field of `Choices`, in the order of checking."""
