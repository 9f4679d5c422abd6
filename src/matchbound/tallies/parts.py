"""Tally all parts of an audit. Each table is loaded once, and narrowed to each band of scores."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from matchbound.engines import Engine, Progress
from matchbound.errors import InputError
from matchbound.tables import Clusters, Form, Output, narrow, read_matches
from matchbound.tallies.closed import check_clusters_closed
from matchbound.tallies.counts import count
from matchbound.tallies.loaded import Loaded, Setting
from matchbound.tallies.prefix import looked_at
from matchbound.tallies.within import count_others, keep_within
from matchbound.theorems import Tally, parts


@dataclass(frozen=True)
class OutputCounts:
    """How many rows of an output were read, and how many matches left out.

    Those of nodes outside the part that is certified are left out, if it is a part.
    """

    rows: int
    left_out: int


def tally_parts(
    con: Engine,
    setting: Setting,
    outputs: Sequence[Output],
    unlabelled: str,
    progress: Progress,
) -> tuple[dict[str, Tally], dict[str, OutputCounts]]:
    """Tally every part of the matches; return each part's tally, and what was read of outputs."""
    every = list(parts(setting.choices))
    scored = "_scored" if every[0].least is not None else ""
    tallies: dict[str, Tally] = {}
    read: dict[str, OutputCounts] = {}
    for algorithm in dict.fromkeys(part.algorithm for part in every):
        of_algorithm = [out for out in outputs if out.algorithm == (algorithm or "")]
        for output in of_algorithm:
            progress(f"reading {output.name}")
            read[output.name] = _read(con, setting, output, output.role + scored)
        forms = {output.role: output.form for output in of_algorithm} | {"labels": setting.truth}
        for part in every:
            if part.algorithm == algorithm:
                progress(f"counting {part.name}")
                for output in of_algorithm if scored else ():
                    narrow(con, output.role, output.role + scored, part.least, part.below)
                if not part.is_band:
                    check_clusters_closed(con, setting.choices, of_algorithm)
                if setting.whole_size is not None:
                    _leave_out_others(con, of_algorithm, scored, (part.least, part.below))
                tallies[part.name] = _count(con, setting, forms, unlabelled)
    return tallies, read


def _read(con: Engine, setting: Setting, output: Output, table: str) -> OutputCounts:
    matching, least = setting.matching, output.reading.threshold
    scored = table.endswith("_scored")
    rows = read_matches(
        con, output.source, table, output.form, matching, least, setting.kinds, scored=scored
    )
    if not (matching.dedupe or matching.is_link):
        refuse_doubt(con, output.name, table)
    left_out = 0
    if setting.whole_size is not None:
        form = {"is_clusters": output.is_clusters, "dedupe": matching.dedupe}
        left_out = count_others(con, table, **form)
    return OutputCounts(rows, left_out)


def _leave_out_others(
    con: Engine, outputs: Sequence[Output], scored: str, band: tuple[float | None, float | None]
) -> None:
    """Leave out the matches of nodes outside `population`, once whole clusters were checked."""
    for output in outputs:
        role = output.role
        if scored:
            narrow(con, role, role + scored, *band, among="population")
        else:
            keep_within(con, role, is_clusters=output.is_clusters)


def _count(
    con: Engine,
    setting: Setting,
    forms: Mapping[str, Form | None],
    unlabelled: str,
) -> Tally:
    choices = setting.choices

    def read(tally: Tally) -> Tally:
        return looked_at(tally, choices, unlabelled, setting.erased) if setting.stops else tally

    loaded = Loaded(
        setting.size,
        setting.sample,
        setting.kinds,
        frozenset(name for name, form in forms.items() if isinstance(form, Clusters)),
        "complete" in forms,
        setting.matching.dedupe,
        choices.one_to_one,
        setting.gap,
        choices.future,
        setting.erased,
        setting.erased_records,
        setting.matching.dedupe and choices.needs_entities,
        setting.whole_size is not None,
    )
    return count(con, loaded, "worst" if setting.stops else unlabelled, read)


def refuse_doubt(con: Engine, name: str, table: str) -> None:
    """Refuse ids of y that are in the population, if the user left open whether X = Y.

    It may be one table matched with itself, or two tables that use the same ids.
    """
    rows = con.rows(
        f"select min(y) from {table} where cast(y as string) in "
        "(select cast(id as string) from everyone)"
    )
    for (y,) in rows:
        if y is not None:
            raise InputError(
                f"dedupe or link must be said, because y = {str(y)!r} of {name} is an id of the "
                "population too, got neither. Draw with --dedupe if the population was matched "
                "with itself, else with --link."
            )
