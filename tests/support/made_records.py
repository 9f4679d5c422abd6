"""Made-up people in two tables, the second with slips."""

import random

import pyarrow as pa

FIRST = ["anna", "bert", "carla", "dora", "emil", "fritz", "gerda", "hans", "ida", "jonas"]
LAST = ["miller", "smith", "weber", "lopez", "okafor", "tanaka", "novak", "rossi", "dubois", "haas"]


def slip(rng, text):
    """The text with one letter left out, or as it is."""
    i = rng.randrange(2 * len(text))
    return text[:i] + text[i + 1 :]


def person(rng):
    return {
        "name": f"{rng.choice(FIRST)} {rng.choice(LAST)}",
        "born": f"{rng.randrange(1940, 2000)}-0{rng.randrange(1, 10)}-1{rng.randrange(10)}",
        "street": f"{rng.choice(LAST)} road {rng.randrange(1, 200)}",
    }


def people(size, seed=0):
    """Two tables of the same people, the right one with slips and missing texts; and the truth."""
    rng = random.Random(seed)
    rows = [{"id": f"a{i}", **person(rng)} for i in range(size)]
    others = [
        {name: slip(rng, text) for name, text in row.items()} | {"id": f"b{i}"}
        for i, row in enumerate(rows)
    ]
    for row in others:
        if rng.random() < 0.2:
            row[rng.choice(["born", "street"])] = None
    truth = [(f"a{i}", f"b{i}") for i in range(size)]
    return pa.Table.from_pylist(rows), pa.Table.from_pylist(others), truth
