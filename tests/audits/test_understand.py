"""`audit` reads what a user has: one reading is drawn from, several are asked about or refused."""

import io
import json
import shlex

import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import matchbound as mb
from matchbound.audits.draw import Draw
from matchbound.errors import InputError
from support.audits import Terminal, run, write_csv

SIZE = 40
SPLINK = ["source_dataset_l", "unique_id_l", "source_dataset_r", "unique_id_r", "match_probability"]


def table(header, rows):
    return pa.table(dict(zip(header, map(list, zip(*rows, strict=True)), strict=True)))


def people(letter, *, id="id", source=None):
    """Records of a table, with a field and, if it has one, its source."""
    columns = {id: [f"{letter}{i}" for i in range(SIZE)], "city": ["York"] * SIZE}
    return pa.table(columns | ({} if source is None else {"source_dataset": [source] * SIZE}))


def numbered(**columns):
    return pa.table({"id": list(range(SIZE)), "city": ["York"] * SIZE, **columns})


A, B = people("a"), people("b")
LINKS = [[f"a{i}", f"b{i}"] for i in range(SIZE - 5)]
TWINS = [[f"a{i}", f"a{i + 1}"] for i in range(0, SIZE, 2)]
NUMBERS = [[i, (i + 1) % SIZE] for i in range(SIZE - 5)]


def sourced(rows, left="left", right="right"):
    """Splink's predictions; every other pair has its sides swapped."""
    sides = [([left, x], [right, y]) for x, y in rows]
    return table(
        SPLINK, [[*a, *b, 0.9] if i % 2 else [*b, *a, 0.9] for i, (a, b) in enumerate(sides)]
    )


def understood(tmp_path, matches, records, against=None, **said):
    lines = []
    given = {"clusters": False, "labels": 9, "out": tmp_path / "audit", **said}
    draw = mb.audit(matches, records=records, against=against, say=lines.append, **given)
    return draw, lines[:3]


def refusal(tmp_path, *tables, **said):
    with pytest.raises(InputError) as error:
        understood(tmp_path, *tables, **said)
    assert not (tmp_path / "audit").exists()
    return str(error.value)


# One reading


def test_plain_links(tmp_path):
    draw, lines = understood(tmp_path, table(["x", "y"], LINKS), A, B)
    assert (draw.matching.link, draw.matching.source, draw.population.id) == (True, None, "id")
    assert lines == [
        "Matches: a table, 35 pairs in 'x' and 'y'.",
        "Records: a table (ids in 'id'), matched with a table (ids in 'id').",
        "Deployed: the pairs.",
    ]
    (registered,) = draw.registered
    assert (registered.reading.columns, registered.reading.clusters) == ({}, False)


def test_one_table_with_itself(tmp_path):
    scored = table(["id_l", "id_r", "score"], [[*pair, 0.5] for pair in TWINS])
    draw, lines = understood(tmp_path, scored, A, threshold=0.25, clusters=True)
    assert draw.matching.dedupe
    assert lines == [
        "Matches: a table, 20 pairs in 'id_l' and 'id_r', with scores in 'score'.",
        "Records: a table (ids in 'id'), matched with itself.",
        "Deployed: the clusters that the pairs with a score from 0.25 on link.",
    ]
    (registered,) = draw.registered
    assert (registered.reading.threshold, registered.reading.clusters) == (0.25, True)


