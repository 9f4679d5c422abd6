"""The content of draw.json."""

import json
from dataclasses import dataclass
from typing import Any

from matchbound.audits.inputs import Population, TableRef, Within
from matchbound.files import digest_of_text
from matchbound.tables import Matching, Recorded
from matchbound.theorems import Choices


@dataclass(frozen=True)
class Written:
    """What draw.json has of a draw; its nodes are in sample.csv and gap.csv.

    `nodes` is a commitment to the digests of these files.
    """

    population: Population
    within: Within | None
    seed: str
    seed_salt: str
    seed_given: bool
    train_seed: str | None
    trained_on: TableRef | None
    labels: int
    train: int
    choices: Choices
    matching: Matching
    holdout: Recorded | None
    nodes: str

    @property
    def digest(self) -> str:
        return str(self.as_dict()["digest"])

    @property
    def text(self) -> str:
        return json.dumps(self.as_dict(), indent=2, ensure_ascii=False) + "\n"

    def as_dict(self) -> dict[str, Any]:
        """The content of draw.json. Its digest reveals edits."""
        record = {
            "population": self.population.as_dict(),
            "within": None if self.within is None else self.within.as_dict(),
            "seed": self.seed,
            "seed_salt": self.seed_salt,
            "seed_given": self.seed_given,
            "train_seed": self.train_seed,
            "trained_on": None if self.trained_on is None else self.trained_on.as_dict(),
            "labels": self.labels,
            "train": self.train,
            "choices": self.choices.as_dict(),
            "matching": self.matching.as_dict(),
            "holdout": None if self.holdout is None else self.holdout.as_dict(),
            "nodes": self.nodes,
        }
        return record | {"digest": digest_of_text(json.dumps(record, sort_keys=True))}

    @staticmethod
    def of(record: Any) -> "Written":
        """From JSON; raise ValueError, TypeError or KeyError if it is not what `as_dict` returns.

        Names that no draw.json has are left out: compare `as_dict` with the record.
        """
        trained_on, holdout = record["trained_on"], record["holdout"]
        return Written(
            Population.of(record["population"]),
            Within.if_any(record["within"]),
            record["seed"],
            record["seed_salt"],
            record["seed_given"],
            record["train_seed"],
            None if trained_on is None else TableRef.of(trained_on),
            record["labels"],
            record["train"],
            Choices.from_dict(record["choices"]),
            Matching(**record["matching"]),
            None if holdout is None else Recorded.of(holdout),
            record["nodes"],
        )
