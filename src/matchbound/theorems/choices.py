"""All choices that must be fixed before the labels are seen, as one value."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, fields
from typing import Any

from matchbound.bounds import BOUNDS
from matchbound.errors import InputError
from matchbound.reprs import brief
from matchbound.theorems.design import Design, chosen_row
from matchbound.theorems.metrics import METRICS, Metric
from matchbound.theorems.rules import GUIDED, RULES, is_number

CANDIDATES = (0.99, 0.95, 0.9, 0.8, 0.7, 0.6, 0.5)
DEFAULT_METRICS = tuple(name for name, metric in METRICS.items() if metric.is_default)


@dataclass(frozen=True)
class Choices:
    """What is certified, and how.

    `one_to_one` promises that a node has at most one true match; `at_most_one_match` that a matcher
    finds at most one match per node (a census shows whether it does; a sampled gap does not);
    `every_node_matched` that every node has a true match.
    `other_terms` is the share of a metric's δ that each term other than the labels' gets under
    `sharp`; `paper` divides δ equally.

    `most_true_matches` promises that a node has at most so many true matches. Or metrics that need
    such a limit are about the nodes `among_records_with_at_most` so many; or, `limit_by_sample`,
    about all nodes, with a limit that the sample proves. `weigh` is the metric for which nodes are
    drawn by weight; every other metric is then bounded from the same draw.

    `bands` are the lower ends of bands of scores, `algorithms` the names of several matchers to
    certify together. `choose_threshold` is the precision that a threshold among `candidates` must
    have; `allowance` is added to it for the gap. `gap` is the size of the gap's sample, 0 for a
    census. `until` is the number of nodes with a true match (`recall`), or of nodes that the
    holdout matcher matches (`precision`), at which the sample ends; `among`: the sample was drawn
    from the nodes that the holdout matcher matches. `future`: the guarantees are about nodes to
    come. `rounds` and `options`: the labels may guide a matcher through this number of rounds,
    choosing one of the options in each.

    `guesses` are the expected values of metrics, `matched` the expected share of nodes with a true
    match, and `variances` are from the training nodes' labels; the size of bets depends on these.
    `few_misses` are the metrics with so few expected misses that bets are better at any time.
    `brought`: the user brought the labels, so they have no drawn order.
    """

    delta: float = 0.05
    metrics: Sequence[str] = DEFAULT_METRICS
    theorem: str = "sharp"
    bound: str = "auto"
    one_to_one: bool = False
    at_most_one_match: bool = False
    every_node_matched: bool = False
    most_true_matches: int | None = None
    among_records_with_at_most: int | None = None
    limit_by_sample: bool = False
    weigh: str = ""
    guesses: Mapping[str, float] = field(default_factory=dict)
    matched: float | None = None
    variances: Mapping[str, float] = field(default_factory=dict)
    few_misses: Sequence[str] = ()
    brought: bool = False
    other_terms: float = 0.05
    bands: Sequence[float] = ()
    algorithms: Sequence[str] = ()
    choose_threshold: Mapping[str, float] = field(default_factory=dict)
    candidates: Sequence[float] = ()
    allowance: float = 0.0
    gap: int = 0
    until: Mapping[str, int] = field(default_factory=dict)
    among: bool = False
    future: bool = False
    rounds: int = 0
    options: Sequence[int] = ()

    def __post_init__(self) -> None:
        for name, rule in RULES.items():
            object.__setattr__(self, name, rule(getattr(self, name)))
        for is_broken, message in CONFLICTS:
            if is_broken(self):
                raise InputError(message if isinstance(message, str) else message(self))
        if self.choose_threshold:
            strictest_first = sorted(self.candidates or CANDIDATES, reverse=True)
            object.__setattr__(self, "candidates", tuple(strictest_first))

    def __repr__(self) -> str:
        usual = Choices().as_dict()
        others = [name for name, value in self.as_dict().items() if value != usual[name]]
        given = ", ".join(f"{name}={getattr(self, name)!r}" for name in others)
        return brief(self, given or "the usual ones")

    def as_dict(self) -> dict[str, Any]:
        """The choices by name, as certificate.json and draw.json have them."""
        lists = {
            name: list(getattr(self, name))
            for name in ("metrics", "bands", "algorithms", "candidates", "options", "few_misses")
        }
        maps = {
            name: dict(getattr(self, name))
            for name in ("guesses", "variances", "choose_threshold", "until")
        }
        return asdict(self) | lists | maps

    @staticmethod
    def from_dict(choices: Mapping[str, Any]) -> "Choices":
        """Make choices by name; refuse a name that is not a choice."""
        names = {field.name for field in fields(Choices)}
        for name in choices:
            if name not in names:
                raise InputError(
                    f"choices must be among {', '.join(sorted(names))}; got {name!r}. Drop it."
                )
        return Choices(**choices)

    @property
    def guarantees(self) -> int:
        """How many guarantees share δ; each band's precision counts, even if the band is empty."""
        return max(len(self.algorithms), 1) * (len(self.metrics) + len(self.bands))

    @property
    def leaves(self) -> int:
        """How many matchers the labels may choose among: one for each sequence of options, over
        all rounds or fewer."""
        return sum(len(self.options) ** done for done in range(self.rounds + 1))

    @property
    def target(self) -> float:
        """The precision that a threshold is to be chosen for."""
        return self.choose_threshold["precision"]

    @property
    def counted(self) -> str | None:
        """The metric whose number of nodes ends the sample (`until`)."""
        return next(iter(self.until), None)

    @property
    def until_true(self) -> int | None:
        """The number of nodes with a true match at which the sample ends, if it ends so."""
        return self._until("true")

    @property
    def until_matched(self) -> int | None:
        """The number of nodes that the holdout matcher matches at which the sample ends."""
        return self._until("matched")

    def _until(self, members: str) -> int | None:
        counts = [n for metric, n in self.until.items() if METRICS[metric].members == members]
        return counts[0] if counts else None

    @property
    def limited(self) -> list[str]:
        """The metrics that need a limit on true matches."""
        return _any(self, "needs_limit")

    @property
    def of_clusters(self) -> list[str]:
        """The metrics that are about clusters."""
        return _any(self, "of_clusters")

    @property
    def needs_entities(self) -> bool:
        """Whether a true match of a true match must be one, if a table is matched with itself."""
        return bool(self.of_clusters) or self.limit_by_sample

    @property
    def has_limit(self) -> bool:
        """Whether something limits how many true matches a node has."""
        promised = self.most_true_matches or self.one_to_one
        return bool(promised or self.among_records_with_at_most or self.limit_by_sample)

    @property
    def scores(self) -> Sequence[float]:
        """The scores at which parts begin; the least of them is the threshold."""
        return self.bands or self.candidates

    @property
    def is_anytime(self) -> bool:
        row = chosen_row(self.bound)
        return row is not None and row.anytime

    @property
    def is_sampled(self) -> bool:
        """Whether bounds on the gap take a part of δ."""
        return bool(self.gap) or self.future

    @property
    def applied_theorem(self) -> str:
        """The theorem's name in `Metric.theorems`: `sharp` is `sampled` where the gap takes δ."""
        return "sampled" if self.is_sampled and self.theorem == "sharp" else self.theorem

    def design(self, metric: str) -> Design:
        """The choices that concern one metric.

        Where a threshold is chosen, no other metric is `beside` it: each test has its own event.
        """
        beside = () if self.choose_threshold else self.metrics
        return self._design(metric, {name: self._design(name, {}) for name in beside})

    def _design(self, metric: str, beside: Mapping[str, Design]) -> Design:
        return Design(
            metric,
            delta=self.delta / (self.guarantees * self.leaves),
            other_terms=None if self.theorem == "paper" else self.other_terms,
            bound=self.bound,
            one_to_one=self.one_to_one,
            at_most_one_match=self.at_most_one_match,
            every_node_matched=self.every_node_matched and metric == "recall",
            variance=self.variances.get(metric),
            guess=self.guesses.get(metric),
            matched=self.matched,
            few_misses=metric in self.few_misses,
            brought=self.brought,
            future=self.future,
            gap=bool(self.gap),
            until=bool(self.until),
            is_counted=metric == self.counted,
            by_truth=METRICS[metric].members == "true",
            promised_limit=self.most_true_matches or (1 if self.one_to_one else None),
            among_limit=self.among_records_with_at_most,
            limit_by_sample=self.limit_by_sample,
            weigh=self.weigh,
            beside=beside,
        )


