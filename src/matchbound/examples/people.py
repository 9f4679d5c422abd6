"""Made-up people, and how a table shows them: with typos, abbreviations and gaps."""

from random import Random
from typing import NamedTuple

from matchbound.examples.words import FIRST_NAMES, KINDS, LAST_NAMES, NICKNAMES, STREETS, TOWNS

LETTERS = "abcdefghijklmnopqrstuvwxyz"
DIGITS = "0123456789"
TYPOS = (0.04, 0.04, 0.03, 0.04, 0.02, 0.02)
"""How often each field is mistyped."""
MISSING = (0.01, 0.0, 0.06, 0.05, 0.03, 0.2)
"""How often each field is empty."""


class Person(NamedTuple):
    """A person, or a record of one, in which an empty field is missing."""

    first_name: str
    last_name: str
    born: str
    street: str
    town: str
    email: str


def people(rng: Random, count: int) -> list[Person]:
    """Make people in households, who share a surname and an address."""
    made: list[Person] = []
    while len(made) < count:
        last, (street, town) = rng.choice(LAST_NAMES), address(rng)
        members = rng.choice((1, 1, 1, 2, 2, 3))
        made += [person(rng, last, street, town) for _ in range(members)]
        if rng.random() < 0.03:  # a parent and a child of the same name
            made.append(person(rng, last, street, town)._replace(first_name=made[-1].first_name))
    return made[:count]


def person(rng: Random, last: str, street: str, town: str) -> Person:
    first = rng.choice(FIRST_NAMES)
    born = f"{rng.randint(1935, 2004)}-{rng.randint(1, 12):02}-{rng.randint(1, 28):02}"
    return Person(first, last, born, street, town, email(rng, first, last, born))


def address(rng: Random) -> tuple[str, str]:
    kind = rng.choice(list(KINDS))
    return f"{rng.randint(1, 99)} {rng.choice(STREETS)} {kind}", rng.choice(TOWNS)


def email(rng: Random, first: str, last: str, born: str) -> str:
    name = rng.choice((f"{first}.{last}", f"{first[0]}{last}{born[2:4]}", f"{last}{first}"))
    return f"{name}@{rng.choice(('post', 'mail', 'inbox'))}.example".lower()


def record_of(rng: Random, person: Person) -> Person:
    """Make a record of a person, as someone typed it who heard or read of them."""
    shown = _abbreviated(rng, _changed(rng, person))
    fields = []
    for value, typo, missing in zip(shown, TYPOS, MISSING, strict=True):
        chance = rng.random()
        typed = mistyped(rng, value) if chance < missing + typo else value
        fields.append("" if chance < missing else typed)
    return Person(*fields)


def _changed(rng: Random, person: Person) -> Person:
    """Let some people have moved, taken another surname or another email since."""
    if rng.random() < 0.06:
        street, town = address(rng)
        person = person._replace(street=street, town=town)
    if rng.random() < 0.02:
        person = person._replace(last_name=rng.choice(LAST_NAMES))
    if rng.random() < 0.12:
        other = email(rng, person.first_name, person.last_name, person.born)
        person = person._replace(email=other)
    return person


def _abbreviated(rng: Random, person: Person) -> Person:
    first, street = person.first_name, person.street
    if rng.random() < 0.12:
        first = rng.choice((NICKNAMES.get(first, first), f"{first[0]}."))
    if rng.random() < 0.3:
        name, _, kind = street.rpartition(" ")
        street = f"{name} {KINDS[kind]}"
    return person._replace(first_name=first, street=street)


def mistyped(rng: Random, text: str) -> str:
    """Swap, drop or replace one character after the first."""
    if len(text) < 3:
        return text
    place = rng.randint(1, len(text) - 2)
    before, here, following, after = text[:place], text[place], text[place + 1], text[place + 2 :]
    instead = rng.choice(DIGITS if here in DIGITS else LETTERS)
    ends = (following + here, following, instead + following)
    return before + rng.choice(ends) + after
