"""Entities in one table that is matched with itself, as far as labels show them.

Truth is transitive there: a label says which records are the same as its node, and so says it of
each of them too.
"""

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from matchbound.files import digest_of_text

Labels = Mapping[str, Iterable[str]]
"""The matches of each labelled node."""


@dataclass(frozen=True)
class Change:
    """What a label means for another labelled node: the matches that this one gains and loses."""

    node: str
    gains: tuple[str, ...]
    loses: tuple[str, ...]
    matches: tuple[str, ...]


def changes(labels: Labels, node: str, matches: Sequence[str]) -> list[Change]:
    """The labels that must change if exactly these records are the same as the node.

    A labelled record among them then has the same entity; one that is not has none of it.
    """
    entity = {node: None} | dict.fromkeys(matches)
    found = []
    for other, before in labels.items():
        if other == node:
            continue
        old = list(before)
        kept = [y for y in old if (y in entity) == (other in entity)]
        added = [y for y in entity if y != other and y not in old] if other in entity else []
        lost = tuple(y for y in old if y not in kept)
        if added or lost:
            found.append(Change(other, tuple(added), lost, (*kept, *added)))
    return found


def signature(changes: Sequence[Change]) -> str:
    """What a labeller agrees to: a digest of all changes; empty if there are none."""
    rows = [[one.node, one.gains, one.loses] for one in changes]
    return digest_of_text(json.dumps(rows)) if rows else ""


def entities(labels: Labels) -> list[list[str]]:
    """The records that labels connect, those of each entity together, labelled nodes first."""
    home: dict[str, list[str]] = {}
    for node, matches in labels.items():
        members = [node, *matches]
        if len(members) == 1:
            continue
        homes = {id(home[one]): home[one] for one in members if one in home}
        joined = list(dict.fromkeys([*(y for part in homes.values() for y in part), *members]))
        home |= dict.fromkeys(joined, joined)
    distinct = {id(part): part for part in home.values()}
    return [sorted(part, key=lambda one: one not in labels) for part in distinct.values()]