Message = str | Callable[[Choices], str]


def _fractional(choices: Choices) -> Metric | None:
    """A metric whose values may be fractions because a promise is missing."""
    rows = (METRICS[name] for name in choices.metrics)
    broken = (row for row in rows if row.binary_by and not getattr(choices, row.binary_by))
    return next(broken, None)


def _fractional_message(choices: Choices) -> str:
    row = _fractional(choices)
    assert row is not None
    assert row.binary_by is not None
    promise = row.binary_by.replace("_", "-")
    return (
        f"bound must not be {choices.bound} for {row.name} without {promise}, got it: {row.name} "
        f"may be a fraction. Promise {promise} if it is so, or use auto."
    )


def _any(choices: Choices, metric_property: str) -> list[str]:
    """The chosen metrics that have a property."""
    return [name for name in choices.metrics if getattr(METRICS[name], metric_property)]


def _by_stars(choices: Choices) -> list[str]:
    """The chosen metrics that are bounded as a ratio of sums."""
    return list(choices.metrics) if choices.weigh else _any(choices, "by_sums")


def _unproven(choices: Choices) -> list[str]:
    """The metrics that have no theorem for these choices."""
    name = choices.applied_theorem
    return [metric for metric in choices.metrics if name not in METRICS[metric].theorems]