def test_a_table_of_clusters_is_deployed_as_it_is(tmp_path):
    rows = [[f"a{i}", i // 2] for i in range(SIZE)]
    draw, lines = understood(tmp_path, table(["id", "cluster_id"], rows), A, clusters=None)
    assert draw.matching.dedupe
    assert lines[0] == "Matches: a table, 40 records in 'id' with clusters in 'cluster_id'."
    assert lines[2] == "Deployed: the clusters of the table."


@pytest.mark.parametrize("own", [None, "left"])
def test_sources_whose_ids_say_which_is_which(tmp_path, own):
    """Also if records name their source themselves."""
    records = people("a", source=own)
    draw, lines = understood(tmp_path, sourced(LINKS), records, B, threshold=0.5)
    assert draw.matching.source == "left"
    assert lines[1] == (
        "Records: a table (source 'left', ids in 'id'), matched with a table (source 'right', ids "
        "in 'id')."
    )
    other, _ = understood(tmp_path / "b", sourced(LINKS), B, A, threshold=0.5)
    assert other.matching.source == "right"


def test_several_sources_in_one_table(tmp_path):
    both = pa.concat_tables([people("a", source="left"), people("b", source="right")])
    draw, lines = understood(tmp_path, sourced(LINKS), both, threshold=0.5)
    assert draw.matching.dedupe
    assert all("-__-" in node for node in draw.validated)
    assert lines[1] == "Records: a table (ids in 'id'), matched with itself."


def test_sides_without_sources_are_found_by_their_ids(tmp_path):
    swapped = table(["id_l", "id_r"], [[y, x] for x, y in LINKS])
    draw, lines = understood(tmp_path, swapped, A, B)
    (registered,) = draw.registered
    assert registered.reading.columns == {"x": "id_r", "y": "id_l"}
    assert lines[1] == (
        "Records: a table (in 'id_r' of matches, ids in 'id'), matched with a table (in 'id_l' of "
        "matches, ids in 'id')."
    )


def test_clusters_over_two_tables(tmp_path):
    rows = [[x, i] for i, pair in enumerate(LINKS) for x in pair]
    draw, _ = understood(tmp_path, table(["id", "cluster"], rows), A, B, clusters=True)
    assert draw.matching.link
    sources = [[x, i, "left" if x[0] == "a" else "right"] for x, i in rows]
    named = table(["unique_id", "cluster_id", "source_dataset"], sources)
    draw, _ = understood(tmp_path / "b", named, A, B, clusters=None)
    assert draw.matching.source == "left"


@pytest.mark.parametrize(
    ("records", "column"),
    [
        (people("a", id="unique_id"), "unique_id"),
        (people("a", id="rec_id"), "rec_id"),
        (A.rename_columns(["unique_id", "city"]).append_column("id", [list(range(SIZE))]),
         "unique_id"),
        (A.rename_columns(["number", "city"]).append_column("id", [list(range(SIZE))]), "number"),
    ],
    ids=["unique_id", "another name", "of two", "beside ids of something else"],
)  # fmt: skip
def test_the_column_of_ids_is_the_one_that_fits(tmp_path, records, column):
    assert records.num_rows == SIZE
    draw, lines = understood(tmp_path, table(["x", "y"], LINKS), records, B)
    assert draw.population.id == column
    assert f"ids in {column!r}), matched" in lines[1]


def test_a_table_that_can_be_read_only_once(tmp_path):
    matches = table(["x", "y"], LINKS)
    streams = [one.to_reader() for one in (matches, A, B)]
    draw, _ = understood(tmp_path, *streams)
    whole, _ = understood(tmp_path / "b", matches, A, B)
    assert draw.registered == whole.registered


# Several readings


BOTH_PAIRS_AND_CLUSTERS = table(["x", "y", "id", "cluster"], [[*pair, *pair] for pair in TWINS])
DOUBTS = {
    "clusters or pairs": (
        (table(["x", "y"], LINKS), A, B),
        {"clusters": None},
        "clusters or pairs must be said, because matches are pairs and what is deployed may be the "
        "clusters that they link, got neither. Give clusters=True (the clusters that pairs link "
        "are deployed) or clusters=False (the pairs themselves are deployed).",
    ),
    "two sources that fit": (
        (sourced(NUMBERS), numbered(), numbered()),
        {"threshold": 0.5},
        "source must say which of 'left' and 'right' records are, because the ids of both are in "
        "both tables, got None. Give source='left' (records are of 'left') or source='right' "
        "(records are of 'right').",
    ),
    "two sides that fit": (
        (table(["id_l", "id_r"], NUMBERS), numbered(), numbered()),
        {},
        "columns must say which side is records, because the ids of both are in both tables, got "
        "None. Give columns={'x': 'id_l', 'y': 'id_r'} (records are in column 'id_l') or "
        "columns={'x': 'id_r', 'y': 'id_l'} (records are in column 'id_r').",
    ),
    "two columns that fit": (
        (table(["x", "y"], NUMBERS), numbered(unique_id=list(range(SIZE))[::-1])),
        {},
        "id must name the column of ids in records, because 2 columns hold the ids that matches "
        "have, got None. Give id='id' (ids are in column 'id') or id='unique_id' (ids are in "
        "column 'unique_id').",
    ),
    "two columns of the other table": (
        (table(["x", "y"], LINKS), A, pa.table({"u": B["id"], "v": B["id"]})),
        {},
        "against_id must name the column of ids in against, because 2 columns hold the ids that "
        "matches have, got None. Give against_id='u' (ids are in column 'u') or against_id='v' "
        "(ids are in column 'v').",
    ),
    "pairs or clusters": (
        (BOTH_PAIRS_AND_CLUSTERS, A),
        {},
        "columns must say how matches are read, because they may be pairs and clusters, got None. "
        "Give columns={'x': 'x', 'y': 'y'} (they are pairs in 'x' and 'y') or columns={'id': 'id', "
        "'cluster': 'cluster'} (they are records in 'id' with clusters in 'cluster').",
    ),
}


@pytest.mark.parametrize("doubt", DOUBTS)
def test_python_names_the_keywords(tmp_path, doubt):
    tables, said, sentence = DOUBTS[doubt]
    assert refusal(tmp_path, *tables, **said) == sentence


@pytest.fixture
def files(tmp_path, monkeypatch):
    """Two tables that have the same ids, and a table of matches with sources."""
    monkeypatch.chdir(tmp_path)
    pq.write_table(numbered(), "left one.parquet")
    pq.write_table(numbered(), "right.parquet")
    pq.write_table(sourced(NUMBERS), "pairs.parquet")
    return tmp_path


WORDS = ["audit", "pairs.parquet", "--records", "left one.parquet", "--against", "right.parquet"]
WORDS += ["--labels", "9", "--threshold", "0.5", "--out", "audit"]


def test_the_command_line_prints_every_complete_command(files, capsys):
    assert run(*WORDS) == 2
    first, *lines = capsys.readouterr().err.splitlines()
    assert first == (
        "matchbound: source must say which of 'left' and 'right' records are, because the ids of "
        "both are in both tables, got None. Run one of these:"
    )
    assert not (files / "audit").exists()
    common = "  matchbound audit pairs.parquet --records 'left one.parquet' --against "
    common += "right.parquet --labels 9 --threshold 0.5 "
    assert lines == [
        f"{common}{deployed} --out audit --source {name}"
        for name in ("left", "right")
        for deployed in ("--clusters", "--pairs")
    ]
    for i, line in enumerate(lines[::3]):
        _, *words = shlex.split(line)
        assert run(*words[:-4], "--out", f"audit{i}", *words[-2:]) == 0
        matching = json.loads((files / f"audit{i}" / "draw.json").read_text())["matching"]
        assert matching["source"] == words[-1]
    assert run("audit", *words[1:-4], "--out", "audit9", "--columns", "score=match_probability",
               "--force") == 2  # fmt: skip
    line = capsys.readouterr().err.splitlines()[-1]
    assert line.endswith("--out audit9 --force --source right --columns score=match_probability")


def test_at_a_terminal_it_asks(files, monkeypatch, capsys):
    shown = Terminal()
    monkeypatch.setattr("sys.stdin", Terminal("right\n2\n\n1\n"))
    monkeypatch.setattr("sys.stderr", shown)
    assert run(*WORDS) == 0
    draw = Draw.load(files / "audit")
    assert draw.matching.source == "right"
    questions = [line for line in shown.getvalue().splitlines() if not line.endswith(" …")]
    assert questions == [
        "matchbound: source must say which of 'left' and 'right' records are, because the ids of "
        "both are in both tables, got None.",
        "  1  records are of 'left'",
        "  2  records are of 'right'",
        "Which? Type 1 or 2:",
        "Which? Type 1 or 2:",
        "matchbound: clusters or pairs must be said, because matches are pairs and what is "
        "deployed may be the clusters that they link, got neither.",
        "  1  the clusters that pairs link are deployed",
        "  2  the pairs themselves are deployed",
        "Which? Type 1 or 2:",
        "Which? Type 1 or 2:",
    ]
    assert "Deployed: the clusters that the pairs" in capsys.readouterr().out


@pytest.mark.parametrize("stream", ["stdin", "stderr"])
def test_it_asks_nobody_where_one_of_both_is_no_terminal(files, monkeypatch, stream):
    for name in ("stdin", "stderr"):
        kind = io.StringIO if name == stream else Terminal
        monkeypatch.setattr(f"sys.{name}", kind("1\n1\n" if name == "stdin" else ""))
    assert run(*WORDS) == 2
    assert not (files / "audit").exists()


def test_a_terminal_that_is_closed(files, monkeypatch):
    monkeypatch.setattr("sys.stdin", Terminal("1\n"))
    monkeypatch.setattr("sys.stderr", Terminal())
    assert run(*WORDS) == 2
    assert not (files / "audit").exists()


def test_what_is_said_next(files, capsys):
    write_csv("twins.csv", ["x", "y"], [[i, i + 1] for i in range(0, SIZE, 2)])
    words = ["--records", "right.parquet", "--labels", 9, "--pairs", "--out", "my audit"]
    assert run("audit", "twins.csv", *words) == 0
    out = capsys.readouterr().out.splitlines()
    assert out[0] == "Matches: twins.csv, 20 pairs in 'x' and 'y'."
    assert out[1] == "Records: right.parquet (ids in 'id'), matched with itself."
    assert out[-2].startswith("Next: matchbound label 'my audit', or write ")
    assert out[-1].endswith("Then: matchbound certify 'my audit'")


# No reading


NONE = {
    "an id that records lack": (
        (table(["x", "y"], [*LINKS, ["a99", "b1"]]), A, B),
        {},
        "records must hold every id that matches have of them, got none for 'a99' in its column "
        "'id'. Give the tables that were matched, or name the column of ids (--id).",
    ),
    "an id that the other table lacks": (
        (table(["x", "y"], [*LINKS, ["a39", "b99"]]), A, B),
        {},
        "against must hold every id that matches have of them, got none for 'b99' in its column "
        "'id'. Give the tables that were matched, or name the column of ids (--against-id).",
    ),
    "the other table was forgotten": (
        (table(["x", "y"], LINKS), A),
        {},
        "records must hold every id that matches have of them, got none for 'b0' in its column "
        "'id'. Give the table that was matched, or name its column of ids (--id); if it was "
        "matched with another, give that too (--against).",
    ),
    "no column of ids": (
        (table(["x", "y"], LINKS), pa.table({"city": ["York"] * SIZE}), B),
        {},
        "records must hold every id that matches have of them, got none for 'a0' in any column. "
        "Give the tables that were matched, or name the column of ids (--id).",
    ),
    "sources, and one table without": (
        (sourced(LINKS), A),
        {"threshold": 0.5},
        "against must be given, because matches are of sources ('left', 'right'), got None. Give "
        "the other table; if all of them are in records, name each record's source there in a "
        "column 'source_dataset'.",
    ),
    "no sources, and one table with": (
        (table(["x", "y"], TWINS), people("a", source="left")),
        {},
        "matches must tell their records' sources, because records have a column "
        "'source_dataset', got none. Drop that column, or give matches with sources.",
    ),
    "records of another source": (
        (sourced(LINKS), people("a", source="third"), B),
        {"threshold": 0.5},
        "records must be of one of 'left', 'right', which matches name, got 'third' in column "
        "'source_dataset'. Give the tables that were matched.",
    ),
    "three sources": (
        (pa.concat_tables([sourced(LINKS), sourced(LINKS, "left", "third")]), A, B),
        {"threshold": 0.5},
        "against must tell its records' source in a column 'source_dataset', because matches are "
        "of several ('left', 'right', 'third'), got none. Add the column.",
    ),
    "a source where there are none": (
        (table(["x", "y"], LINKS), A, B),
        {"source": "left"},
        "source must be left out where matches have no sources, got 'left'. Drop it.",
    ),
    "a source of one table": (
        (table(["x", "y"], TWINS), A),
        {"source": "left"},
        "source must come with against, got it alone. Give the other table, or drop it.",
    ),
    "clusters of two tables with the same ids": (
        (table(["id", "cluster"], [[i, i] for i in range(SIZE)]), numbered(), numbered()),
        {"clusters": True},
        "matches must tell their records' sources in a column 'source_dataset', because '0' is an "
        "id of records and of against, got none. Add the column.",
    ),
    "clusters of other tables": (
        (table(["id", "cluster"], [["c1", 1], ["a1", 1]]), A, B),
        {"clusters": True},
        "records and against must hold every id that matches have, got none for 'c1' in their "
        "columns 'id' and 'id'. Give the tables that were matched, or name the columns of ids "
        "(--id, --against-id).",
    ),
    "pairs of a table of clusters": (
        (table(["id", "cluster"], [["a0", 1], ["a1", 1]]), A),
        {"clusters": False},
        "pairs must not be said where matches are clusters, got it. Drop it (--pairs, "
        "clusters=False).",
    ),
    "no row": (
        (table(["x", "y"], LINKS).slice(0, 0), A, B),
        {},
        "matches must hold at least one row, got none. Check it.",
    ),
    "one table twice": (
        (table(["x", "y"], TWINS), A, A),
        {},
        "against must be another table than records, got the same. Leave it out if one table was "
        "matched with itself.",
    ),
    "no records": (
        (table(["x", "y"], TWINS), None),
        {},
        "records must be given, got None. Give a table or its path.",
    ),
    "columns that are none": (
        (table(["x", "y"], TWINS), A),
        {"columns": ["x"]},
        "columns must name a column for each role among x, y, score, source, id, cluster, verdict, "
        "ignore, got ['x']. Give for example x=left_id,y=right_id.",
    ),
}


@pytest.mark.parametrize("case", NONE)
def test_no_reading(tmp_path, case):
    tables, said, sentence = NONE[case]
    assert refusal(tmp_path, *tables, **said) == sentence


def test_what_is_refused_later_names_the_argument_too(tmp_path):
    """A threshold that no pair reaches is noticed when the matcher is put on record."""
    matches = pa.table({"x": ["a1"], "y": ["b1"], "score": [0.5]})
    people = [pa.table({"id": [f"{letter}{i}" for i in range(40)]}) for letter in "ab"]
    given = {"records": people[0], "against": people[1], "labels": 10, "clusters": False}
    with pytest.raises(mb.AssumptionError, match=r"^matches must match some node, got 0 of 40"):
        mb.audit(matches, **given, threshold=0.9, out=tmp_path / "audit")


def test_clusters_and_pairs_at_once(files, capsys):
    for verb in ("audit", "register", "certify", "draw"):
        assert run(verb, "x", "--clusters", "--pairs") == 2
        assert capsys.readouterr().err == (
            "matchbound: clusters and pairs must not both be given, got both. Say which of them "
            "you deploy.\n"
        )


def test_one_node_is_one_node(tmp_path):
    draw = mb.draw(pa.table({"id": ["a", "b"]}), labels=1, seed="s")
    assert str(draw) == "1 node to label out of 2."
    draw = mb.draw(pa.table({"id": [f"a{i}" for i in range(9)]}), labels=8, train=8, seed="s")
    assert str(draw) == (
        f"{len(draw.sample)} nodes to label out of 9: 8 to validate on, 8 to train on, "
        f"{16 - len(draw.sample)} of them in both."
    )


def test_an_index_without_a_name():
    frame = pd.DataFrame({"name": ["x", "y"]}, index=["a", "b"])
    with pytest.raises(mb.InputError) as error:
        mb.draw(frame, labels=1)
    assert str(error.value).endswith(
        """Name the right one with --id. A pandas index needs a name: frame.rename_axis("id")."""
    )
    assert mb.draw(frame.rename_axis("id"), labels=1).size == 2


def test_one_file_twice(files, capsys):
    words = [*WORDS[:5], "./left one.parquet", *WORDS[6:]]
    assert run(*words) == 2
    assert "against must be another table than records, got the same. " in capsys.readouterr().err


def test_a_verdict_that_is_not_read(tmp_path):
    rows = [[*pair, i % 2] for i, pair in enumerate(LINKS)]
    sentence = refusal(tmp_path, table(["x", "y", "ok"], rows), A, B)
    assert sentence.startswith("matches must not have a column that is not read and may say which")


def test_the_matcher_goes_on_record_before_the_seed(tmp_path):
    understood(tmp_path, table(["x", "y"], LINKS), A, B)
    lines = (tmp_path / "audit" / "ledger.jsonl").read_text().splitlines()
    assert [json.loads(line)["kind"] for line in lines] == ["register", "choices", "draw"]
