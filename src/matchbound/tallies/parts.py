"""From matchers' tables to the tallies of all parts: each table loaded once, narrowed for bands."""

from collections.abc import Mapping
from dataclasses import dataclass

from matchbound.engines import Engine, Progress
from matchbound.errors import InputError
from matchbound.tables import Clusters, Form, Source, narrow, read_matches
from matchbound.tallies.counts import count
from matchbound.tallies.prefix import looked_at
from matchbound.tallies.setting import Setting
from matchbound.theorems import Tally, parts


@dataclass(frozen=True)
class Matchers:
    """The matchers' tables and their forms, by role and algorithm (`holdout`, `complete net`)."""

    sources: Mapping[str, Source]
    forms: Mapping[str, Form]
    threshold: float | None
    kinds: tuple[str, str]  # of the ids of x and of y, as loaded

    def of(self, algorithm: str | None) -> dict[str, str]:
        """An algorithm's tables by role."""
        names = {role: f"{role} {algorithm or ''}".strip() for role in ("holdout", "complete")}
        return {role: name for role, name in names.items() if name in self.sources}


def tally_parts(
    con: Engine,
    setting: Setting,
    matchers: Matchers,
    truth: Form,
    unlabelled: str,
    progress: Progress,
) -> tuple[dict[str, Tally], dict[str, int]]:
    """Each part's tally, and each table's number of rows."""
    every = list(parts(setting.choices))
    scored = "_scored" if every[0].least is not None else ""
    tallies: dict[str, Tally] = {}
    rows: dict[str, int] = {}
    for algorithm in dict.fromkeys(part.algorithm for part in every):
        roles = matchers.of(algorithm)
        for role, name in roles.items():
            progress(f"reading {name}")
            rows[name] = _read(con, setting, matchers, name, role + scored)
        forms = {role: matchers.forms[name] for role, name in roles.items()} | {"labels": truth}
        for part in every:
            if part.algorithm == algorithm:
                progress(f"counting {part.name}")
                for role in roles if scored else ():
                    narrow(con, role, role + scored, part.least, part.below)
                tallies[part.name] = _count(con, setting, matchers.kinds, forms, unlabelled)
    return tallies, rows


def _read(con: Engine, setting: Setting, matchers: Matchers, name: str, table: str) -> int:
    source, form, matching = matchers.sources[name], matchers.forms[name], setting.matching
    scored, least = table.endswith("_scored"), matchers.threshold
    rows = read_matches(con, source, table, form, matching, least, matchers.kinds, scored=scored)
    if not (matching.dedupe or matching.is_link):
        refuse_doubt(con, name, table)
    return rows


def _count(
    con: Engine,
    setting: Setting,
    kinds: tuple[str, str],
    forms: Mapping[str, Form],
    unlabelled: str,
) -> Tally:
    choices = setting.choices

    def read(tally: Tally) -> Tally:
        return looked_at(tally, choices, unlabelled) if setting.stops else tally

    return count(
        con,
        size=setting.size,
        sample=setting.sample,
        complete="complete" in forms,
        one_to_one=choices.one_to_one,
        unlabelled="worst" if setting.stops else unlabelled,
        kinds=kinds,
        forms={
            name: "clusters" if isinstance(form, Clusters) else "pairs"
            for name, form in forms.items()
        },
        dedupe=setting.matching.dedupe,
        gap=setting.gap,
        future=choices.future,
        read=read,
    )


def refuse_doubt(con: Engine, name: str, table: str) -> None:
    """Ids of y among the population's: is one table matched with itself?"""
    rows = con.rows(
        f"select min(y) from {table} where cast(y as string) in "
        "(select cast(id as string) from population)"
    )
    for (y,) in rows:
        if y is not None:
            raise InputError(
                f"dedupe or link must be said, because y = {str(y)!r} of {name} is an id of the "
                "population too, got neither. Draw with --dedupe if the population was matched "
                "with itself, else with --link."
            )
