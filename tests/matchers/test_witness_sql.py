"""`witness` by SQL against the compiled one, which has its own reference in test_matchers.py."""

import random
import threading
from contextlib import contextmanager, suppress

import numpy as np
import pyarrow as pa
import pyarrow.parquet
import pytest

import matchbound as mb
from matchbound.commands.main import main
from support import networks

COLUMNS = ["x", "y", "score", "round", "witnesses", "margin"]


def rows_of(matches):
    assert matches.table.column_names == COLUMNS
    return list(matches)


def random_side(rng, nodes, edges, name):
    """Loops, repeats and edges both ways round among them."""
    ends = [(rng.randrange(nodes), rng.randrange(nodes)) for _ in range(edges)] + [(0, 1)]
    return pa.table({"src": [name(a) for a, _ in ends], "dst": [name(b) for _, b in ends]})


def random_case(rng):
    """Two networks; in half of the cases the same one but for a fifth of its edges."""
    nodes, edges = rng.randint(4, 16), rng.randint(1, 60)
    names = rng.choice([(int, int), (str, int), ("é{}".format, "v{}".format)])
    left, right = (random_side(rng, nodes, edges, name) for name in names)
    number = {names[0](i): names[1](i) for i in range(nodes)}
    alike = rng.random() < 0.5
    if alike:
        kept = rng.sample(left.to_pylist(), max(1, len(left) * 4 // 5))
        right = pa.table({c: [number[row[c]] for row in kept] for c in ("src", "dst")})
    x, y = (sorted({*t["src"].to_pylist(), *t["dst"].to_pylist()}, key=str) for t in (left, right))
    if alike:
        x = [node for node in x if number[node] in y]
        y = [number[node] for node in x]
    count = rng.randint(1, min(len(x), len(y), 8))
    seeds = list(zip(x, y, strict=False))
    return left, right, rng.sample(seeds, count)


@pytest.mark.parametrize(
    ("threshold", "pairs"),
    [(2, 10), *(pytest.param(other, 40, marks=pytest.mark.slow) for other in (1, 2, 3))],
)
def test_random_pairs_of_networks_are_matched_as_the_compiled_matcher_does(threshold, pairs):
    rng, found = random.Random(threshold), 0
    for _ in range(pairs):
        left, right, seeds = random_case(rng)
        how = {"threshold": threshold, "repeat": rng.randint(1, 3)}
        ours = mb.reconcile(left, right, seeds, engine="duckdb", **how)
        assert rows_of(ours) == rows_of(mb.reconcile(left, right, seeds, **how))
        found += len(ours) - len(seeds)
    assert found > pairs / 5


@pytest.mark.parametrize("kind", [networks.erdos_renyi, networks.preferential])
def test_larger_networks_through_all_their_degrees(kind):
    pair = networks.made(kind, 600, 5)
    left, right = pair.tables()
    seeds = pair.seeds(40, 1)
    by_sql = mb.reconcile(left, right, seeds, engine="duckdb", memory="1GB")
    compiled = mb.reconcile(left, right, seeds)
    assert rows_of(by_sql) == rows_of(compiled)
    assert str(by_sql) == str(compiled)
    assert len(by_sql) > 400
    assert len(set(by_sql.table["round"].to_pylist())) > 4


def save(folder, left, right, seeds):
    for name, table in (("left", left), ("right", right)):
        pa.parquet.write_table(table, folder / f"{name}.parquet")
    lines = [f"{x},{y}" for x, y in seeds]
    (folder / "seeds.csv").write_text("\n".join(["x,y", *lines, ""]))
    return [folder / "left.parquet", folder / "right.parquet", "--seeds", folder / "seeds.csv"]


def run(*arguments):
    return main([str(argument) for argument in arguments])


@pytest.mark.parametrize("name", ["m.csv", "m.parquet"])
def test_files_are_the_same(tmp_path, capsys, name):
    pair = networks.made(networks.erdos_renyi, 300, 7)
    given = save(tmp_path, *pair.tables(), pair.seeds(30, 2))
    (tmp_path / "sql").mkdir()
    assert run("reconcile", *given, "--out", tmp_path / name) == 0
    said = capsys.readouterr().out.splitlines()[0]
    out = tmp_path / "sql" / name
    assert run("reconcile", *given, "--engine", "duckdb", "--memory", "1GB", "--out", out) == 0
    assert capsys.readouterr().out.splitlines()[0] == said
    if name.endswith("csv"):
        assert out.read_bytes() == (tmp_path / name).read_bytes()
    else:
        ours, theirs = (pa.parquet.read_table(p) for p in (out, tmp_path / name))
        assert ours.to_pylist() == theirs.to_pylist()
    assert [path.name for path in out.parent.iterdir()] == [name]
    assert run("reconcile", *given, "--engine", "duckdb", "--out", out) == 2
    assert "out must not exist yet" in capsys.readouterr().err


def test_a_carriage_return_in_an_id_is_quoted(tmp_path):
    edges = [("a\rb", "c"), ("c", "d")]
    table = pa.table({"src": [a for a, _ in edges], "dst": [b for _, b in edges]})
    given = save(tmp_path, table, table, [("c", "c")])
    for extra, name in (((), "one.csv"), (("--engine", "duckdb"), "two.csv")):
        assert run("reconcile", *given, "--threshold", 1, *extra, "--out", tmp_path / name) == 0
    assert (tmp_path / "two.csv").read_bytes() == (tmp_path / "one.csv").read_bytes()


TRIANGLE = pa.table({"src": ["a", "b", "c"], "dst": ["b", "c", "a"]})


def edges(*pairs):
    src, dst = zip(*pairs, strict=True)
    return pa.table({"src": pa.array(src), "dst": pa.array(dst)})


@pytest.mark.parametrize(
    ("left", "seeds"),
    [
        (TRIANGLE, [("a", "z")]),
        (TRIANGLE, [("z", "a"), ("y", "a")]),
        (TRIANGLE, [("a", "a"), ("a", "b")]),
        (TRIANGLE, [("a", "a"), ("b", "a")]),
        (TRIANGLE, [(" a", "a")]),
        (TRIANGLE, [("a", None)]),
        (edges(("a", "a")), [("a", "a")]),
        (edges(("a", None), ("", "a")), [("a", "a")]),
        (edges(("a", "b "), ("\ta", "b")), [("a", "a")]),
        (edges((1, 2), (2, 3)), [("01", "a")]),
        (pa.table({"src": ["a"]}), [("a", "a")]),
    ],
)
def test_what_the_compiled_matcher_refuses_is_refused_alike(left, seeds):
    with pytest.raises(mb.InputError) as compiled:
        mb.reconcile(left, TRIANGLE, seeds)
    with pytest.raises(mb.InputError) as by_sql:
        mb.reconcile(left, TRIANGLE, seeds, engine="duckdb")
    assert str(by_sql.value) == str(compiled.value)


@pytest.mark.parametrize(
    ("how", "message"),
    [
        (
            {"method": "expand", "engine": "duckdb"},
            "method must be witness with an engine, got 'expand', which works in memory alone. "
            "Leave the engine out, or choose witness.",
        ),
        (
            {"memory": "1GB"},
            "memory must come with an engine, got '1GB' alone: without one, networks are held in "
            "memory. Give --engine duckdb too, or drop it.",
        ),
        (
            {"engine": "duckdb", "seeds": "hubs"},
            "seeds must be pairs with an engine, got 'hubs': they are guessed in memory. Give some "
            "pairs, or leave the engine out.",
        ),
        (
            {"engine": "sqlite"},
            "engine must be duckdb, spark or a SparkSession, got 'sqlite'. Choose one of them.",
        ),
    ],
)
def test_what_an_engine_cannot_do_is_refused(how, message):
    with pytest.raises(mb.InputError) as told:
        mb.reconcile(TRIANGLE, TRIANGLE, **({"seeds": [("a", "a")]} | how))
    assert str(told.value) == message


def test_a_node_with_a_loop_alone_may_be_a_seed():
    left = edges(("a", "a"), ("b", "c"))
    for engine in (None, "duckdb"):
        matches = mb.reconcile(left, left, [("a", "a"), ("b", "b")], threshold=1, engine=engine)
        assert matches.pairs() == [("a", "a"), ("b", "b"), ("c", "c")]


def test_nothing_found_is_written_as_seeds_alone(tmp_path):
    given = save(tmp_path, TRIANGLE, TRIANGLE, [("a", "a")])
    assert run("reconcile", *given, "--engine", "duckdb", "--out", tmp_path / "m.parquet") == 0
    assert len(pa.parquet.read_table(tmp_path / "m.parquet")) == 1
    assert np.isfinite(pa.parquet.read_table(tmp_path / "m.parquet")["score"].to_numpy()).all()


def test_a_network_that_needs_several_times_the_memory(tmp_path):
    pair = networks.made(networks.preferential, 12_000, 5, degree=40)
    left, right = pair.tables()
    seeds = pair.seeds(600, 1)
    with watched(tmp_path) as sizes:
        how = {"engine": "duckdb", "memory": "80MB", "temp": tmp_path}
        by_sql = mb.reconcile(left, right, seeds, threshold=3, **how)
    assert rows_of(by_sql) == rows_of(mb.reconcile(left, right, seeds, threshold=3))
    assert max(sizes) > 80e6  # on disk, besides the 80 MB in memory
    assert not list(tmp_path.iterdir())


@contextmanager
def watched(folder):
    """How many bytes the folder's files have, again and again."""
    sizes, done = [0], threading.Event()

    def watch():
        while not done.wait(0.02):
            with suppress(FileNotFoundError):
                sizes.append(sum(path.lstat().st_size for path in folder.rglob("*.tmp")))

    thread = threading.Thread(target=watch)
    thread.start()
    try:
        yield sizes
    finally:
        done.set()
        thread.join()
