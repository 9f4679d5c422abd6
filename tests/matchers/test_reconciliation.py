"""reconcile at the door: what it takes, what it writes, and what it says of bad input."""

import igraph
import networkx as nx
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
import scipy.sparse as sp

import matchbound as mb
from matchbound import matchers
from support.audits import contents, read_csv, run, write_csv
from support.networks import erdos_renyi, made, precision_and_recall, reconcile_command

EDGES = [("a", "c"), ("b", "c"), ("a", "d"), ("b", "d"), ("c", "e")]
SEEDS = [("a", "a"), ("b", "b"), ("e", "e")]
FOUND = [*SEEDS, ("c", "c"), ("d", "d")]


@pytest.fixture
def files(tmp_path):
    write_csv(tmp_path / "left.csv", ["src", "dst"], EDGES)
    write_csv(tmp_path / "right.csv", ["src", "dst"], EDGES)
    write_csv(tmp_path / "seeds.csv", ["x", "y"], SEEDS)
    return tmp_path


def command(files, *options, out="matches.csv", seeds="seeds.csv"):
    seeds = seeds if seeds == "hubs" else files / seeds
    sides = files / "left.csv", files / "right.csv"
    return run("reconcile", *sides, "--seeds", seeds, "--out", files / out, *options)


def refusal(*arguments, **options):
    with pytest.raises(mb.InputError) as error:
        mb.reconcile(*arguments, **options)
    return str(error.value)


# What it takes


def table(columns=("src", "dst")):
    return pa.table(dict(zip(columns, map(list, zip(*EDGES, strict=True)), strict=True)))


FORMS = {
    "arrow": table,
    "pandas": lambda: table().to_pandas(),
    "polars": lambda: pl.from_arrow(table()),
    "first two columns": lambda: table(("from", "to")),
    "named nodes and edges": lambda: table(("nodes", "edges")).to_pandas(),
    "src, dst among others": lambda: table().append_column("w", [["z"] * 5]).select([2, 1, 0]),
    "networkx": lambda: nx.Graph(EDGES),
    "networkx, directed": lambda: nx.DiGraph(EDGES),
    "networkx, several edges": lambda: nx.MultiGraph(EDGES * 2),
    "igraph": lambda: igraph.Graph.TupleList(EDGES),
    "prepared": lambda: matchers.graph(table()),
}


@pytest.mark.parametrize("form", FORMS)
def test_forms_of_a_graph(form):
    assert mb.reconcile(FORMS[form](), table(), SEEDS).pairs() == FOUND


@pytest.mark.parametrize("kind", ["coo", "csr", "csc"])
def test_matrices_number_their_nodes(kind):
    ends = np.array([["abcde".index(end) for end in edge] for edge in EDGES])
    whole = sp.coo_array((np.ones(5), ends.T), shape=(6, 6)).asformat(kind)
    graph = igraph.Graph(ends.tolist())
    numbered = [("abcde".index(x), "abcde".index(y)) for x, y in SEEDS]
    pairs = mb.reconcile(whole, graph, numbered).pairs()
    assert pairs == [("0", "0"), ("1", "1"), ("4", "4"), ("2", "2"), ("3", "3")]
    assert len(matchers.graph(whole)) == 6  # the last has no edge


def test_an_entry_of_zero_is_no_edge():
    matrix = sp.coo_array(([1.0, 0.0], ([0, 1], [1, 2])), shape=(3, 3))
    assert repr(matchers.graph(matrix)) == "Graph(3 nodes, 1 edges)"


@pytest.mark.parametrize(
    "seeds",
    [
        SEEDS,
        np.array(SEEDS),
        pd.DataFrame(SEEDS, columns=["x", "y"]),
        pd.DataFrame(SEEDS, columns=["X", "Y"]).assign(score=0.5),
        [*SEEDS, ("d", None)],  # as mb.labels tells that d has no match
    ],
)
def test_forms_of_seeds(seeds):
    assert mb.reconcile(table(), table(), seeds).pairs() == FOUND


def test_matches_are_seeds_again():
    matches = mb.reconcile(table(), table(), SEEDS)
    again = mb.reconcile(table(), table(), matches)
    assert sorted(again.pairs()) == sorted(FOUND)
    assert str(again) == "5 matches: 5 seeds and 0 found."


