"""Later draws from nodes that are new: cohorts, each an audit of its own inside the first one's.

Its holdout matcher is on record before its seed is made, as in every audit, and its δ is added to
the first one's where a certificate is about both. The ledger of the first audit names each cohort
before its seed is made, and no node is in two of them.
"""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from matchbound.audits.audit import Audit
from matchbound.audits.commit import enter
from matchbound.audits.draw import Draw
from matchbound.audits.journal import Entry
from matchbound.audits.ledger import NAME as LEDGER
from matchbound.audits.ledger import read_ledger, transaction
from matchbound.audits.part import drawn_from, open_as_drawn
from matchbound.audits.release import checked_name
from matchbound.audits.request import requested
from matchbound.audits.wishes import Wishes
from matchbound.engines import Engine, Resources
from matchbound.errors import InputError
from matchbound.files import csv_text, hashing_once, is_file, is_folder, write_whole
from matchbound.tables import (
    SEPARATOR,
    Matching,
    open_source,
    part_column,
    read_ids,
    read_now,
    read_population,
)
from matchbound.theorems import Change, Growth, New, check_growth

FOLDER = "cohorts"
NODES = "new.csv"
PROMISES = ("one_to_one", "at_most_one_match", "every_node_matched", "most_true_matches")
"""The choices that a cohort has from the first draw: a certificate of both prints them once."""
INHERITED = ("metrics", *PROMISES)


def cohort_folder(audit: Path, name: str) -> Path:
    return audit / FOLDER / name


def cohorts_on_record(entries: Sequence[Entry]) -> dict[str, set[str]]:
    """The digests of each cohort's entries of choices, by its name.

    There are several where a draw was interrupted before its seed, or made again.
    """
    found: dict[str, set[str]] = {}
    for entry in entries:
        if entry["kind"] == "cohort":
            found.setdefault(entry["cohort"], set()).add(entry["choices"])
    return found


@hashing_once()
def draw_cohort(
    audit: Any, name: str, wishes: Wishes, resources: Resources, say: Any, force: bool
) -> Draw:
    """Draw from the nodes of `wishes.population` that are in no earlier draw of this audit."""
    first, name = Audit.open(audit), checked_name("cohort", name)
    folder = cohort_folder(first.own_folder, name)
    wishes = _as_first(first.drawn, wishes)
    _check(first.drawn, wishes)
    _refuse_lost(folder, cohorts_on_record(first.ledger.checked().entries).get(name, set()))
    with resources.connect() as con:
        nodes = _new_nodes(con, first, name, wishes)
    part = _written(folder, csv_text(["id"], [[node] for node in nodes]))

    def announce(choices: Entry) -> None:
        with transaction(first.own_folder) as ledger:
            ledger.add("cohort", cohort=name, choices=choices["digest"])

    with resources.connect() as con:
        request = requested(con, replace(wishes, within=part), None, None, resources.progress)
        return enter(folder, request, force=force, say=say, announce=announce)


def _refuse_lost(folder: Path, announced: set[str]) -> None:
    """Refuse a name whose draws are on record and not in its folder: some may be thrown away."""
    ledger = read_ledger(folder).checked() if is_file(folder / LEDGER) else None
    kept = set() if ledger is None else {one["digest"] for one in ledger.of_kind("choices")}
    if not announced <= kept:
        raise InputError(
            f"cohort must be a name that this audit does not have yet, got {folder.name!r}, which "
            f"was drawn and is not in {str(folder)!r} as it was. Restore that folder."
        )


def _written(folder: Path, text: str) -> Path:
    """Write the list of a cohort's nodes; refused where another cohort is on record."""
    part = folder / NODES
    if is_file(part) and part.read_text(encoding="utf-8") == text:
        return part
    if is_file(folder / LEDGER):
        raise InputError(
            f"cohort must be a name that this audit does not have yet, got {folder.name!r}, which "
            "is of other nodes. Choose another."
        )
    folder.mkdir(parents=True, exist_ok=True)
    write_whole({part: text}, force=True)
    return part


def _as_first(draw: Draw, wishes: Wishes) -> Wishes:
    """The wishes, with metrics, promises and the link type of the first draw where none is said.

    Promises must be the same: `_check` refuses others.
    """
    first = draw.choices.as_dict()
    by_name = {name: first[name] for name in INHERITED if name not in wishes.by_name}
    matching = draw.matching if wishes.matching == Matching() else wishes.matching
    id = draw.population.id if wishes.id is None else wishes.id
    return replace(wishes, by_name={**by_name, **wishes.by_name}, matching=matching, id=id)


