"""`plan`: how many labels a target needs, or which bounds to expect from a number of labels."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from matchbound.errors import InputError
from matchbound.plans import chart, words
from matchbound.plans.command import draw_command
from matchbound.plans.outlooks import Outlook, OutlookRow, Prospects
from matchbound.plans.question import Question, check_labels, choices_for
from matchbound.plans.simulation import FEW, MANY
from matchbound.reprs import brief
from matchbound.theorems import METRICS

BUDGETS = (0.5, 0.75, 1.0, 1.5, 2.0)  # the rows of a plan, as multiples of the labels needed
AROUND_LABELS = (0.5, 1.0, 2.0)  # the same, as multiples of the labels that the user gives
ROUND = (100, 300, 1000, 3000, 10_000)  # the rows if no number of labels is enough


@dataclass(frozen=True)
class Plan:
    """The answer to a question.

    `needed` is the number of labels to validate on that reaches the targets; None if the user gave
    `labels`, or if no number up to 100,000 reaches them: `limits` are then the values that bounds
    tend to. `rows` have the outlook for a few numbers of labels. `moving` is how much each bound
    loses if a tenth of the labels train rather than validate.
    """

    question: Question
    labels: int | None
    needed: int | None
    limits: Mapping[str, float]
    rows: tuple[OutlookRow, ...]
    moving: Mapping[str, float]

    @property
    def budget(self) -> int | None:
        """The labels that the user gave, or else those needed."""
        return self.needed if self.labels is None else self.labels

    @property
    def command(self) -> str | None:
        """The `matchbound draw` command with the plan's values, so that the audit uses them."""
        return None if self.budget is None else draw_command(self.question, self.budget)

    def __repr__(self) -> str:
        budget = (
            "no number of labels reaches" if self.budget is None else f"{self.budget} labels for"
        )
        wanted = [f"{m} {METRICS[m].sign} {v:g}" for m, v in self.question.targets.items()]
        return brief(self, f"{budget} {', '.join(wanted) or 'bounds to expect'}")

    def __str__(self) -> str:
        question, is_given = self.question, self.labels is not None
        lines = [
            *words.assumed(question),
            *([] if is_given else words.answer(question, self.needed, self.limits)),
            *words.table(question, self.rows, likely=is_given),
            *words.reading(question, self.rows, likely=is_given),
            *words.division(self.budget, self.moving),
            *words.next_step(self.command),
        ]
        return "\n".join(lines)

    def save_plot(self, path: str | Path, *, force: bool = False) -> None:
        """Write the chart over labels, as `.svg` or as an offline page `.html`."""
        most = self.rows[-1].labels
        if self.question.targets and self.labels is None:
            svg = chart.powers(self.question, self.needed, most)
        else:
            svg = chart.expected_bounds(self.question, most)
        chart.save(svg, str(self), path, force=force)


def plan(
    *,
    size: int,
    matched: float,
    guesses: Mapping[str, float],
    targets: Mapping[str, float] | None = None,
    labels: int | None = None,
    power: float = 0.9,
    gap_rate: float | None = None,
    train: int = 0,
    dedupe: bool = False,
    delta: float | None = None,
    theorem: str | None = None,
    bound: str | None = None,
    one_to_one: bool | None = None,
    at_most_one_match: bool | None = None,
    most_true_matches: int | None = None,
    among_records_with_at_most: int | None = None,
    gap: int | None = None,
) -> Plan:
    """Compute the labels needed for `targets`; or, given `labels`, the bounds to expect from them.

    The population is assumed to have `size` nodes, of which the share `matched` has a true match;
    `guesses` are the expected values of metrics. The complete matcher replaces matches by others at
    the share `gap_rate` of all nodes; None if there is no complete matcher. `power` is the wanted
    probability of reaching all targets together. `dedupe`: the population is matched with itself,
    as B-cubed needs. The other arguments are choices of `draw`; None stands for their defaults
    there. Nodes with matches are taken to have two, or one by promise, all right or all wrong.

    Where values are 0 or 1, probabilities are sums over all samples; else they are simulated.
    """
    choices = choices_for(
        guesses,
        matched,
        dedupe=dedupe,
        delta=delta,
        theorem=theorem,
        bound=bound,
        one_to_one=one_to_one,
        at_most_one_match=at_most_one_match,
        most_true_matches=most_true_matches,
        among_records_with_at_most=among_records_with_at_most,
        gap=gap,
    )
    question = Question(size, choices, targets or {}, power, gap_rate, train, dedupe)
    if labels is None and not targets:
        raise InputError(
            "targets or labels must be given, got neither. Give the bounds that you want, or how "
            "many nodes you can label."
        )
    prospects = Prospects(question)
    needed = prospects.needed() if labels is None else None
    middle = needed if labels is None else check_labels(labels, size)
    budgets = _budgets(middle, size, BUDGETS if labels is None else AROUND_LABELS)
    rows = [
        prospects.row(n, likely=labels is not None, draws=MANY if n == middle else FEW)
        for n in budgets
    ]
    return Plan(
        question,
        labels,
        needed,
        prospects.limits() if middle is None else {},
        tuple(rows),
        prospects.moving(middle) if middle else {},
    )


def _budgets(middle: int | None, size: int, shares: Sequence[float]) -> list[int]:
    budgets = ROUND if middle is None else [round(middle * share) for share in shares]
    return sorted({min(max(budget, 1), size) for budget in budgets})


__all__ = ["Outlook", "OutlookRow", "Plan", "Question", "plan"]
