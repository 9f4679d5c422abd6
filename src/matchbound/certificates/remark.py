"""A remark of a certificate, as a code with its numbers; `words` has the sentences."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

CODES: Mapping[str, tuple[str, ...]] = {
    # where the labelled nodes come from
    "drawn": (),
    "drawn_after_training": (),
    "drawn_by_weight": (),
    "seed_given": (),
    "brought": (),
    # what is assumed
    "within": ("nodes", "size"),
    "changed_since": ("kept", "removed", "new"),
    "kept_unchanged": (),
    "promises_now": (),
    "other_unchanged": (),
    "uncovered": ("metrics",),
    "no_other_draw": (),
    "grown": (),
    "fixed": (),
    "on_record": ("entry",),
    "guided": ("matchers",),
    "sample_unknown": (),
    "all_true": (),
    "holdout_training_only": (),
    "holdout_guided": (),
    "complete_anything": (),
    "complete_but_gap": (),
    "not_chosen_by_gap": (),
    "both_ran": (),
    "future": (),
    "future_of_part": (),
    "one_to_one": (),
    "at_most_one_match": (),
    "every_node_matched": (),
    "most_true_matches": ("limit",),
    "limit_by_sample": ("limit", "members"),
    "among_at_most": ("limit", "beyond", "labelled"),
    "entities": (),
    "disjoint_ids": (),
    "only_own_rows": (),
    "cohort_own_rows": (),
    "unlabelled": ("nodes",),
    "erased": ("nodes",),
    # what the ledger shows
    "seed_after_matcher": ("register", "draw"),
    # advice
    "limit_passed": ("limit", "true"),
    "limit_unlabelled": ("nodes",),
    "draw_more": ("matched", "more", "enough"),
    "label_more": ("matched", "more", "enough"),
}
"""Every code, with the names of its numbers."""


@dataclass(frozen=True)
class Remark:
    """An assumption, a fact that the ledger shows, or advice; numbers in the order of `CODES`."""

    code: str
    numbers: tuple[int, ...] = ()

    def __post_init__(self) -> None:
        if self.code not in CODES:
            raise ValueError(f"no remark has the code {self.code!r}")
        if len(self.numbers) != len(CODES[self.code]):
            raise ValueError(f"{self.code} must have the numbers {CODES[self.code]}")
        if not all(type(number) is int for number in self.numbers):
            raise ValueError(f"{self.code} must have whole numbers, got {self.numbers}")

    @property
    def named(self) -> dict[str, int]:
        return dict(zip(CODES[self.code], self.numbers, strict=True))

    def as_dict(self) -> dict[str, str | int]:
        """`{"code": "on_record", "entry": 3}`."""
        return {"code": self.code, **self.named}

    @staticmethod
    def from_dict(record: Mapping[str, Any]) -> "Remark":
        """Read a remark; numbers with other names are refused."""
        code, *names = record
        if code != "code" or tuple(names) != CODES.get(record["code"]):
            raise ValueError(f"no remark has {', '.join(record)}")
        return Remark(record["code"], tuple(record[name] for name in names))