def test_numbers_are_compared_as_text(tmp_path):
    edges = [(1, 3), (2, 3), (1, 4), (2, 4), (3, 5)]
    numbers = pa.table({"src": [a for a, _ in edges], "dst": [b for _, b in edges]})
    path = write_csv(tmp_path / "numbers.csv", ["src", "dst"], edges)
    pairs = mb.reconcile(numbers, path, [(1, "1"), ("2", 2), (5, 5)]).pairs()
    assert pairs == [("1", "1"), ("2", "2"), ("5", "5"), ("3", "3"), ("4", "4")]


def test_loops_and_repeats_are_as_if_not_there():
    more = [*EDGES, ("c", "a"), ("a", "c"), ("d", "d"), ("z", "z")]
    edges = pd.DataFrame(more, columns=["src", "dst"])
    graph = matchers.graph(edges)
    assert repr(graph) == "Graph(6 nodes, 5 edges)"
    assert list(mb.reconcile(edges, table(), SEEDS)) == list(mb.reconcile(table(), table(), SEEDS))


def test_a_callable_is_a_method():
    def none(left, right, seeds, *, threshold=2):
        assert seeds.dtype == np.int32
        assert threshold == 3
        nobody = np.empty(0, np.int32)
        return matchers.Found(nobody, nobody, nobody, nobody, nobody)

    assert mb.reconcile(table(), table(), SEEDS, method=none, threshold=3).pairs() == SEEDS


# The command


@pytest.mark.parametrize("method", matchers.MATCHERS)
def test_the_command_writes_what_python_finds(files, method, capsys):
    options = {} if method == "soft" else {"threshold": 2}
    assert command(files, "--method", method, *(("--threshold", 2) if options else ())) == 0
    said = capsys.readouterr().out
    matches = mb.reconcile(
        *(files / f"{name}.csv" for name in ("left", "right", "seeds")), method=method, **options
    )
    first = "\n".join(filter(None, [str(matches), matches.doubt]))
    assert said.startswith(f"{first}\nThey are in {files / 'matches.csv'}; ")
    rows = read_csv(files / "matches.csv")
    assert rows == [[x, y, *map(str, parts)] for x, y, *parts in matches]
    header = (files / "matches.csv").read_text().splitlines()[0]
    assert header == "x,y,score,round,witnesses,margin"


LOW = (
    "Doubtful: {low} of the {found} found have a score below 0.5, so another pair was as likely. "
    "Expect many to be wrong; give more seeds, or keep the others alone."
)
FEW = (
    "Doubtful: {seeds} seeds led to {found} matches, and {found} of these have at most 2 "
    "witnesses, as unrelated networks have too. Check some of them, or give more seeds."
)


def unrelated(seeds=40):
    """Two networks that have nothing to do with each other, and pairs that are wrong as well."""
    left, right = made(erdos_renyi, 1500, 3, degree=12), made(erdos_renyi, 1500, 4, degree=12)
    nodes = [np.unique(left.left), np.unique(right.right)]
    pairs = [(x, y) for x, y in left.truth if y in nodes[1]][:seeds]
    return left.tables()[0], right.tables()[1], pairs


@pytest.mark.parametrize("method", ["expand", "soft"])
def test_matches_of_unrelated_networks_are_doubted(method):
    matches = mb.reconcile(*unrelated(), method=method)
    found = [row for row in matches if row[3] > 0]
    low = sum(row[2] < 0.5 for row in found)
    assert matches.doubt == LOW.format(low=low, found=len(found))


def test_a_few_witnesses_are_doubted(tmp_path, capsys):
    left, right, seeds = unrelated()
    matches = mb.reconcile(left, right, seeds)
    found = len(matches) - len(seeds)
    assert 0 < found < 30
    said = FEW.format(seeds=len(seeds), found=found)
    assert matches.doubt == said
    command = reconcile_command(tmp_path, left, right, seeds)
    for engine in ([], ["--engine", "duckdb"]):
        assert run(*command, *engine) == 0
        assert capsys.readouterr().out.startswith(f"{matches}\n{said}\nThey are in ")


@pytest.mark.parametrize("method", matchers.MATCHERS)
def test_good_matches_are_not_doubted(method):
    pair = made(erdos_renyi, 1500, seed=3)
    matches = mb.reconcile(*pair.tables(), pair.seeds(75, seed=3), method=method)
    assert matches.doubt == ""
    assert precision_and_recall(pair, matches)[0] > 0.9


def test_options_reach_the_matcher(files):
    options = ["--threshold", 1, "--marks", 1000, "--seed", "s"]
    assert command(files, "--method", "expand", *options, out="a.parquet") == 0
    assert command(files, "--repeat", 1, out="b.parquet") == 0
    matches = mb.reconcile(table(), table(), SEEDS, method="expand", threshold=1, seed="s")
    assert pq.read_table(files / "a.parquet").equals(matches.table)


