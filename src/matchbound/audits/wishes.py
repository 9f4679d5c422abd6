"""What a user asks of a draw, before anything is read."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from matchbound.audits.choices import make_choices
from matchbound.audits.remembered import Remembered
from matchbound.audits.written import Written
from matchbound.errors import InputError
from matchbound.tables import Matching, Reading
from matchbound.theorems import METRICS, Choices


@dataclass(frozen=True)
class Wishes:
    """What a user asks of a draw, before anything is read.

    `by_name` are the choices that were given. `holdout` is the holdout matcher's output, which is
    read as `reading` says; `trained_on` the labels of nodes to train on, where there are some;
    `within` the ids of the part of the population to draw from, if not from all of it. `tables` are
    further ones that the folder is to remember.
    """

    population: Any
    by_name: Mapping[str, object] = field(default_factory=dict)
    labels: int | None = None
    train: int = 0
    seed: str | None = None
    id: str | None = None
    holdout: Any = None
    reading: Reading = field(default_factory=Reading)
    anytime: bool = False
    trained_on: Any = None
    matching: Matching = field(default_factory=Matching)
    within: Any = None
    tables: tuple[Remembered, ...] = ()

    def __post_init__(self) -> None:
        if self.train and self.by_name.get("weigh"):
            raise InputError(
                f"train must be left out with weigh, got {self.train}: nodes are drawn by weight "
                "from those that nothing was trained on. Draw the training nodes alone first."
            )
        if self.is_train_alone:
            self._refuse_choices()
        _check_seed(self.seed)

    @staticmethod
    def again(
        before: Written,
        population: Any,
        labels: int | None,
        within: Any = None,
        trained_on: Any = None,
        holdout: Any = None,
        reading: Reading | None = None,
    ) -> "Wishes":
        """What to ask for to repeat a draw; `before` is its draw.json.

        `holdout` is the output that nodes were drawn by, if they were, and how it is read.
        """
        has_earlier = before.train_seed is not None or trained_on is not None
        return Wishes(
            population,
            before.choices.as_dict(),
            labels,
            0 if has_earlier else before.train,
            before.seed,
            before.population.id,
            holdout,
            reading or Reading(),
            trained_on=trained_on,
            matching=before.matching,
            within=within,
        )

    @cached_property
    def choices(self) -> Choices:
        """The choices, with those that other arguments imply."""
        implied: dict[str, object] = {}
        if isinstance(self.holdout, Mapping):
            implied["algorithms"] = tuple(self.holdout)
        if self.by_name.get("among"):
            implied["metrics"] = ("precision",)
        weigh = self.by_name.get("weigh")
        if isinstance(weigh, str) and weigh in METRICS:
            implied["metrics"] = (weigh,)
        return make_choices(implied | dict(self.by_name), anytime=self.anytime)

    @property
    def validates(self) -> bool:
        """Whether validation nodes are asked for."""
        return self.labels is not None or bool(self.choices.until)

    @property
    def is_train_alone(self) -> bool:
        """Whether training nodes are asked for, and no others."""
        return bool(self.train) and not self.validates and self.trained_on is None

    def _refuse_choices(self) -> None:
        """Training nodes alone fix no choice: each is made when the others are drawn."""
        usual, chosen = Choices().as_dict(), self.choices.as_dict()
        made = [name for name in chosen if chosen[name] != usual[name]]
        made += [*(["holdout"] if self.holdout is not None else []), *self.reading.given]
        if made:
            raise InputError(
                f"{made[0]} must be left out where training nodes are drawn alone, got it: it is "
                "chosen when the nodes to validate on are drawn. Drop it, or give labels too."
            )


def _check_seed(seed: Any) -> None:
    try:
        if seed is not None and not seed.encode():
            raise AttributeError
    except (UnicodeEncodeError, AttributeError):
        raise InputError(f"seed must be text, got {seed!r}. Give letters and digits.") from None
