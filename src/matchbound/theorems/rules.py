"""What choices must be: each by itself, and together."""

import math
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from matchbound.bounds import BOUNDS, check_delta
from matchbound.errors import InputError

if TYPE_CHECKING:
    from matchbound.theorems.choices import Choices

METRICS = ("precision", "recall", "error-rate")
THEOREMS = ("sharp", "paper")
SERVES_ANYTIME = "likelihood"  # where values are 0 or 1; anytime picks it
BOUND_NAMES = (
    "auto",
    *(name for name, row in BOUNDS.items() if row.population and name != SERVES_ANYTIME),
)
ORDERED = tuple(name for name, row in BOUNDS.items() if row.ordered)
MOST_ROUNDS = 20
CANDIDATES = (0.99, 0.95, 0.9, 0.8, 0.7, 0.6, 0.5)


def check_choices(choices: "Choices") -> None:
    """Refuse what makes no sense, and put the rest into one form: floats, tuples, in order."""
    object.__setattr__(choices, "delta", check_delta(choices.delta))
    given = choices.metrics
    metrics = (given,) if isinstance(given, str) else tuple(given or ())
    _check_metrics(metrics)
    metrics = tuple(metric for metric in METRICS if metric in metrics)  # in one order
    object.__setattr__(choices, "metrics", metrics)
    for name in ("one_to_one", "at_most_one_match", "among", "future", "brought"):
        if not isinstance(getattr(choices, name), bool):
            raise InputError(
                f"{name} must be true or false, got {getattr(choices, name)!r}. Choose one."
            )
    _check_name("theorem", choices.theorem, THEOREMS)
    _check_name("bound", choices.bound, BOUND_NAMES)
    _check_planning(choices)
    _check_algorithms(choices)
    _check_scores(choices)
    _check_numbers(choices)
    _check_guided(choices)
    _check_together(choices)


def _check_metrics(metrics: tuple[str, ...]) -> None:
    for metric in metrics:
        _check_name("metric", metric, METRICS)
    if len(set(metrics)) != len(metrics) or not metrics:
        raise InputError(
            f"metric must be given once each and at least once, got {list(metrics)}. "
            f"Choose among {', '.join(METRICS)}."
        )


def _check_planning(choices: "Choices") -> None:
    share = choices.other_terms if isinstance(choices.other_terms, float) else 0.0
    if not isinstance(choices.guesses, Mapping) or not 0 < share < 0.25:
        raise InputError(
            "guesses must be values by metric and other_terms a small share, "
            f"got {choices.guesses!r} and {choices.other_terms!r}. Leave them out, or correct them."
        )
    if choices.matched is not None and not _is_share(choices.matched):
        raise InputError(
            f"matched must be above 0 and at most 1, got {choices.matched!r}. "
            "Give the share of nodes with a true match, such as 0.67."
        )
    _check_variances(choices)
    for metric, value in choices.guesses.items():
        _check_name("guess", metric, METRICS)
        if not (isinstance(value, int | float) and 0 < value < 1):
            raise InputError(
                f"guess must be above 0 and below 1, got {metric}={value}. "
                "Give the value you expect, such as precision=0.95."
            )


def _check_variances(choices: "Choices") -> None:
    given, few = choices.variances, choices.few_misses
    good = isinstance(given, Mapping) and all(_is_share(value) for value in given.values())
    names = (*given, *few) if good else ()
    if not good or any(name not in METRICS for name in names):
        raise InputError(
            f"variances and few_misses must be by metric, got {given!r} and {few!r}. "
            "Leave them out: the draw sets them."
        )
    object.__setattr__(choices, "few_misses", tuple(m for m in METRICS if m in few))


def _check_algorithms(choices: "Choices") -> None:
    names = choices.algorithms
    names = (names,) if isinstance(names, str) else tuple(names)
    for name in names:
        good = isinstance(name, str) and name.strip() == name and name not in ("", "all")
        if not good or "[" in name:
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
    object.__setattr__(choices, "algorithms", names)


def _check_scores(choices: "Choices") -> None:
    """Bands, and a threshold to choose: finite scores, sorted once and for all."""
    bands = _scores("bands", choices.bands)
    object.__setattr__(choices, "bands", tuple(sorted(bands)))
    wanted = choices.choose_threshold
    if not isinstance(wanted, Mapping) or set(wanted) - {"precision"}:
        raise InputError(
            f"choose_threshold must be a precision, got {wanted!r}. Give precision=0.95."
        )
    candidates = _scores("candidates", choices.candidates)
    object.__setattr__(choices, "candidates", candidates)
    if not wanted:
        if candidates or choices.allowance:
            raise InputError(
                "candidates and allowance must be left out where no threshold is to be chosen, "
                f"got {list(candidates)} and {choices.allowance}. Give choose_threshold too."
            )
        return
    object.__setattr__(choices, "candidates", tuple(sorted(candidates or CANDIDATES, reverse=True)))
    target, allowance = wanted["precision"], choices.allowance
    if not (_is_number(target) and _is_number(allowance) and 0 < target <= target + allowance < 1):
        raise InputError(
            "choose_threshold and its allowance must be above 0 and sum to less than 1, "
            f"got {target!r} and {allowance!r}. Give precision=0.95 and an allowance of 0.005."
        )


def _scores(argument: str, scores: Any) -> tuple[float, ...]:
    given = (
        tuple(scores) if isinstance(scores, Sequence) and not isinstance(scores, str) else (None,)
    )
    good = all(_is_number(score) for score in given)
    if not good or len(set(given)) != len(given):
        raise InputError(
            f"{argument} must be different finite scores, got {scores!r}. Give for example 0.5,0.9."
        )
    return tuple(float(score) for score in given)