def test_ids_with_line_breaks_survive(tmp_path):
    named = {end: f'{end}\r\n,"1' for edge in EDGES for end in edge}
    edges = pd.DataFrame([(named[a], named[b]) for a, b in EDGES], columns=["src", "dst"])
    seeds = [(named[x], named[y]) for x, y in SEEDS]
    matches = mb.reconcile(edges, edges, seeds)
    matches.save(tmp_path / "m.csv")
    assert [tuple(row[:2]) for row in read_csv(tmp_path / "m.csv")] == matches.pairs()


def test_nothing_is_overwritten_unasked(files, capsys):
    assert command(files) == 0
    before = contents(files)
    assert command(files) == 2
    place = str(files / "matches.csv")
    assert capsys.readouterr().err == (
        f"matchbound: out must not exist yet, got {place!r}. "
        "Choose another place, or use --force.\n"
    )
    assert contents(files) == before
    assert command(files, "--force") == 0


@pytest.mark.parametrize(
    ("out", "message"),
    [
        ("matches.xlsx", "out must be a .csv or .parquet file, got {!r}. Choose another name."),
        ("left.csv", "out must not be an input, got {!r}. Choose another place."),
    ],
)
def test_bad_places(files, capsys, out, message):
    before = contents(files)
    assert command(files, "--force", out=out) == 2
    assert capsys.readouterr().err == f"matchbound: {message.format(str(files / out))}\n"
    assert contents(files) == before


def test_certify_reads_the_matches(tmp_path):
    """Nodes drawn and labelled; D's labels are the seeds; the truth is above the bounds."""
    pair = made(erdos_renyi, 2000, seed=4)
    write_csv(tmp_path / "nodes.csv", ["id"], [[x] for x in pair.truth[:, 0]])
    nodes = tmp_path / "nodes.csv"
    draw = mb.draw(nodes, labels=200, train=150, seed="s", one_to_one=True, link=True)
    draw.save(tmp_path / "audit")
    partner = {str(x): str(y) for x, y in pair.truth}
    labels = [(x, partner[x]) for x, _, _ in draw.sample]
    write_csv(tmp_path / "audit" / "labels.csv", ["x", "y"], labels)
    seeds = mb.labels(tmp_path / "audit", role="train")
    matches = mb.reconcile(*pair.tables(), seeds, threshold=3)
    matches.save(tmp_path / "m.csv")
    cert = mb.certify(tmp_path / "audit", holdout=tmp_path / "m.csv", threshold=0)
    assert (
        cert.guarantees == mb.certify(tmp_path / "audit", holdout=matches, threshold=0).guarantees
    )
    precision, recall = precision_and_recall(pair, matches)
    assert 0.9 < cert.value("precision") <= precision
    assert 0.9 < cert.value("recall") <= recall


# Bad input, in the words a user sees

GOOD = (table(), table(), SEEDS)
EMPTY = "must have an edge between two nodes, got none. Check what was given."


@pytest.mark.parametrize(
    ("graph", "message"),
    [
        (table().slice(0, 0), f"left {EMPTY}"),
        (pd.DataFrame([("a", "a")], columns=["src", "dst"]), f"left {EMPTY}"),
        (sp.coo_array((1, 1)), f"left {EMPTY}"),
        (nx.Graph(), f"left {EMPTY}"),
        (igraph.Graph(3), f"left {EMPTY}"),
        (
            sp.coo_array((3, 4)),
            "left must be a square matrix, got one of shape (3, 4). "
            "Give the adjacency matrix of a graph.",
        ),
        (
            pa.table({"src": ["a"]}),
            "left must have two columns of nodes, got 'src' alone. "
            "Give an edge list, such as src, dst.",
        ),
        (
            pa.table({"src": ["a", None, ""], "dst": ["b", "c", "d"]}),
            "left must have an id for each end of an edge, got 2 empty. Fill or remove it.",
        ),
        (
            nx.Graph([("", "a")]),
            "left must have an id for each end of an edge, got an empty one. Fill or remove it.",
        ),
        (
            pa.table({"src": ["a "], "dst": ["b"]}),
            "left must have ids without spaces around them, got 'a '. Trim them.",
        ),
        (
            nx.Graph([(1, "1")]),
            "left must have nodes that differ as text, got '1' 2 times. Rename them.",
        ),
        (
            nx.Graph([("a", "\ud800")]),
            "left must have ids that are text, got '\\ud800'. Rename it.",
        ),
        (
            pa.table({"src": [0.5], "dst": [1.5]}),
            "left must have ids that are text or whole numbers, got 'src' of type DOUBLE. "
            "Convert it (in pandas, Int64 keeps empty cells).",
        ),
        (
            7,
            "left must be a path or a table (pandas, Polars, Arrow, DuckDB), got int. "
            "Convert it to one of these.",
        ),
    ],
)
def test_bad_graphs(graph, message):
    assert refusal(graph, table(), SEEDS) == message
    assert refusal(table(), graph, SEEDS) == message.replace("left", "right", 1)


