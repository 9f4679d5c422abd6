"""Tally all parts of an audit. Each table is loaded once, and narrowed to each band of scores."""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from matchbound.engines import Engine, Progress
from matchbound.errors import InputError
from matchbound.tables import Clusters, Output, close_matches, narrow, read_matches
from matchbound.tallies.by_cluster import refuse_by_cluster, refuse_by_shared
from matchbound.tallies.closed import check_clusters_closed
from matchbound.tallies.counts import count
from matchbound.tallies.loaded import Loaded, Setting
from matchbound.tallies.own_rows import OwnRows
from matchbound.tallies.prefix import looked_at
from matchbound.tallies.since import check_times, count_growth, rename_changed
from matchbound.tallies.spellings import refuse_apart
from matchbound.tallies.unclosed import Unclosed, unclosed
from matchbound.tallies.within import count_others
from matchbound.theorems import Growth, Part, Tally, parts


@dataclass(frozen=True)
class Tallies:
    """Each part's tally, and each output's number of rows by its name.

    `left_out` are, by the same names, the numbers of matches of nodes outside the part of the
    population that is certified: they are not in the tallies. `unclosed` has the parts of a
    deduplication's pairs, of the matcher that is certified, whose clusters link more.
    `only_own_rows`: a metric counts missed matches, and every labelled match, of at least one, is
    a row of a holdout matcher's own table. `growth`: what became of the population since the draw.
    """

    by_part: dict[str, Tally] = field(default_factory=dict)
    rows: dict[str, int] = field(default_factory=dict)
    left_out: dict[str, int] = field(default_factory=dict)
    unclosed: dict[str, Unclosed] = field(default_factory=dict)
    only_own_rows: bool = False
    growth: Growth | None = None


def tally_parts(
    con: Engine,
    setting: Setting,
    outputs: Sequence[Output],
    unlabelled: str,
    progress: Progress,
) -> Tallies:
    """Tally every part."""
    every = list(parts(setting.choices))
    scored = every[0].least is not None
    tallies, growth = Tallies(), None
    own_rows = OwnRows(con, setting)
    if setting.is_brought and setting.matching.dedupe:
        refuse_by_cluster(con, setting)
    for algorithm in dict.fromkeys(part.algorithm for part in every):
        of_algorithm = [out for out in outputs if out.algorithm == (algorithm or "")]
        for output in of_algorithm:
            progress(f"reading {output.name}")
            tallies.rows[output.name] = _read(con, setting, output, scored)
        for part in every:
            if part.algorithm == algorithm:
                progress(f"counting {part.name}")
                for output in of_algorithm if scored else ():
                    _narrow(con, setting, output, part)
                if not part.is_band:
                    check_clusters_closed(con, setting.choices, of_algorithm)
                loaded = _loaded(setting, of_algorithm)
                tally = _count(con, setting, loaded, unlabelled)
                tallies.by_part[part.name] = tally
                if setting.grown is not None:
                    growth = count_growth(con, setting, loaded, tally)
                beside = None if part.is_band else _unclosed(con, setting, of_algorithm, tally)
                if beside is not None:
                    tallies.unclosed[part.name] = beside
                if not part.is_band:  # of candidates the last is the loosest
                    tallies.left_out.update(_left_out(con, setting, of_algorithm))
        if not setting.matching.dedupe:  # there all ids are the population's
            refuse_apart(con, of_algorithm, setting.truth, scored=scored)
        own_rows.strike(of_algorithm)
        if setting.is_brought and not setting.matching.dedupe:
            refuse_by_shared(con, setting, of_algorithm)
    return replace(tallies, only_own_rows=own_rows.are_all, growth=growth)


def _read(con: Engine, setting: Setting, output: Output, scored: bool) -> int:
    """Load an output as a table of its role; with scores, all its pairs as `…_scored`."""
    matching, least = setting.matching, output.reading.threshold
    table = f"{output.role}_scored" if scored else output.role
    given = con, output.source, table, output.form, matching, least, setting.kinds
    rows = read_matches(*given, scored=scored, closed=output.is_closed)
    if not (matching.dedupe or matching.is_link):
        is_clusters = output.is_closed and not scored
        refuse_doubt(con, output.name, table, is_clusters=is_clusters)
    if setting.grown is not None:
        if output.role == "complete" and setting.has_changed:
            rename_changed(con, output, dedupe=matching.dedupe)
        check_times(con, setting, output)
    return rows


def _left_out(con: Engine, setting: Setting, outputs: Sequence[Output]) -> dict[str, int]:
    """How many matches of each output, by its name, are of nodes outside the part."""
    if setting.whole_size is None:
        return {output.name: 0 for output in outputs}
    dedupe = setting.matching.dedupe
    return {out.name: count_others(con, out.role, out.is_clusters, dedupe) for out in outputs}


def _narrow(con: Engine, setting: Setting, output: Output, part: Part) -> None:
    """Make a part's matches the table of an output's role.

    Clusters are made of those of the part before, whose threshold was stricter, and of the pairs
    that have come since.
    """
    role, scored = output.role, f"{output.role}_scored"
    if not output.is_closed:
        narrow(con, role, scored, part.least, part.below)
        return
    candidates = setting.choices.candidates
    place = candidates.index(part.least)
    above = candidates[place - 1] if place else None
    narrow(con, f"{role}_since", scored, part.least, above)
    given = scored, output.form, setting.matching, role if place else None
    close_matches(con, role, f"{role}_since", *given)


def _count(con: Engine, setting: Setting, loaded: Loaded, unlabelled: str) -> Tally:
    choices = setting.choices

    def read(tally: Tally) -> Tally:
        return looked_at(tally, choices, unlabelled, setting.erased) if setting.stops else tally

    return count(con, loaded, "worst" if setting.stops else unlabelled, read)


def _loaded(setting: Setting, outputs: Sequence[Output]) -> Loaded:
    choices = setting.choices
    clusters = {output.role for output in outputs if output.is_clusters}
    clusters |= {"labels"} if isinstance(setting.truth, Clusters) else set()
    return Loaded(
        setting.size,
        setting.sample,
        setting.kinds,
        frozenset(clusters),
        any(output.role == "complete" for output in outputs),
        setting.matching.dedupe,
        choices.one_to_one,
        setting.gap,
        choices.future,
        setting.erased,
        setting.erased_records,
        setting.needs_entities,
        setting.whole_size is not None,
        setting.grown is not None,
    )


def _unclosed(
    con: Engine, setting: Setting, outputs: Sequence[Output], tally: Tally
) -> Unclosed | None:
    """What the clusters of the certified matcher's pairs would be, if it has pairs of one table."""
    certified = outputs[-1]  # the complete matcher, if there is one
    if not setting.matching.dedupe or certified.is_clusters or setting.grown is not None:
        return None
    labels = "clusters" if isinstance(setting.truth, Clusters) else "pairs"
    return unclosed(con, certified.role, setting.kinds[0], labels, tally)


def refuse_doubt(con: Engine, name: str, table: str, *, is_clusters: bool = False) -> None:
    """Refuse ids of y that are in the population, if the user left open whether X = Y.

    It may be one table matched with itself, or two tables that use the same ids.
    """
    ys = f"(select x as y from {table} where is_y)" if is_clusters else table
    rows = con.rows(
        f"select min(y) from {ys} where cast(y as string) in "
        "(select cast(id as string) from everyone)"
    )
    for (y,) in rows:
        if y is not None:
            raise InputError(
                f"dedupe or link must be said, because y = {str(y)!r} of {name} is an id of the "
                "population too, got neither. Draw with --dedupe if the population was matched "
                "with itself, else with --link."
            )
