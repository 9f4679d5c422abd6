"""The population as it is now, where it has changed since the draw."""

from dataclasses import replace

from matchbound.audits.audit import Audit
from matchbound.audits.cohort import read_cohort_nodes
from matchbound.audits.draw import digest_as_drawn
from matchbound.audits.inputs import Origins, Population, TableRef
from matchbound.audits.part import drawn_from
from matchbound.audits.supplied import Supplied
from matchbound.engines import Engine
from matchbound.errors import InputError
from matchbound.tables import digest_of_ids, id_column, open_source, part_column, read_now
from matchbound.tallies import Setting


def told_apart(con: Engine, audit: Audit, supplied: Supplied) -> Supplied:
    """Say whether the population that the user gives is the drawn one, or what it is now.

    It is not if records were changed, or if it has other ids: the drawn one is then looked for
    where it was drawn from.
    """
    given = supplied.population
    if supplied.now is None and given is not None:
        source = open_source(con, "population", given)
        if supplied.changed is not None or digest_as_drawn(con, audit.drawn, source) is None:
            _check_complete(supplied)
            supplied = replace(supplied, population=drawn_from(con, audit), now=given)
    if supplied.cohorts and audit.folder is None:
        raise InputError(
            f"cohort must come with an audit folder, got {next(iter(supplied.cohorts))!r} without "
            "one. Save the draw, and certify its folder."
        )
    named = {"changed": supplied.changed, "cohort": supplied.cohorts or None}
    for name in (name for name, value in named.items() if value is not None):
        if supplied.now is None:
            raise InputError(
                f"{name} must come with the population as it is now, got it without. Give that as "
                "--population, or drop it."
            )
    return supplied


def _check_complete(supplied: Supplied) -> None:
    if supplied.complete is None:
        raise InputError(
            "complete must be given where the population has changed, got none: the holdout "
            "matcher ran over it as it was. Give the matches of one that ran over it as it is now; "
            "or give the population that was drawn from."
        )


def read_grown(
    con: Engine, audit: Audit, supplied: Supplied, setting: Setting, origins: Origins
) -> tuple[Setting, Origins]:
    """Load the population as it is now, after the labels; return what names it on record."""
    drawn, origin = audit.drawn.population, audit.drawn.matching.source
    source = open_source(con, "population_now", supplied.now)
    changed = None if supplied.changed is None else open_source(con, "changed", supplied.changed)
    size = read_now(con, source, drawn.id, setting.kinds[0], origin, changed)
    digest = digest_of_ids(con, source, id_column(source, drawn.id), origin)
    of_changed = None
    if changed is not None:
        column = part_column(changed, drawn.id)
        of_changed = TableRef(changed.path, digest_of_ids(con, changed, column, origin))
    has_changed = changed is not None
    read_cohort_nodes(con, audit, list(supplied.cohorts), has_changed=has_changed)
    now = Population(source.path, digest, size, drawn.id)
    setting = replace(setting, grown=size, has_changed=has_changed)
    return setting, replace(origins, now=now, changed=of_changed)