def _of_matched_nodes(choices: Choices) -> bool:
    """Whether no metric depends on the labels of nodes that the holdout matcher does not match."""
    return all(METRICS[name].ratio.known_unmatched for name in choices.metrics)


def _is_threshold(choices: Choices) -> bool:
    """Whether a threshold's precision and the allowance are numbers that can be certified."""
    target, allowance = choices.target, choices.allowance
    both = is_number(target) and is_number(allowance)
    return both and 0 < target <= target + allowance < 1


def _is_special(choices: Choices) -> bool:
    """Whether the draw is of a kind that guided matchers cannot use."""
    c = choices
    kinds = (c.bands, c.algorithms, c.choose_threshold, c.until, c.among, c.is_sampled)
    return any(map(bool, kinds)) or c.theorem == "paper" or c.is_anytime


def _has(choices: Choices, bound_property: str) -> bool:
    """Whether a bound was chosen by name and has a property."""
    row = chosen_row(choices.bound)
    return row is not None and getattr(row, bound_property)


CONFLICTS: tuple[tuple[Callable[[Choices], object], Message], ...] = (
    (
        lambda c: not c.choose_threshold and (c.candidates or c.allowance),
        lambda c: (
            "candidates and allowance must be left out where no threshold is to be chosen, "
            f"got {list(c.candidates)} and {c.allowance}. Give choose_threshold too."
        ),
    ),
    (
        lambda c: c.choose_threshold and not _is_threshold(c),
        lambda c: (
            "choose_threshold and its allowance must be above 0 and sum to less than 1, "
            f"got {c.target!r} and {c.allowance!r}. Give precision=0.95 and an allowance of 0.005."
        ),
    ),
    (
        lambda c: bool(c.rounds) != bool(c.options),
        lambda c: f"{GUIDED}, got {c.rounds!r} and {c.options!r}. Give for example 3 and 2,3,4.",
    ),
    (
        _unproven,
        lambda c: (
            f"metric must have the theorem {c.applied_theorem} for these choices, got "
            f"{_unproven(c)[0]}, which has {', '.join(METRICS[_unproven(c)[0]].theorems)}. "
            "Drop it, or draw without gap, future and the paper's theorem."
        ),
    ),
    (
        lambda c: _has(c, "binary") and _fractional(c),
        _fractional_message,
    ),
    (
        lambda c: c.theorem == "paper" and c.gap and _has(c, "ordered") and not c.is_anytime,
        lambda c: (
            f"bound must not be {c.bound} for the paper's theorem with a sampled gap, got it: "
            "counts have no order to bet in. Use auto."
        ),
    ),
    (
        lambda c: (
            c.theorem == "paper"
            and c.gap
            and not c.at_most_one_match
            and any(METRICS[name].members == "matched" for name in c.metrics)
        ),
        "at_most_one_match must be promised for the paper's theorem with a sampled gap, got no "
        "promise. Promise it, or use sharp.",
    ),
    (
        lambda c: c.theorem == "paper" and (c.is_anytime or c.until or c.among or c.future),
        "theorem must be sharp with anytime, until, among or future, got paper. Use sharp.",
    ),
    (
        lambda c: (
            c.choose_threshold and (c.theorem == "paper" or c.is_sampled or c.until or c.among)
        ),
        "choose_threshold must come with the sharp theorem, a census and a plain or anytime "
        "draw, got something else. Drop paper, gap, future, until and among.",
    ),
    (
        lambda c: c.choose_threshold and (c.bands or c.algorithms),
        "choose_threshold must not come with bands or several algorithms, got both. "
        "Make two draws, or drop one of them.",
    ),
    (
        lambda c: c.choose_threshold and "precision" not in c.metrics,
        lambda c: (
            f"metric must include precision to choose a threshold by it, got {list(c.metrics)}. "
            "Add it."
        ),
    ),
    (
        lambda c: c.is_anytime and (c.is_sampled or c.until or c.among),
        "anytime must not come with gap, future, until or among, got both: a sampled gap holds "
        "for one look. Drop one of them.",
    ),
    (
        lambda c: c.until and (c.future or c.among),
        "until must not come with among or future, got both. Drop one of them.",
    ),
    (
        lambda c: c.among and (not _of_matched_nodes(c) or c.is_sampled),
        "among must come with a kind of precision alone and a census, got something else: "
        "matched nodes tell nothing of the others. Give --metric precision.",
    ),
    (
        lambda c: (
            sum(map(bool, (c.most_true_matches, c.among_records_with_at_most))) > 1
            or (c.one_to_one and (c.most_true_matches or c.among_records_with_at_most))
        ),
        "most_true_matches, among_records_with_at_most and one_to_one must not come together, got "
        "more than one. Keep one of them.",
    ),
    (
        lambda c: (
            c.limit_by_sample
            and (c.most_true_matches or c.among_records_with_at_most or c.one_to_one)
        ),
        "limit_by_sample must be left out where a limit is given, got both. Drop one of them.",
    ),
    (
        lambda c: c.limit_by_sample and (c.is_anytime or c.choose_threshold),
        "most_true_matches must be given for pairwise recall and F1 at any time or at a chosen "
        "threshold, got none: the sample proves one limit, and only if its size is fixed. Promise "
        "one, or drop anytime and choose_threshold.",
    ),
    (
        lambda c: _by_stars(c) and (c.brought or c.until or c.rounds),
        lambda c: (
            f"{_by_stars(c)[0]} must come with a draw of a fixed number of nodes, got labels "
            "brought along, until or rounds: it has no theorem there. Draw without them."
        ),
    ),
    (
        lambda c: _by_stars(c) and c.bound not in ("auto", "anytime"),
        lambda c: f"bound must be auto for {_by_stars(c)[0]}, got {c.bound!r}. Use auto.",
    ),
    (
        lambda c: c.weigh and (c.is_anytime or c.is_sampled or c.theorem == "paper" or c.among),
        "weigh must come with the sharp theorem, a census and a fixed number of labels, got "
        "something else. Drop anytime, gap, future, paper and among.",
    ),
    (
        lambda c: c.weigh and (c.algorithms or c.bands or c.choose_threshold),
        "weigh must come with one matcher without bands or a threshold to choose, got something "
        "else: weights are of all its matches. Drop them, or weigh.",
    ),
    (
        lambda c: (
            c.weigh == "pairwise-f1"
            and not (c.most_true_matches or c.among_records_with_at_most or c.one_to_one)
        ),
        "most_true_matches or among_records_with_at_most must be given to weigh by pairwise-f1, "
        "got none: weights depend on it. Give one, or draw without weights.",
    ),
    (
        lambda c: c.weigh == "pairwise-precision" and not _of_matched_nodes(c),
        "weigh by pairwise-precision must come with kinds of precision alone, got something else: "
        "it draws matched nodes only, which tell nothing of the others. Give --metric "
        "pairwise-precision.",
    ),
    (
        lambda c: c.every_node_matched and "recall" not in c.metrics,
        lambda c: (
            f"every_node_matched must come with recall, got {', '.join(c.metrics)}: no other "
            "metric depends on it. Add recall, or drop the promise."
        ),
    ),
    (
        lambda c: c.every_node_matched and c.until_true,
        lambda c: (
            f"until {c.counted} must be left out with every_node_matched, got both: every node "
            f"counts. Give labels={c.until_true} instead."
        ),
    ),
    (
        lambda c: c.every_node_matched and c.matched not in (None, 1),
        lambda c: (
            f"matched must be 1 or left out with every_node_matched, got {c.matched!r}. Drop one "
            "of them."
        ),
    ),
    (
        lambda c: c.until_matched and (c.gap or c.algorithms),
        lambda c: (
            f"until {c.counted} must come with one holdout matcher that ran over the whole "
            "population, got gap or algorithms. Drop them."
        ),
    ),
    (
        lambda c: c.rounds and _is_special(c),
        "rounds must come with the sharp theorem, a census and one matcher without bands, got "
        "something else. Drop the other options.",
    ),
    (
        lambda c: c.among and c.algorithms,
        "among must come with one holdout matcher, got several algorithms. Drop them.",
    ),
    (
        lambda c: c.future and chosen_row(c.bound) and not _has(c, "future"),
        lambda c: f"bound must be {_for_future()} for future, got {c.bound!r}. Use auto.",
    ),
    (
        lambda c: c.brought and (_has(c, "ordered") or c.until or c.among or c.gap),
        "anytime, until, among, gap and the bounds star and anytime must be left out without a "
        "draw, got one of them: they need an order that was drawn. Draw with them.",
    ),
    (
        lambda c: c.brought and c.theorem == "paper" and chosen_row(c.bound),
        lambda c: (
            f"bound must be auto for the paper's theorem without a draw, got {c.bound!r}: which "
            "labels form its sample was not drawn either. Use auto."
        ),
    ),
)
"""Combinations that are refused: a condition on the choices, and the error's message."""


def _for_future() -> str:
    *others, last = ("auto", *(name for name, row in BOUNDS.items() if row.future))
    return f"{', '.join(others)} or {last}"