@pytest.mark.parametrize(
    ("seeds", "message"),
    [
        (
            [("a", "a"), ("q", "b"), ("r", "c")],
            "seeds must be nodes of the two graphs, got 2 in x that are not in left "
            "(first: 'q'). Correct or remove them.",
        ),
        (
            [("a", "q")],
            "seeds must be nodes of the two graphs, got 1 in y that are not in right "
            "(first: 'q'). Correct or remove them.",
        ),
        (
            [("a", "a"), ("a", "b")],
            "seeds must hold each node once, got x = 'a' 2 times. Keep one of its pairs.",
        ),
        (
            [("a", "b"), ("b", "b")],
            "seeds must hold each node once, got y = 'b' 2 times. Keep one of its pairs.",
        ),
        ([], "seeds must hold at least one pair, got none. Give some, or 'hubs'."),
        ([("a", None)], "seeds must hold at least one pair, got none. Give some, or 'hubs'."),
        (
            [("a", "a"), "ab"],
            "seeds must be pairs (x, y), got 'ab' among them. "
            "Give a list of pairs, a table with columns x and y, or 'hubs'.",
        ),
        ([(None, "a")], "seeds must have an id in every x, got 1 empty. Fill or remove these."),
        ([(" a", "a")], "seeds must have ids without spaces around them, got ' a'. Trim them."),
        (
            pa.table({"a": ["a"], "y": ["a"]}),
            "seeds must have a column 'x', got 'a', 'y'. Rename the column that holds it.",
        ),
    ],
)
def test_bad_seeds(seeds, message):
    assert refusal(table(), table(), seeds) == message


def test_no_hubs_in_a_circle():
    circle = nx.cycle_graph(5)
    assert refusal(circle, circle, "hubs") == (
        "seeds must be given where no hubs of the two graphs are alike, got 'hubs'. "
        "Give some pairs."
    )


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (
            {"method": "magic"},
            "method must be one of witness, percolation, expand, soft; got 'magic'. Choose one.",
        ),
        (
            {"seed": 7},
            "seed must be left out with method 'witness', got 7. It takes threshold and repeat.",
        ),
        (
            {"method": "percolation", "marks": 7},
            "marks must be left out with method 'percolation', got 7. It takes threshold and seed.",
        ),
        (
            {"method": "soft", "threshold": 2},
            "threshold must be left out with method 'soft', got 2. It takes none; "
            "certify --threshold cuts its matches by score.",
        ),
        (
            {"threshold": 0},
            "threshold must be a whole number from 1 to 2147483647, got 0. Give for example 3.",
        ),
        (
            {"repeat": 1.5},
            "repeat must be a whole number from 1 to 2147483647, got 1.5. Give for example 3.",
        ),
        (
            {"threshold": True},
            "threshold must be a whole number from 1 to 2147483647, got True. Give for example 3.",
        ),
        (
            {"method": "expand", "seed": 1.5},
            "seed must be text or a whole number, got 1.5. Give for example 3.",
        ),
        (
            {"method": "expand", "marks": 21},  # degrees 3, 2, 2, 2, 1 on both sides: 22
            "marks must be at least 22, what matches between these graphs could add, got 21. "
            "Raise it if there is memory (up to 40 bytes each), or use witness.",
        ),
    ],
)
def test_bad_options(options, message):
    assert refusal(*GOOD, **options) == message


def test_bad_input_on_the_command_line(files, capsys):
    write_csv(files / "seeds.csv", ["x", "y"], [["a", "q"]])
    before = contents(files)
    assert command(files) == 2
    assert capsys.readouterr().err == (
        "matchbound: seeds must be nodes of the two graphs, got 1 in y that are not in right "
        "(first: 'q'). Correct or remove them.\n"
    )
    (files / "left.csv").unlink()
    assert command(files) == 2
    place = str(files / "left.csv")
    assert capsys.readouterr().err == (
        f"matchbound: left must be a file, got {place!r} (no such file). Check the path.\n"
    )
    before.pop(files / "left.csv")
    assert contents(files) == before
