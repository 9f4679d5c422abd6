"""The certificate: guarantees, the tallies they follow from, and what was assumed."""

from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, fields, replace
from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING, Any

from matchbound.audits import (
    CohortSpent,
    Inputs,
    Issued,
    Standing,
    checked_release,
    checked_searched,
)
from matchbound.certificates import words
from matchbound.certificates.advice import advise
from matchbound.certificates.numbers import frame_of, metrics_of
from matchbound.certificates.record import Record, unreadable
from matchbound.certificates.remark import Remark
from matchbound.certificates.unclosed import ClustersBeside
from matchbound.errors import InputError
from matchbound.files import write_whole
from matchbound.reprs import brief
from matchbound.theorems import (
    METRICS,
    WHOLE,
    Choices,
    Growth,
    Guarantee,
    Tally,
    Threshold,
    choose_threshold,
    guarantees,
    parts,
)

if TYPE_CHECKING:
    from os import PathLike


@dataclass(frozen=True)
class Certificate:
    """What holds, with which probability, and everything needed to compute it again."""

    guarantees: tuple[Guarantee, ...]
    choices: Choices
    tallies: Mapping[str, Tally]
    inputs: Inputs
    assumptions: tuple[Remark, ...]
    advice: tuple[Remark, ...]
    threshold: Threshold | None = None
    exploratory: tuple[str, ...] = ()
    ledger: Standing | None = None
    beside: tuple[ClustersBeside, ...] = ()
    truth_searched: str | None = None
    release: str | None = None
    growth: Growth | None = None

    @property
    def record(self) -> Record:
        """The content of certificate.json, digests included."""
        threshold = None
        if self.threshold is not None:
            passed = list(self.threshold.passed)
            threshold = {"chosen": self.threshold.chosen, "passed": passed}
        return Record.sealed(
            {
                "guarantees": [asdict(guarantee) for guarantee in self.guarantees],
                "choices": self.choices.as_dict(),
                "assumptions": [remark.as_dict() for remark in self.assumptions],
                "advice": [remark.as_dict() for remark in self.advice],
                "inputs": self.inputs.as_dict(),
                "exploratory": list(self.exploratory),
                "truth_searched": self.truth_searched,
                "release": self.release,
                "threshold": threshold,
                "clusters_beside": [each.as_dict() for each in self.beside],
                "ledger": None if self.ledger is None else self.ledger.as_dict(),
                "tallies": {part: tally.as_dict() for part, tally in self.tallies.items()},
                "growth": None if self.growth is None else self.growth.as_dict(),
            }
        )

    def as_dict(self) -> dict[str, Any]:
        """The content of certificate.json, digests included."""
        return dict(self.record.content)

    def to_json(self) -> str:
        """The text of certificate.json."""
        return self.record.text

    def save(self, path: "str | PathLike[str]", *, force: bool = False) -> None:
        """Write it as JSON; an existing file is overwritten with `force` alone."""
        write_whole({Path(path): self.to_json()}, force=force)

    @staticmethod
    def load(path: "str | PathLike[str]") -> "Certificate":
        """Read a certificate; refuse one of another version, or not as one is written."""
        return Certificate.of(Record.read(Path(path)))

    @staticmethod
    def of(written: Record) -> "Certificate":
        """From certificate.json; refused if it is of another version, or not as one is written."""
        written.check_version()
        record = written.content
        try:
            if not record["tallies"]:
                raise TypeError("tallies are empty")
            tallies = {part: Tally.from_dict(each) for part, each in record["tallies"].items()}
            growth = record["growth"]
            names, threshold = [field.name for field in fields(Guarantee)], record["threshold"]
            return Certificate(
                tuple(Guarantee(*(each[n] for n in names)) for each in record["guarantees"]),
                Choices.from_dict(record["choices"]),
                tallies,
                Inputs.of(record["inputs"]),
                tuple(map(Remark.from_dict, record["assumptions"])),
                tuple(map(Remark.from_dict, record["advice"])),
                None
                if threshold is None
                else Threshold(threshold["chosen"], tuple(threshold["passed"])),
                tuple(record["exploratory"]),
                None if record["ledger"] is None else Standing.of(record["ledger"]),
                tuple(map(ClustersBeside.of, record["clusters_beside"])),
                checked_searched(record["truth_searched"]),
                checked_release(record["release"]),
                None if growth is None else Growth.from_dict(growth, next(iter(tallies.values()))),
            )
        except (KeyError, TypeError, ValueError, AttributeError, OverflowError) as error:
            raise unreadable(error) from None

    @property
    def has_complete(self) -> bool:
        """Whether it is about a complete matcher."""
        return bool(self.inputs.of_role("complete"))

    def issued(self, inputs: Inputs | None = None) -> Issued:
        """What the ledger keeps of it; `inputs` are its own as they go on record, if not yet so."""
        said = self.truth_searched, self.release
        given = inputs or self.inputs, self.choices, self.exploratory, *said
        return replace(Issued.of(*given), cohorts=self._cohorts)

    @property
    def _cohorts(self) -> tuple[CohortSpent, ...]:
        """The later draws that it is from, and their δ."""
        cohorts = () if self.growth is None else self.growth.cohorts
        return tuple(CohortSpent(one.name, one.choices.delta) for one in cohorts)

    def value(self, metric: str, part: str | None = None) -> float:
        """The guaranteed value of a metric; of several algorithms, the worst of theirs.

        `part` names a band, or an algorithm.
        """
        bands = {each.name for each in parts(self.choices) if each.is_band}
        values = [
            g.value
            for g in self.guarantees
            if g.metric == metric and (g.part == part if part else g.part not in bands)
        ]
        if not values:
            names = (
                g.metric if g.part == WHOLE else f"{g.metric} of {g.part}" for g in self.guarantees
            )
            certified = list(dict.fromkeys(names)) or ["nothing"]
            raise InputError(
                f"metric must be one that was certified, got {metric!r}"
                f"{f' of {part!r}' if part else ''}. Choose among {', '.join(certified)}."
            )
        return METRICS[metric].worst(values)

    def meets(self, metric: str, target: float, part: str | None = None) -> bool:
        """Whether a target is certified at 1 − δ.

        Nothing is by an exploratory certificate, by a draw with a seed that the user gave, nor
        where other matchers or draws make the probability smaller than 1 − δ; nor is a metric that
        is about some nodes alone, nor one that counts missed matches where every labelled match is
        a row of the holdout matcher's own table and nobody says how others were looked for.
        """
        if metric not in self.choices.metrics:
            self.value(metric)  # refused
        if not self.guarantees or self.why_unmet(metric):
            return False
        return METRICS[metric].meets(self.value(metric, part), target)

    def why_unmet(self, metric: str) -> str:
        """Why no requirement of a metric is met, in a few words; empty if one can be."""
        of_some = any(g.metric == metric and g.among is not None for g in self.guarantees)
        if self.shortfall:
            return self.shortfall
        if of_some:
            return "it is about nodes with few true matches alone"
        return words.UNSAID if self.is_unsearched and METRICS[metric].counts_missed else ""

    @property
    def is_unsearched(self) -> bool:
        """Whether truth may have been looked for among a matcher's own rows alone.

        For cohorts, their own certificates say how it was looked for.
        """
        beside = {remark.code for remark in words.beside(self.assumptions)}
        return bool(beside - {"only_own_rows"} if self.truth_searched is not None else beside)

    @property
    def shortfall(self) -> str:
        """Why it meets no requirement, in a few words; empty if it can meet one.

        The one rule of `--require`, of reports and of the heading.
        """
        given = self.inputs.draw is not None and self.inputs.draw.seed_given
        return words.shortfall(self.delta, self.exploratory, self.ledger, given)

    @property
    def delta(self) -> Fraction:
        """δ, of all draws that it is from."""
        later = Fraction(0) if self.growth is None else self.growth.delta
        return Fraction(repr(self.choices.delta)) + later

    @property
    def probability(self) -> float:
        """The probability with which all guarantees hold, and all else on record with them.

        0 if it is exploratory.
        """
        return words.probability(self.delta, self.exploratory, self.ledger)

    def as_metrics(self) -> dict[str, float]:
        """Its numbers by name, as MLflow and the like take them: `precision_lower`, `delta`, …"""
        tally = next(iter(self.tallies.values()))
        odds = float(self.delta), self.probability
        return metrics_of(self.guarantees, odds, tally, self.threshold)

    def to_frame(self) -> Any:
        """A pandas frame with a row a guarantee, and the probability with which all hold."""
        return frame_of(self.guarantees, self.probability)

    @property
    def heading(self) -> list[str]:
        """With which probability the guarantees hold, and why with no larger one."""
        by = self.delta, self.choices, self.exploratory, self.ledger, self.inputs
        return words.heading(self.guarantees, *by)

    @property
    def sentences(self) -> list[str]:
        """What is assumed, in words."""
        return self._said(self.assumptions)

    def _said(self, remarks: Iterable[Remark]) -> list[str]:
        return words.sentences(remarks, self.ledger, self.truth_searched)

    @property
    def is_clusters(self) -> bool:
        """Whether it is about clusters, of a table or of the pairs that link them."""
        return self._has_clusters("complete" if self.has_complete else "holdout")

    def _has_clusters(self, role: str) -> bool:
        return any(output.reading.clusters for output in self.inputs.of_role(role))

    @property
    def remarks(self) -> list[str]:
        """What the bounds say of clusters, and of other matchers that the same labels certify."""
        certified = {guarantee.part for guarantee in self.guarantees}
        beside = [each.sentence for each in self.beside if each.part in certified]
        clusters = [words.OF_CLUSTERS] if self.is_clusters else []
        if self.growth is not None:
            return [*clusters, *words.growth_lines(self.tallies[WHOLE], self.choices, self.growth)]
        given = self.guarantees, self.tallies, self.choices, self._has_clusters("holdout")
        return [*clusters, *beside, *words.comparison(*given)]

    def __str__(self) -> str:
        tally = next(iter(self.tallies.values()))
        lines = [
            *self.heading,
            *words.guarantee_lines(self.guarantees, self.inputs),
            *self._said(words.beside(self.assumptions)),
            *words.meaning(self.guarantees),
            *words.sample_line(self.guarantees, self.tallies, self.choices),
            *words.threshold_line(self.threshold, self.choices),
            *self.remarks,
            *words.part_line(self.inputs),
            words.labelled_line(tally, self.inputs),
            *words.planned_line(self.guarantees, self.choices),
            *words.release_line(self.release),
            *words.ledger_line(self.ledger, self.exploratory),
            *self._said(words.checked(self.assumptions)),
            "Assumed:",
        ]
        assumed = self._said(words.unchecked(self.assumptions))
        lines += [f"  - {sentence}" for sentence in assumed]
        return "\n".join([*lines, *words.sentences(self.advice, self.ledger)])

    def __repr__(self) -> str:
        return brief(self, words.in_short(self.guarantees, self.probability))

    def _repr_html_(self) -> str:
        threshold = words.threshold_line(self.threshold, self.choices)
        return words.short(self.heading, self.guarantees, threshold, self.sentences)


def issue(
    tallies: Mapping[str, Tally],
    choices: Choices,
    *,
    complete: bool,
    inputs: Inputs,
    assumptions: tuple[Remark, ...],
    exploratory: tuple[str, ...] = (),
    beside: tuple[ClustersBeside, ...] = (),
    truth_searched: str | None = None,
    growth: Growth | None = None,
) -> Certificate:
    """A certificate of what tallies guarantee under choices made before they were known."""
    threshold = None
    if choices.choose_threshold:
        threshold = choose_threshold(tallies, choices, complete=complete)
    return Certificate(
        guarantees(tallies, choices, complete=complete, growth=growth),
        choices,
        tallies,
        inputs,
        assumptions,
        advise(next(iter(tallies.values())), choices),
        threshold,
        exploratory,
        beside=beside,
        truth_searched=truth_searched,
        growth=growth,
    )
