"""Made tables for the benchmarks of the labelling page: records with typos, and whose they are."""

import numpy as np
import pyarrow as pa

STREETS = ["street", "road", "avenue", "lane", "close", "drive", "court", "way"]


def invented(rng, count, syllables):
    """Names of made syllables, all different."""
    heads = [*"bcdfghjklmnprstvw", "br", "ch", "dr", "gr", "kl", "sch", "st", "th", "tr"]
    parts = [h + v for h in heads for v in ("a", "e", "i", "o", "u", "ai", "ee", "ou")]
    tails = ["", "n", "r", "s", "son", "ley", "ton", "ck", "man"]
    names = set()
    while len(names) < count:
        size = rng.choice(syllables)
        names.add("".join(rng.choice(parts, size)) + rng.choice(tails))
    return np.array(sorted(names))


def picked(rng, names, rows):
    """Some names are common, most are rare, as 1/rank."""
    chances = 1 / np.arange(10, len(names) + 10)
    return rng.permutation(names)[rng.choice(len(names), rows, p=chances / chances.sum())]


def records(rng, rows):
    streets = picked(rng, invented(rng, 20_000, [1, 2, 3]), rows)
    houses = rng.integers(1, 300, rows).astype(str)
    kinds = rng.choice(STREETS, rows)
    days = np.datetime64("1930-01-01") + rng.integers(0, 28_000, rows)
    columns = {
        "given": picked(rng, invented(rng, 5_000, [1, 2]), rows),
        "surname": picked(rng, invented(rng, 100_000, [2, 3]), rows),
        "street": [f"{h} {s} {k}" for h, s, k in zip(houses, streets, kinds, strict=True)],
        "city": picked(rng, invented(rng, 2_000, [2, 3]), rows),
        "born": days.astype(str),
        "id": [f"R{i:08}" for i in rng.permutation(rows * 3)[:rows]],
    }
    return pa.table({name: pa.array(column, pa.string()) for name, column in columns.items()})


def typo(rng, word):
    """One edit: a letter left out, put in, changed, or swapped with the next."""
    i, letter = int(rng.integers(len(word))), chr(97 + int(rng.integers(26)))
    if word[0].isdigit():
        letter = str(rng.integers(10))
    swapped = word[:i] + word[i + 1 : i + 2] + word[i] + word[i + 2 :]
    edits = [word[:i] + word[i + 1 :], word[:i] + letter + word[i:], swapped]
    return str(rng.choice([*edits, word[:i] + letter + word[i + 1 :]]))


def mistyped(rng, word):
    """Two edits in a third of the longer words, one in another third."""
    if len(word) > 3:
        for _ in range(rng.integers(3)):
            word = typo(rng, word)
    return word


def _with_typos(rng, row):
    """A record of the same person: a typo in two fields."""
    values = dict(row)
    for name in rng.choice(["given", "surname", "street", "city"], 2, replace=False):
        values[name] = typo(rng, values[name])
    return values


def people(rows):
    """People, and the person of each record: every fourth record is of a person listed before."""
    rng = np.random.default_rng(2024)
    table, once = records(rng, rows), rows * 3 // 4
    persons = [*range(once), *rng.integers(0, once, rows - once).tolist()]
    same = table.take(persons[once:]).to_pylist()
    ids = table["id"][once:].to_pylist()
    again = [_with_typos(rng, row) | {"id": id} for row, id in zip(same, ids, strict=True)]
    return pa.concat_tables([table[:once], pa.Table.from_pylist(again, table.schema)]), persons


def linked(rows):
    """People to match with as many as `rows` others: both tables, the true pairs, and candidates,
    which are five in ten of the true pairs and four others a record."""
    rng = np.random.default_rng(2025)
    right, some = records(rng, rows), rows // 10
    chosen = rng.choice(rows, some, replace=False)
    left = [
        _with_typos(rng, row) | {"id": f"L{i:08}"}
        for i, row in enumerate(right.take(chosen).to_pylist())
    ]
    ids = right["id"].to_pylist()
    pairs = [(x["id"], ids[y]) for x, y in zip(left, chosen, strict=True) if rng.random() < 0.8]
    others = rng.integers(0, rows, (some, 4))
    candidates = {pair: None for pair in pairs if rng.random() < 0.5}
    candidates |= {(x["id"], ids[y]): None for x, ys in zip(left, others, strict=True) for y in ys}
    return pa.Table.from_pylist(left, right.schema), right, pairs, list(candidates)


def wide(rows):
    """Records of 31 fields, ten of them texts of 20 to 60 words, ten mostly empty; the entity of
    each: every fourth is as one before, with a typo in each of five fields."""
    rng = np.random.default_rng(2026)
    words, once = rng.permutation(invented(rng, 50_000, [1, 2, 3])), rows * 3 // 4
    columns = {"id": [f"W{i:07}" for i in range(rows)]}
    for i in range(30):
        least, most, empty = [(20, 60, 0.1), (1, 3, 0.05), (1, 4, 0.9)][i // 10]
        columns[f"field {i + 1}"] = _texts(rng, words, once, least, most, empty)
    entities = [*range(once), *rng.integers(0, once, rows - once).tolist()]
    for name in list(columns)[1:]:
        texts = columns[name]
        edited = rng.random(rows - once) < 1 / 6
        for old, edit in zip(entities[once:], edited, strict=True):
            texts.append(typo(rng, texts[old]) if edit and texts[old] else texts[old])
    return pa.table({n: pa.array(c, pa.string()) for n, c in columns.items()}), entities


def _texts(rng, words, rows, least, most, empty):
    sizes = rng.integers(least, most + 1, rows)
    every, ends = picked(rng, words, int(sizes.sum())), sizes.cumsum()
    parts = (every[end - size : end] for size, end in zip(sizes, ends, strict=True))
    return [None if rng.random() < empty else " ".join(part) for part in parts]
