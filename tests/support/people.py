"""Made-up people in two tables, or in one, with errors: for matching at any size."""

import random
from dataclasses import dataclass
from itertools import accumulate

import numpy as np

FIELDS = ("given", "surname", "street", "city", "postcode", "birth")
LETTERS = "abcdefghijklmnopqrstuvwxyz"
SHORT = {"street": "st", "road": "rd", "avenue": "av", "lane": "ln", "close": "cl"}


@dataclass(frozen=True)
class Setting:
    """How many names there are, how often a field has an error, and how many words of prose."""

    given: int = 5_000
    surnames: int = 50_000
    streets: int = 20_000
    cities: int = 2_000
    error: float = 0.2
    words: int = 0


SETTINGS = {
    "usual": Setting(),
    "common names": Setting(given=200, surnames=500, streets=300, cities=40),
    "long texts": Setting(words=40),
    "many errors": Setting(error=0.35),
}


@dataclass(frozen=True)
class People:
    """Columns of the left and right table (None in deduplication), and the true pairs."""

    left: dict[str, list]
    right: dict[str, list] | None
    truth: np.ndarray

    def texts(self):
        """The texts of each table's records."""
        return [
            None
            if side is None
            else [" ".join(filter(None, row)) for row in zip(*side.values(), strict=True)]
            for side in (self.left, self.right)
        ]


class Names:
    """Made-up names whose frequencies fall as 1 / rank."""

    def __init__(self, count, rng, syllables=(2, 3)):
        parts = [
            c + v + e
            for c in "bcdfghjklmnprstvwyz"
            for v in "aeiou"
            for e in ("", "n", "r", "s", "l")
        ]
        weights = list(accumulate(1 / (rank + 3) for rank in range(len(parts))))
        rng.shuffle(parts)
        names = {}
        while len(names) < count:
            names["".join(rng.choices(parts, cum_weights=weights, k=rng.randint(*syllables)))] = (
                None
            )
        self._names = np.array(list(names), object)
        self._shares = 1 / np.arange(3, count + 3)
        self._shares /= self._shares.sum()

    def draw(self, size, rng):
        return self._names[self.places(size, rng)]

    def places(self, size, rng):
        return rng.choice(len(self._names), size, p=self._shares)

    def __getitem__(self, places):
        return self._names[places]


def people(size, setting="usual", seed=0, dedupe=False):
    """Two tables of `size` records, half of which match, or one table with as many duplicates."""
    world = World(SETTINGS[setting], seed)
    both = size // 2 if not dedupe else size // 3
    first = world.people(size if not dedupe else size - both)
    rng = np.random.default_rng([seed, 1])
    chosen = rng.choice(len(first["given"]), both, replace=False)
    copies = {name: column[chosen] for name, column in first.items()}
    if dedupe:
        columns = {name: np.concatenate([first[name], copies[name]]) for name in first}
        origin = np.concatenate([np.arange(size - both), chosen])
        order = rng.permutation(size)
        records = world.with_errors({name: column[order] for name, column in columns.items()})
        place = np.empty(size, np.int64)
        place[order] = np.arange(size)
        truth = np.sort(np.column_stack([place[chosen], place[size - both :]]), axis=1)
        assert (origin[order[truth[:, 0]]] == origin[order[truth[:, 1]]]).all()
        return People(records, None, truth)
    others = world.people(size - both)
    order = rng.permutation(size)
    right = {name: np.concatenate([copies[name], others[name]])[order] for name in copies}
    place = np.empty(size, np.int64)
    place[order] = np.arange(size)
    truth = np.column_stack([chosen, place[:both]])
    return People(world.with_errors(first), world.with_errors(right), truth)


class World:
    def __init__(self, setting, seed):
        rng = random.Random(seed)
        self._setting, self._rng = setting, rng
        self._draws = np.random.default_rng(seed)
        self._given, self._surnames = Names(setting.given, rng), Names(setting.surnames, rng)
        self._streets, self._cities = (
            Names(setting.streets, rng, (2, 4)),
            Names(setting.cities, rng),
        )
        self._words = Names(5_000, rng)

    def people(self, size):
        draws, setting = self._draws, self._setting
        kinds = np.array(list(SHORT), object)[draws.integers(0, len(SHORT), size)]
        house = draws.integers(1, 200, size).astype(str).astype(object)
        city = self._cities.places(size, draws)
        area = draws.integers(0, 40, size)
        code = [
            f"{LETTERS[c % 26]}{LETTERS[c // 26 % 26]}{c % 40 + 1} "
            f"{a // 4}{LETTERS[a % 26]}{LETTERS[a * 7 % 26]}"
            for c, a in zip(city.tolist(), area.tolist(), strict=True)
        ]
        birth = np.datetime64("1930-01-01") + draws.integers(0, 29_000, size)
        columns = {
            "given": self._given.draw(size, draws),
            "surname": self._surnames.draw(size, draws),
            "street": house + " " + self._streets.draw(size, draws) + " " + kinds,
            "city": self._cities[city],
            "postcode": np.array(code, object),
            "birth": birth.astype(str).astype(object),
        }
        if setting.words:
            words = [self._words.draw(size, draws) for _ in range(setting.words)]
            columns["note"] = np.array([" ".join(row) for row in zip(*words, strict=True)], object)
        return columns

    def with_errors(self, columns):
        """A copy in which each field is left out, abbreviated or misspelt with some probability."""
        draws, size = self._draws, len(columns["given"])
        swapped = draws.random(size) < 0.02
        given, surname = columns["given"], columns["surname"]
        columns = dict(columns)
        columns["given"] = np.where(swapped, surname, given)
        columns["surname"] = np.where(swapped, given, surname)
        moved = np.flatnonzero(draws.random(size) < 0.03)
        there = self.people(len(moved))
        for name in columns:
            columns[name] = columns[name].copy()
            if name in ("street", "city", "postcode"):
                columns[name][moved] = there[name]
            for i in np.flatnonzero(draws.random(size) < self._setting.error / 2).tolist():
                columns[name][i] = self._spoil(name, columns[name][i])
        return {name: column.tolist() for name, column in columns.items()}

    def _spoil(self, name, text):
        rng, kind = self._rng, self._rng.random()
        if kind < 0.25:
            return None
        if kind < 0.4 and name == "given":
            return text[0]
        if kind < 0.5 and name == "street":
            *most, last = text.split(" ")
            return " ".join([*most, SHORT[last]])
        if kind < 0.4 and name == "birth":
            year, month, day = text.split("-")
            return f"{year}-{day}-{month}"
        for _ in range(rng.choice([1, 1, 2]) if name != "note" else 10):
            text = typo(text, rng)
        return text


def typo(text, rng):
    """One letter or digit replaced, left out, doubled, or changed with its neighbour."""
    i = rng.randrange(len(text))
    other = rng.choice("0123456789" if text[i].isdigit() else LETTERS)
    kind = rng.randrange(4)
    if kind == 3:
        return text[:i] + text[i + 1 : i + 2] + text[i] + text[i + 2 :]
    return text[:i] + (other, "", text[i] + other)[kind] + text[i + 1 :]