def _check_numbers(choices: "Choices") -> None:
    if isinstance(choices.gap, bool) or not isinstance(choices.gap, int) or choices.gap < 0:
        raise InputError(
            f"gap must be a number of nodes, got {choices.gap!r}. Give for example 10000."
        )
    until = choices.until
    if not isinstance(until, Mapping) or len(until) > 1 or set(until) - {"precision", "recall"}:
        raise InputError(
            f"until must be a number for precision or for recall, got {until!r}. "
            "Give for example recall=200."
        )
    for count in until.values():
        if isinstance(count, bool) or not isinstance(count, int) or count < 1:
            raise InputError(
                f"until must be a whole number of nodes from 1 on, got {count!r}. "
                "Give for example recall=200."
            )


def _check_guided(choices: "Choices") -> None:
    rounds, options = choices.rounds, choices.options
    given = tuple(options) if isinstance(options, Sequence) else (None,)
    whole = [isinstance(n, int) and not isinstance(n, bool) and n > 0 for n in given]
    good = isinstance(rounds, int) and 0 <= rounds <= MOST_ROUNDS and not isinstance(rounds, bool)
    if not good or not all(whole) or len(set(given)) != len(given) or bool(rounds) != bool(given):
        raise InputError(
            f"rounds must be a number up to {MOST_ROUNDS} and options different whole numbers, "
            f"both or neither, got {rounds!r} and {options!r}. Give for example 3 and 2,3,4."
        )
    object.__setattr__(choices, "options", tuple(sorted(n for n in given if n is not None)))


def _check_together(choices: "Choices") -> None:
    """What cannot be had together; each row: if this is so, that must not be."""
    c = choices
    until = bool(c.until)
    rules = [
        (
            c.bound == "hypergeometric" and "recall" in c.metrics and not c.one_to_one,
            "bound must not be hypergeometric for recall without one-to-one, got it: recall may be "
            "a fraction. Promise one-to-one if it is so, or use auto.",
        ),
        (
            c.theorem == "paper" and bool(c.gap) and c.bound == "star",
            "bound must not be star for the paper's theorem with a sampled gap, got it: counts "
            "have no order to bet in. Use auto.",
        ),
        (
            c.theorem == "paper"
            and bool(c.gap)
            and "precision" in c.metrics
            and not c.at_most_one_match,
            "at_most_one_match must be promised for the paper's theorem with a sampled gap, got no "
            "promise. Promise it, or use sharp.",
        ),
        (
            c.theorem == "paper" and (c.is_anytime or until or c.among or c.future),
            "theorem must be sharp with anytime, until, among or future, got paper. Use sharp.",
        ),
        (
            bool(c.choose_threshold) and (c.theorem == "paper" or c.is_sampled or until or c.among),
            "choose_threshold must come with the sharp theorem, a census and a plain or anytime "
            "draw, got something else. Drop paper, gap, future, until and among.",
        ),
        (
            bool(c.choose_threshold) and bool(c.bands or c.algorithms),
            "choose_threshold must not come with bands or several algorithms, got both. "
            "Make two draws, or drop one of them.",
        ),
        (
            bool(c.choose_threshold) and "precision" not in c.metrics,
            f"metric must include precision to choose a threshold by it, got {list(c.metrics)}. "
            "Add it.",
        ),
        (
            c.is_anytime and (c.is_sampled or until or c.among),
            "anytime must not come with gap, future, until or among, got both: a sampled gap holds "
            "for one look. Drop one of them.",
        ),
        (
            until and (c.future or c.among),
            "until must not come with among or future, got both. Drop one of them.",
        ),
        (
            c.among and (c.metrics != ("precision",) or c.is_sampled),
            "among must come with the metric precision alone and a census, got something else: "
            "matched nodes tell nothing of the others. Give --metric precision.",
        ),
        (
            c.counted == "precision" and (bool(c.gap) or bool(c.algorithms)),
            "until precision must come with one holdout matcher that ran over the whole "
            "population, got gap or algorithms. Drop them.",
        ),
        (
            bool(c.rounds) and _is_special(c),
            "rounds must come with the sharp theorem, a census and one matcher without bands, got "
            "something else. Drop the other options.",
        ),
        (
            c.among and bool(c.algorithms),
            "among must come with one holdout matcher, got several algorithms. Drop them.",
        ),
        (
            c.future and c.bound not in ("auto", "star", "hoeffding"),
            f"bound must be auto, star or hoeffding for future, got {c.bound!r}. Use auto.",
        ),
        (
            c.brought and (c.bound in ORDERED or until or c.among or bool(c.gap)),
            "anytime, until, among, gap and the bounds star and anytime must be left out without a "
            "draw, got one of them: they need an order that was drawn. Draw with them.",
        ),
        (
            c.brought and c.theorem == "paper" and c.bound != "auto",
            f"bound must be auto for the paper's theorem without a draw, got {c.bound!r}: which "
            "labels form its sample was not drawn either. Use auto.",
        ),
    ]
    for broken, message in rules:
        if broken:
            raise InputError(message)


def _is_special(c: "Choices") -> bool:
    kinds = (c.bands, c.algorithms, c.choose_threshold, c.until, c.among, c.is_sampled)
    return any(map(bool, kinds)) or c.theorem == "paper" or c.is_anytime


def _check_name(argument: str, name: str, names: tuple[str, ...]) -> None:
    if name not in names:
        raise InputError(
            f"{argument} must be one of {', '.join(names)}; got {name!r}. Choose one of them."
        )


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value)


def _is_share(value: Any) -> bool:
    return _is_number(value) and 0 < value <= 1
