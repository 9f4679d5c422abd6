"""Point estimates from an audit's labels: for comparison with other tools, without a guarantee."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from matchbound.audits import Audit, Identity, Matcher, Supplied, enter_look, restored
from matchbound.certificates.counted import (
    Counted,
    check_matchers,
    check_validates,
    count_audit,
)
from matchbound.engines import Progress, Resources
from matchbound.errors import InputError
from matchbound.files import hashing_once
from matchbound.reprs import brief
from matchbound.tables import Reading
from matchbound.theorems import METRICS, WHOLE, Estimate, estimates


@dataclass(frozen=True)
class Estimates:
    """What the labels suggest of the holdout matcher, metric by metric.

    `labelled` nodes have labels, out of `size`; these are a part of `whole_size`, if that is not
    None. `entry` is the number of the ledger's entry that
    says that they were shown; None where there is no folder.
    """

    values: tuple[Estimate, ...]
    labelled: int
    size: int
    whole_size: int | None = None
    entry: int | None = None

    def value(self, metric: str, part: str = WHOLE) -> float | None:
        """A metric's estimate; None if the labels tell nothing of it."""
        for one in self.values:
            if (one.metric, one.part) == (metric, part):
                return one.value
        known = dict.fromkeys(one.metric for one in self.values)
        raise InputError(
            f"metric must be one that was estimated, got {metric!r} of {part!r}. "
            f"Choose among {', '.join(known)}."
        )

    def __repr__(self) -> str:
        known = [f"{one.metric} {one.value:.4f}" for one in self.values if one.value is not None]
        return brief(self, f"no guarantee; {', '.join(known)}")

    def __str__(self) -> str:
        lines = [
            "Estimates of the holdout matcher: no guarantee, and no certificate.",
            *map(_line, self.values),
        ]
        missing = [name for name in METRICS if name not in {one.metric for one in self.values}]
        if missing:
            lines.append(f"Not given: {', '.join(missing)}, which need clusters of one table.")
        part = "" if self.whole_size is None else f", a part of {self.whole_size}"
        lines.append(f"From the labels of {self.labelled} nodes, out of {self.size}{part}.")
        if self.entry is not None:
            lines.append(
                f"Entry {self.entry} of the ledger says that they were shown: another holdout "
                "matcher costs δ again, and labels that are changed from now on are counted."
            )
        return "\n".join(lines)


def _line(one: Estimate) -> str:
    value = "no labelled node tells" if one.value is None else f"{one.value:.4f}"
    return f"  {one.metric:18} {value}{'' if one.part == WHOLE else f'   ({one.part})'}"


@hashing_once()
def estimate(
    audit: Any,
    *,
    holdout: Any = None,
    labels: Any = None,
    threshold: float | None = None,
    columns: Mapping[str, str] | None = None,
    clusters: bool | None = None,
    unlabelled: str = "refuse",
    population: Any = None,
    within: Any = None,
    engine: Any = "duckdb",
    memory: str | None = None,
    temp: Any = None,
    progress: Progress = lambda _: None,
) -> Estimates:
    """Estimate every metric of the holdout matcher from the labels of a draw.

    The ledger gets an entry before anything is returned: the matcher counts as looked at. With
    `unlabelled="worst"` drawn nodes without a label are allowed, and left out.
    """
    opened = Audit.open(audit)
    matcher = Matcher.of(opened, holdout, Reading(columns or {}, threshold, clusters))
    check_matchers(matcher.output, None, unlabelled)
    if opened.draw is None:
        raise InputError("audit must be the folder of a draw, or a Draw, got None. Give one.")
    opened.truth(labels)
    check_validates(opened.drawn)
    given = matcher.output, None, labels, matcher.reading, unlabelled, population
    supplied = Supplied(*given, within=within, recorded=matcher.recorded)
    resources = Resources(engine, memory, temp, progress)
    opened = restored(opened, supplied, resources)
    identity = Identity() if opened.folder is None else Identity(opened.ledger.checked().entries)
    with resources.connect() as con:
        counted = count_audit(con, opened, supplied, {}, identity, progress)
    return _entered(opened, counted)


def _entered(audit: Audit, counted: Counted) -> Estimates:
    values = estimates(counted.tallies, counted.choices, of_clusters=_is_of_clusters(counted))
    tally = next(iter(counted.tallies.values()))
    sizes = len(tally.labelled), tally.size, counted.setting.whole_size
    if audit.folder is None:
        return Estimates(values, *sizes)
    with audit.transaction() as ledger:
        labels = counted.inputs.labels
        entry = enter_look(ledger, "estimate", counted.outputs, labels, audit.drawn.train)
    return Estimates(values, *sizes, entry["entry"])


def _is_of_clusters(counted: Counted) -> bool:
    """Whether the matches are clusters of one table, given as such or as all their pairs.

    Pairs were checked if a metric of clusters was chosen at the draw.
    """
    is_checked = any(METRICS[metric].of_clusters for metric in counted.choices.metrics)
    is_clusters = is_checked or all(output.is_clusters for output in counted.outputs)
    return counted.setting.matching.dedupe and is_clusters