def _check(draw: Draw, wishes: Wishes) -> None:
    """Refuse what no certificate of both draws could be made of."""
    if draw.within is not None or wishes.within is not None:
        raise InputError(
            "within must be left out where a cohort is drawn, got a part of the population. Draw "
            "the new nodes into a folder of their own, with --within."
        )
    for argument, value in (("holdout", wishes.holdout), ("labels", wishes.labels)):
        if value is None:
            raise InputError(
                f"{argument} must be given where a cohort is drawn, got none: its matcher is put "
                "on record before its seed is made. Give the matcher that ran over the population "
                "as it is now, and how many nodes to label."
            )
    if wishes.train or wishes.trained_on is not None:
        raise InputError(
            "train must be left out where a cohort is drawn, got it. Draw nodes to validate on."
        )
    for choices in (draw.choices, wishes.choices):
        check_growth(choices, Growth(Change(), New()), complete=True)
    for name in PROMISES:
        value = getattr(wishes.choices, name)
        if value != getattr(draw.choices, name):
            raise InputError(
                f"{name} must be as in the first draw where a cohort is drawn, got {value!r}. "
                "Leave it out."
            )
    if draw.matching != wishes.matching:
        raise InputError(
            "dedupe, link and source must be as in the first draw where a cohort is drawn, got "
            "others. Leave them out."
        )


def _new_nodes(con: Engine, audit: Audit, name: str, wishes: Wishes) -> list[str]:
    """The ids of the nodes that were in no draw, as the user's table has them."""
    draw, origin = audit.drawn, audit.drawn.matching.source
    population = open_source(con, "population", drawn_from(con, audit))
    read_population(con, population, draw.population.id, checked=True, origin=origin)
    now = open_source(con, "population", wishes.population)
    read_now(con, now, wishes.id, "string", origin, None)
    earlier = [one for one in cohorts_on_record(audit.ledger.entries) if one != name]
    read_cohort_nodes(con, audit, earlier)
    rows = con.rows(
        "select n.id from nodes_now n anti join nodes_then t on t.id = n.id "
        "anti join in_cohorts c on c.id = n.id order by n.id"
    )
    nodes = [node for (node,) in rows]
    if not nodes:
        raise InputError(
            "population must hold nodes that are new since the draw where a cohort is drawn, got "
            "none. Give the population as it is now."
        )
    return nodes if origin is None else [n.removeprefix(origin + SEPARATOR) for n in nodes]


def read_cohort_nodes(
    con: Engine, audit: Audit, names: Sequence[str], *, has_changed: bool = False
) -> None:
    """Load the nodes of cohorts as the table `in_cohorts`; refuse a cohort that is not there.

    `has_changed`: `changed` has records that are not what they were. A cohort's labels are of what
    its nodes were when it was drawn and, where a population is matched with itself, of all others.
    """
    con.keep("in_cohorts", "select id from nodes_now where false")
    for name in names:
        open_cohort(con, audit, name)
        if has_changed:
            _refuse_changed(con, name, audit.drawn.matching)
        con.keep("in_cohorts", "select id from in_cohorts union all select id from cohort_nodes")
    ((twice,),) = con.rows(
        "select min(id) from (select id from in_cohorts group by id having count(*) > 1)"
    )
    ((before,),) = con.rows(
        "select min(c.id) from in_cohorts c semi join nodes_then t on t.id = c.id"
    )
    for node in (twice, before):
        if node is not None:
            raise InputError(
                f"cohort must be of nodes that are in no other draw, got {str(node)!r}, which is. "
                "Leave the cohort out."
            )


def _refuse_changed(con: Engine, name: str, matching: Matching) -> None:
    """Refuse changed records that a cohort's labels may be of."""
    of_cohort = "" if matching.dedupe else "semi join cohort_nodes n on n.id = c.id"
    ((node,),) = con.rows(f"select min(c.id) from changed c {of_cohort}")
    if node is not None:
        raise InputError(
            f"changed must name no record that labels of cohort {name!r} may be of, got "
            f"{str(node)!r}: they are of what it was. Leave the cohort out, so that its nodes "
            "count as new."
        )


def open_cohort(con: Engine, audit: Audit, name: str) -> None:
    """Open a cohort that is on record, and load its nodes as `cohort_nodes`."""
    folder, recorded = (
        cohort_folder(audit.own_folder, name),
        cohorts_on_record(audit.ledger.entries),
    )
    if name not in recorded or not is_folder(folder):
        known = ", ".join(recorded) or "none"
        raise InputError(
            f"cohort must be one that was drawn for this audit, got {name!r}; on record: {known}. "
            f"Draw it with --cohort, or restore {str(folder)!r}."
        )
    cohort = Audit.open(folder)
    entries, part = cohort.ledger.checked().entries, open_as_drawn(con, cohort, None)
    announced = recorded[name] <= {one["digest"] for one in entries if one["kind"] == "choices"}
    drawn_by = [one["choices"] for one in entries if one["kind"] == "draw" and "choices" in one]
    is_of_audit = bool(drawn_by) and entries[drawn_by[-1] - 1]["digest"] in recorded[name]
    is_alike = cohort.drawn.matching == audit.drawn.matching
    if not announced or not is_of_audit or not is_alike or part is None:
        raise InputError(
            f"cohort must be the one that the audit's ledger names, got another in "
            f"{str(folder)!r}. Restore it."
        )
    draw, (source, _) = cohort.drawn, part
    column = part_column(source, draw.population.id)
    read_ids(con, source, "cohort_nodes", column, checked=True, origin=draw.matching.source)
