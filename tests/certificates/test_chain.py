"""Draw, certify, verify: what works, and bad luck, in the words a user sees."""

import json
import shutil

import duckdb
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet
import pytest

import matchbound as mb
from matchbound.audits.draw import Draw
from matchbound.audits.order import hash_of, key_of
from matchbound.theorems import METRICS
from support.audits import certify, contents, make_audit, make_inputs, read_csv, run, write_csv


@pytest.fixture
def audit(tmp_path):
    return make_audit(tmp_path)


def refusal(capsys, status):
    assert status == 2
    error = capsys.readouterr().err
    assert error.startswith("matchbound: ")
    return error.removeprefix("matchbound: ").rstrip("\n")


# The draw


def test_draw_is_a_keyed_hash_that_nests(tmp_path):
    make_inputs(tmp_path)
    people = [row[0] for row in read_csv(tmp_path / "people.csv")]
    small = mb.draw(tmp_path / "people.csv", labels=20, train=10, seed="s")
    large = mb.draw(tmp_path / "people.csv", labels=90, train=50, seed="s")

    def order(draw, place):
        return [
            row[0] for row in sorted((r for r in draw.sample if r[place]), key=lambda r: r[place])
        ]

    for place, label, count in ((1, "train", 10), (2, "validation", 20)):
        key = key_of(label, "s")
        assert order(small, place) == sorted(people, key=lambda x: hash_of(key, x))[:count]
        assert order(large, place)[:count] == order(small, place)
    assert order(large, 1)[:10] != order(large, 2)[:10]
    assert len({row[0] for row in large.sample}) == len(large.sample) < 140


def test_draw_makes_a_fresh_seed_and_keeps_it(tmp_path):
    make_inputs(tmp_path)
    seeds = set()
    for name in ("one", "two"):
        assert run("draw", tmp_path / "people.csv", "--labels", 5, "--out", tmp_path / name) == 0
        seeds.add(json.loads((tmp_path / name / "draw.json").read_text())["seed"])
    assert len(seeds) == 2


def test_draw_keeps_the_choices(tmp_path):
    audit = make_audit(
        tmp_path, "--delta", 0.1, "--metric", "recall", "--metric", "error-rate",
        "--theorem", "paper", "--bound", "hoeffding", "--one-to-one", "--guess", "recall=0.9",
    )  # fmt: skip
    choices = Draw.load(audit).choices
    assert choices == mb.Choices(
        0.1, ("recall", "error-rate"), "paper", "hoeffding", True, guesses={"recall": 0.9}
    )
    assert certify(audit) == 0
    found = json.loads((audit / "certificate.json").read_text())
    assert [g["metric"] for g in found["guarantees"]] == ["recall", "error-rate"]
    assert {g["bound"] for g in found["guarantees"]} == {"hoeffding"}


def test_sample_lists_the_places(audit):
    rows = read_csv(audit / "sample.csv")
    assert sorted(int(v) for _, _, v in rows if v) == list(range(1, 121))
    assert sorted(int(t) for _, t, _ in rows if t) == list(range(1, 61))


# The certificate


def test_certificate_holds_what_is_promised(audit, capsys):
    assert certify(audit, "--json") == 0
    printed = json.loads(capsys.readouterr().out)
    written = json.loads((audit / "certificate.json").read_text())
    assert printed == written
    for guarantee, metric in zip(written["guarantees"], ("precision", "recall"), strict=True):
        assert guarantee["metric"] == metric
        assert guarantee["algorithm"] == "complete"
        assert guarantee["side"] == "lower"
        assert 0.7 < guarantee["value"] < guarantee["estimate"] < 1
        assert guarantee["theorem"] == "sharp"
    drawn = len(Draw.load(audit).sample)
    assert len(written["tallies"]["all"]["validation"]) == 120
    assert sum(cell[3] for cell in written["tallies"]["all"]["gap"]) == 400 - drawn
    assert {"population", "draw", "labels", "holdout", "complete"} == written["inputs"].keys()
    assert '"a1"' not in (audit / "certificate.json").read_text()  # no ids


def test_certificate_loads_and_prints(audit, capsys):
    assert certify(audit) == 0
    certificate = mb.Certificate.load(audit / "certificate.json")
    assert str(certificate) in capsys.readouterr().out
    assert str(certificate).startswith("With probability at least 95%, all together:\n  precision")
    precision = certificate.value("precision")
    assert certificate.meets("precision", precision)
    assert not certificate.meets("precision", precision + 0.001)


def test_printed_bounds_are_rounded_down(audit, capsys):
    certify(audit)
    value = mb.Certificate.load(audit / "certificate.json").value("precision")
    shown = float(capsys.readouterr().out.split("precision  of the complete matcher ≥ ")[1][:6])
    assert value - 1e-4 < shown <= value


def test_without_a_complete_matcher_the_holdout_is_certified(audit):
    assert run("certify", audit, "--holdout", audit.parent / "holdout.csv") == 0
    found = json.loads((audit / "certificate.json").read_text())
    assert {g["algorithm"] for g in found["guarantees"]} == {"holdout"}


def test_require_decides_the_exit_status(audit, capsys):
    assert certify(audit, "--require", "precision=0.5", "--require", "recall=0.5") == 0
    assert certify(audit, "--require", "precision=0.99", "--force") == 1
    assert (audit / "certificate.json").exists()
    assert "Required precision 0.99: not certified." in capsys.readouterr().err


def test_unlabelled_nodes_may_count_as_the_worst_case(audit, capsys):
    assert certify(audit) == 0
    full = mb.Certificate.load(audit / "certificate.json")
    rows = read_csv(audit / "labels.csv")
    write_csv(audit / "labels.csv", ["x", "y"], rows[5:])
    assert certify(audit, "--unlabelled", "worst", "--force") == 0
    worst = mb.Certificate.load(audit / "certificate.json")
    assert all(a.value < b.value for a, b in zip(worst.guarantees, full.guarantees, strict=True))
    lost = {x for x, _ in rows[:5]}
    assert f"{len(lost)} drawn nodes have no label and count as the worst case." in str(worst)
    assert run("verify", audit) == 0


def test_few_true_matches_bring_advice(tmp_path, capsys):
    audit = make_audit(tmp_path, labels=30, train=0)
    assert certify(audit) == 0
    matched = sum(bool(y) for _, y in read_csv(audit / "labels.csv"))
    assert matched < 30
    assert f"Only {matched} validation nodes have a true match" in capsys.readouterr().out


def test_training_labels_are_d_s_alone(audit):
    train = mb.labels(audit, role="train")
    rows = read_csv(audit / "sample.csv")
    by_place = [x for x, t, _ in sorted((r for r in rows if r[1]), key=lambda r: int(r[1]))]
    assert [x for x, _ in train] == by_place
    assert len(mb.labels(audit, role="validation")) == 120
    assert len(mb.labels(audit, role="all")) == len(rows)
    with pytest.raises(mb.InputError, match=r"^role must be one of train, validation, all"):
        mb.labels(audit, role="test")


# Tables of every kind


def load_frames(folder):
    return {
        name: pd.read_csv(folder / f"{name}.csv", dtype=str, keep_default_na=False)
        for name in ("people", "holdout", "complete", "audit/labels")
    }


@pytest.mark.parametrize(
    "convert",
    [
        lambda frame: frame,
        pl.from_pandas,
        pa.Table.from_pandas,
        lambda frame: duckdb.sql("select * from frame"),
    ],
    ids=["pandas", "polars", "arrow", "duckdb"],
)
def test_tables_in_memory(audit, convert):
    frames = {name: convert(frame) for name, frame in load_frames(audit.parent).items()}
    draw = mb.draw(frames["people"], labels=120, train=60, seed="s")
    assert draw.sample == Draw.load(audit).sample
    certificate = mb.certify(
        draw,
        population=frames["people"],
        holdout=frames["holdout"],
        complete=frames["complete"],
        labels=frames["audit/labels"],
    )
    certify(audit)
    assert certificate.guarantees == mb.Certificate.load(audit / "certificate.json").guarantees


def test_parquet_with_whole_numbers_and_csv_labels(tmp_path):
    """Ids are compared as text: 7 in Parquet is 7 in a CSV file."""
    truth = make_inputs(tmp_path)
    for name in ("people", "holdout", "complete"):
        frame = pd.read_csv(tmp_path / f"{name}.csv").apply(lambda c: c.str[1:].astype(int))
        frame.to_parquet(tmp_path / f"{name}.parquet")
    audit = tmp_path / "audit"
    draw = ["draw", tmp_path / "people.parquet", "--labels", 60, "--link", "--out", audit]
    assert run(*draw) == 0
    nodes = [row[0] for row in read_csv(audit / "sample.csv")]
    write_csv(audit / "labels.csv", ["x", "y"], [[x, truth.get(f"a{x}", "")[1:]] for x in nodes])
    assert run("certify", audit, "--holdout", tmp_path / "holdout.parquet") == 0


def test_a_spreadsheet_s_csv(audit):
    """BOM, semicolons, CRLF, quotes, a column more."""
    rows = read_csv(audit / "labels.csv")
    text = "\ufeffX;Note;Y\r\n" + "".join(f'"{x}";"a;b";{y}\r\n' for x, y in rows)
    (audit / "labels.csv").write_bytes(text.encode())
    assert certify(audit) == 0


def test_csv_ids_are_text(tmp_path):
    ids = ["007", "7", "NA", "null", "1e3", "a b", "ü"] + [f"n{i}" for i in range(30)]
    write_csv(tmp_path / "people.csv", ["id"], [[x] for x in ids])
    draw = mb.draw(tmp_path / "people.csv", labels=len(ids))
    assert sorted(x for x, _, _ in draw.sample) == sorted(ids)


def test_threshold_makes_matches_of_scores(audit):
    folder = audit.parent
    rows = read_csv(folder / "holdout.csv")
    scored = [[*row, "0.9" if i % 10 else "0.2"] for i, row in enumerate(rows)]
    write_csv(folder / "scored.csv", ["x", "y", "score"], scored)
    assert run("certify", audit, "--holdout", folder / "scored.csv", "--threshold", 0.5) == 0
    found = json.loads((audit / "certificate.json").read_text())
    assert found["inputs"]["holdout"]["rows"] == len(rows) - len(range(0, len(rows), 10))


# Labels without a draw


def bring(folder, *options):
    shutil.copy(folder / "audit/labels.csv", folder / "had.csv")
    return run(
        "certify", "--population", folder / "people.csv", "--labels", folder / "had.csv",
        "--holdout", folder / "holdout.csv", "--out", folder / "brought.json", *options,
    )  # fmt: skip


@pytest.mark.parametrize("theorem", ["sharp", "paper"])
def test_labels_that_a_person_brings(audit, theorem, capsys):
    folder = audit.parent
    trained = [[x] for x, t, _ in read_csv(audit / "sample.csv") if t]
    write_csv(folder / "trained.csv", ["id"], trained)
    options = ["--assume-uniform", "--theorem", theorem, "--trained-on", folder / "trained.csv"]
    assert bring(folder, *options, "--complete", folder / "complete.csv") == 0
    assert "Not checked: the labelled nodes are a uniform random sample" in capsys.readouterr().out
    found = json.loads((folder / "brought.json").read_text())
    labelled = len(read_csv(audit / "labels.csv"))
    assert len(found["tallies"]["all"]["train"]) == 60
    assert len(found["tallies"]["all"]["validation"]) == labelled - 60
    assert found["tallies"]["all"]["overlap"] == []
    assert run("verify", folder / "brought.json") == 0
    assert "its tallies, from its inputs" in capsys.readouterr().out


def test_brought_labels_must_be_called_uniform(audit, capsys):
    assert refusal(capsys, bring(audit.parent)) == (
        "audit must be given, or else population, labels and assume_uniform, got neither. "
        "Give the folder of a draw, or say that your labels are a uniform sample."
    )


def test_trained_on_must_be_labelled(audit, capsys):
    folder = audit.parent
    drawn = {row[0] for row in read_csv(audit / "sample.csv")}
    other = next(row[0] for row in read_csv(folder / "people.csv") if row[0] not in drawn)
    write_csv(folder / "trained.csv", ["id"], [[other]])
    status = bring(folder, "--assume-uniform", "--trained-on", folder / "trained.csv")
    assert refusal(capsys, status) == (
        f"trained_on must hold labelled nodes, got {other!r} without a label. "
        "Give all labels, those trained on included."
    )


# Bad luck: one clear sentence, exit 2, no file changed.


def spoil_labels(audit, change):
    rows = read_csv(audit / "labels.csv")
    write_csv(audit / "labels.csv", ["x", "y"], change(rows))


def add_score_twice(audit):
    rows = read_csv(audit.parent / "holdout.csv")
    scored = [[*row, 0.9] for row in rows] + [[*rows[0], 0.1]]
    write_csv(audit.parent / "holdout.csv", ["x", "y", "score"], scored)
    return ["--threshold", "0.5"]


def one_to_one_broken(audit):
    labels = (audit / "labels.csv").rename(audit.parent / "labels.csv")
    people = audit.parent / "people.csv"
    draw = mb.draw(people, labels=120, train=60, seed="s", one_to_one=True)
    draw.save(audit, force=True)
    labels.rename(audit / "labels.csv")
    spoil_labels(audit, lambda rows: [*rows, [rows[0][0], "b999"]])


def population_changed(audit):
    rows = read_csv(audit.parent / "people.csv")
    write_csv(audit.parent / "people.csv", ["id"], [*rows, ["new"]])


def rewrite_holdout(header, rows):
    return lambda audit: write_csv(audit.parent / "holdout.csv", header, rows) and None


def holdout_bytes(data):
    return lambda audit: (audit.parent / "holdout.csv").write_bytes(data) and None


BAD_LUCK = {
    "a label for a node that was not drawn": (
        lambda a: spoil_labels(a, lambda rows: [*rows, ["zz", "b1"]]),
        "labels must be of drawn nodes; 1 were not drawn (first: 'zz'). "
        "Remove their labels: only a random sample can be counted on.",
    ),
    "a drawn node without a label": (
        lambda a: spoil_labels(a, lambda rows: rows[1:]),
        "labels must cover every sampled node; 1 of {drawn} have none (first: '{first}'). "
        "Label them, or record 'no match'.",
    ),
    "a label and no match": (
        lambda a: spoil_labels(a, lambda rows: [*rows, [rows[0][0], "" if rows[0][1] else "b1"]]),
        "labels must not give a node a match and 'no match'; 1 have both (first: '{first}'). "
        "Keep one of them.",
    ),
    "a label twice": (
        lambda a: spoil_labels(a, lambda rows: [*rows, rows[0]]),
        "labels must hold each pair once; 1 nodes have one twice (first: '{first}'). "
        "Remove the repeats.",
    ),
    "a label without a node": (
        lambda a: spoil_labels(a, lambda rows: [*rows, ["", "b1"]]),
        "labels must have an id in every row, got 1 empty in column 'x'. "
        "Fill or remove these rows.",
    ),
    "the same pair with two scores": (
        add_score_twice,
        "holdout must hold each pair once, got ('{pair[0]}', '{pair[1]}') 2 times. "
        "Remove the repeats.",
    ),
    "two true matches under one-to-one": (
        one_to_one_broken,
        "labels must have at most one true match a node, as one-to-one promises; "
        "1 have several (first: '{first}'). Correct them, or draw without the promise.",
    ),
    "the population has changed": (
        population_changed,
        "population must be what was drawn from, got '{folder}/people.csv', which has changed "
        "since. Restore it; if records came or went, certify with the population as it is now as "
        "--population; or draw again.",
    ),
    "an unknown id": (
        rewrite_holdout(["x", "y"], [["nobody", "b1"]]),
        "holdout and complete must match nodes of the population, got x = 'nobody', "
        "which is not in it. Give the population that was matched.",
    ),
    "a null id": (
        rewrite_holdout(["x", "y"], [["a1", ""]]),
        "holdout must have an id in every row, got 1 empty in column 'y'. "
        "Fill or remove these rows.",
    ),
    "a missing column": (
        rewrite_holdout(["x", "z"], [["a1", "b1"]]),
        "holdout must have columns x and y, or those of a tool that matchbound knows, got 'x', "
        "'z'. Name the columns: --columns x=…,y=… or --columns id=…,cluster=….",
    ),
    "an ambiguous column": (
        rewrite_holdout(["x", "y", "Y"], [["a1", "b1", "b2"]]),
        "holdout must name each column once, got 'y' 2 times. Rename or drop the others.",
    ),
    "a score without a threshold": (
        rewrite_holdout(["x", "y", "score"], [["a1", "b1", 0.25], ["a2", "b2", 0.75]]),
        "threshold must be given, because holdout has scores from 0.25 to 0.75. "
        "Say from which score on a pair is a match.",
    ),
    "a score that is no number": (
        lambda a: (
            rewrite_holdout(["x", "y", "score"], [["a1", "b1", "high"]])(a)
            or ["--threshold", "0.5"]
        ),
        "holdout must have a number in every 'score', got 1 without. "
        "Remove these pairs, or score them (with a point, not a comma).",
    ),
    "a threshold without a score": (
        lambda a: ["--threshold", "0.5"],
        "threshold must be left out where no matcher has a column 'score', got 0.5. "
        "Drop it, or give the scores.",
    ),
    "no match at all": (
        rewrite_holdout(["x", "y"], []),
        "holdout must match some node, got 0 of 400. "
        "Give a matcher that finds something, or a lower threshold.",
    ),
    "no true match": (
        lambda a: spoil_labels(a, lambda rows: [[x, ""] for x, _ in rows]),
        "validation nodes with a true match must be at least 1, got 0 of {fresh}. "
        "Make a fresh draw, of at least {twice} nodes; it costs δ again.",
    ),
    "an empty file": (
        holdout_bytes(b""),
        "holdout must have a header line, got '{folder}/holdout.csv' without. "
        "Name the columns in the first line.",
    ),
    "a file that is no text": (
        holdout_bytes(b"\xff\xfe\x00x"),
        "holdout must be UTF-8 text, got '{folder}/holdout.csv'. Save it as CSV in UTF-8.",
    ),
    "a file that is not there": (
        lambda a: (a.parent / "holdout.csv").unlink(),
        "holdout must be a file, got '{folder}/holdout.csv' (no such file). Check the path.",
    ),
    "what decides which nodes are drawn": (
        lambda a: ["--gap-from", "sample"],
        "gap_from must be census where no gap sample was drawn, got sample. Draw with --gap.",
    ),
    "an edited sample": (
        lambda a: (
            write_csv(a / "sample.csv", ["id", "train", "validation"], [["a1", "", "1"]]) and None
        ),
        "audit must hold draw.json and sample.csv as drawn, got them changed in '{folder}/audit'. "
        "Restore them, or draw again into another folder.",
    ),
    "a requirement on another metric": (
        lambda a: ["--require", "error-rate=0.1"],
        "metric must be one that was certified, got 'error-rate'. Choose among precision, recall.",
    ),
    "a requirement that is no number": (
        lambda a: ["--require", "precision"],
        "require must be a metric and a number from 0 to 1, once each, got 'precision'. "
        "Give for example precision=0.9.",
    ),
    "a requirement twice": (
        lambda a: ["--require", "precision=0.9", "--require", "precision=0.5"],
        "require must be a metric and a number from 0 to 1, once each, got 'precision=0.5'. "
        "Give for example precision=0.9.",
    ),
    "a requirement in percent": (
        lambda a: ["--require", "precision=90"],
        "require must be a metric and a number from 0 to 1, once each, got 'precision=90'. "
        "Give for example precision=0.9.",
    ),
    "a column of ids after the draw": (
        lambda a: ["--id", "name"],
        "id must be left out with an audit folder, got 'name': such things are fixed at the draw. "
        "Drop it, or draw again.",
    ),
    "another matching than was drawn": (
        lambda a: ["--dedupe"],
        "dedupe must be left out with an audit folder, got True: such things are fixed at the "
        "draw. Drop it, or draw again.",
    ),
    "edited choices": (
        lambda a: (
            (a / "draw.json").write_text(
                (a / "draw.json").read_text().replace('"delta": 0.05', '"delta": 0.5')
            )
            and None
        ),
        "audit must hold draw.json and sample.csv as drawn, got them changed in '{folder}/audit'. "
        "Restore them, or draw again into another folder.",
    ),
    "spaces around an id": (
        lambda a: spoil_labels(a, lambda rows: [[x, f"{y} " if y else y] for x, y in rows]),
        "labels must have ids without spaces around them, got '{spaced} ' in column 'y'. "
        "Trim them.",
    ),
    "a threshold that is no number": (
        lambda a: ["--threshold", "nan"],
        "threshold must be a finite number, got nan. Say from which score on a pair is a match.",
    ),
    "the result on top of the labels": (
        lambda a: ["--out", a / "labels.csv", "--force"],
        "out must not be an input, got '{folder}/audit/labels.csv'. Choose another place.",
    ),
    "the result on top of an input": (
        lambda a: ["--out", a.parent / "holdout.csv", "--force"],
        "out must not be an input, got '{folder}/holdout.csv'. Choose another place.",
    ),
    "a memory that is no size": (
        lambda a: ["--memory", "lots"],
        "memory must be a size with its unit, of at least 16MiB, got 'lots'. Give for example 8GB.",
    ),
}


@pytest.mark.parametrize("case", BAD_LUCK)
def test_bad_luck(audit, capsys, case):
    spoil, message = BAD_LUCK[case]
    drawn = read_csv(audit / "sample.csv")
    facts = {
        "folder": audit.parent,
        "first": drawn[0][0],
        "drawn": len(drawn),
        "fresh": sum(bool(v) and not t for _, t, v in drawn),
        "twice": 2 * sum(bool(v) and not t for _, t, v in drawn),
        "spaced": min(y for _, y in read_csv(audit / "labels.csv") if y),
        "pair": read_csv(audit.parent / "holdout.csv")[0],
    }
    options = spoil(audit) or []
    before = contents(audit.parent)
    status = certify(audit, *options)
    assert refusal(capsys, status) == message.format(**facts)
    assert contents(audit.parent) == before


def test_complete_alone_is_refused(audit, capsys):
    status = run("certify", audit, "--complete", audit.parent / "complete.csv")
    assert refusal(capsys, status) == (
        "holdout must be given, got complete alone: labels that may have trained a matcher cannot "
        "test it. Give a matcher developed without the validation labels as holdout; if the "
        "labels trained nothing, that is your matcher itself."
    )


def test_no_certificate_is_written_over_the_ledger_from_python(audit):
    before = contents(audit.parent)
    for out in (audit / "ledger.jsonl", audit.parent / "people.csv"):
        with pytest.raises(mb.InputError, match="out must not be an input"):
            mb.certify(audit, holdout=audit.parent / "holdout.csv", out=out, force=True)
    assert contents(audit.parent) == before


def test_an_existing_certificate_is_not_overwritten(audit, capsys):
    assert certify(audit) == 0
    before = contents(audit)
    assert refusal(capsys, certify(audit)).startswith("out must not exist yet, got ")
    assert contents(audit) == before
    assert certify(audit, "--force") == 0


DRAW_BAD_LUCK = [
    (
        ["--labels", 10, "--delta", 5],
        "delta must be above 0 and below 1, got 5.0. "
        "It is the probability of failure: give 0.05 for 95%.",
    ),
    (
        ["--labels", 401],
        "labels must be a whole number from 1 to the population's size, 400; got 401. "
        "Choose one in that range.",
    ),
    (
        ["--labels", 0],
        "labels must be a whole number from 1 to the population's size, 400; got 0. "
        "Choose one in that range.",
    ),
    (
        ["--labels", 10, "--train", -1],
        "train must be a whole number from 0 to the population's size, 400; got -1. "
        "Choose one in that range.",
    ),
    (
        ["--labels", 10, "--metric", "f1"],
        f"metric must be one of {', '.join(METRICS)}; got 'f1'. Choose one of them.",
    ),
    (
        ["--labels", 10, "--metric", "recall", "--metric", "recall"],
        "metric must be given once each and at least once, got ['recall', 'recall']. "
        f"Choose among {', '.join(METRICS)}.",
    ),
    (
        ["--labels", 10, "--theorem", "best"],
        "theorem must be one of sharp, paper; got 'best'. Choose one of them.",
    ),
    (
        ["--labels", 10, "--bound", "binomial"],
        "bound must be one of auto, hoeffding, serfling, bernstein, hypergeometric, star, "
        "anytime, orderfree; got 'binomial'. Choose one of them.",
    ),
    (
        ["--labels", 10, "--guess", "recall=1"],
        "guess must be above 0 and below 1, got recall=1.0. "
        "Give the value you expect, such as precision=0.95.",
    ),
    (
        ["--labels", 10, "--bound", "hypergeometric"],
        "bound must not be hypergeometric for recall without one-to-one, got it: recall may be a "
        "fraction. Promise one-to-one if it is so, or use auto.",
    ),
    (
        ["--labels", 10, "--id", "name"],
        "id must be a column of population, got 'name'. Choose among 'id'.",
    ),
]


@pytest.mark.parametrize(("options", "message"), DRAW_BAD_LUCK)
def test_draw_bad_luck(tmp_path, capsys, options, message):
    make_inputs(tmp_path)
    before = contents(tmp_path)
    status = run("draw", tmp_path / "people.csv", "--out", tmp_path / "audit", *options)
    assert refusal(capsys, status) == message
    assert contents(tmp_path) == before


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        (
            [["a"], ["b"], ["a"]],
            "population must hold each id once, got 'a' 2 times. Remove the repeats.",
        ),
        ([], "population must hold at least one id, got none. Check the file."),
        (
            [["a", ""], ["", "x"]],
            "population must have an id in every row, got 1 empty in column 'id'. "
            "Fill or remove these rows.",
        ),
    ],
)
def test_population_bad_luck(tmp_path, capsys, rows, message):
    width = max((len(row) for row in rows), default=1)
    write_csv(tmp_path / "people.csv", ["id", "more"][:width], rows)
    status = run("draw", tmp_path / "people.csv", "--labels", 1, "--out", tmp_path / "audit")
    assert refusal(capsys, status) == message


def test_population_with_no_column_of_ids(tmp_path, capsys):
    write_csv(tmp_path / "people.csv", ["name", "city"], [["a", "b"]])
    status = run("draw", tmp_path / "people.csv", "--labels", 1, "--out", tmp_path / "audit")
    assert refusal(capsys, status) == (
        "population must have a column 'id', got 'name', 'city'. Name the right one with --id."
    )


@pytest.mark.parametrize("values", [[1.5, 2.5], [True, False], [None, 1.0]])
def test_ids_of_other_types_are_refused(values):
    with pytest.raises(mb.InputError, match="must have ids that are text or whole numbers"):
        mb.draw(pa.table({"id": values}), labels=1)


@pytest.mark.parametrize("names", [["id", "ID"], ["id", "id"]])
def test_columns_that_differ_by_case_alone_are_refused(tmp_path, names):
    table = pa.table([["a"], ["b"]], names=names)
    with pytest.raises(mb.InputError, match=r"^population must name each column once, got 'id' 2"):
        mb.draw(table, labels=1)
    pa.parquet.write_table(table, tmp_path / "people.parquet")
    with pytest.raises(mb.InputError, match=r"^population must name each column once, got 'id' 2"):
        mb.draw(tmp_path / "people.parquet", labels=1)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("1\n2\n3\n", "population must have a column 'id', got '1'."),
        ("name,x,y\na,1,2\n", "population must have a column 'id', got 'name', 'x', 'y'."),
        ("id\ra\rb\r", "population must have lines that end in LF or CRLF"),
        ("i\0d\0\na\n", "population must be UTF-8 text"),
        ("id\n a\n", "population must have ids without spaces around them, got ' a' in column"),
    ],
)
def test_files_that_look_like_something_else(tmp_path, text, message):
    (tmp_path / "people.csv").write_bytes(text.encode())
    with pytest.raises(mb.InputError) as error:
        mb.draw(tmp_path / "people.csv", labels=1)
    assert str(error.value).startswith(message)


@pytest.mark.parametrize("labels", [5.5, True, "5"])
def test_a_number_of_labels_is_a_whole_number(labels):
    with pytest.raises(mb.InputError, match=r"^labels must be a whole number from 1"):
        mb.draw(pa.table({"id": ["a", "b"]}), labels=labels)


def test_numbers_of_other_libraries_are_kept_as_plain_ones(tmp_path):
    import numpy as np

    draw = mb.draw(
        pa.table({"id": [str(i) for i in range(9)]}), labels=np.int64(5), delta=np.float32(0.25)
    )
    draw.save(tmp_path / "audit")
    assert mb.Draw.load(tmp_path / "audit") == draw


def test_single_precision_scores_meet_their_own_threshold(audit):
    frame = pd.read_csv(audit.parent / "holdout.csv")
    frame["score"] = pd.Series([0.9] * len(frame), dtype="float32")
    certificate = mb.certify(audit, holdout=frame, threshold=0.9)
    assert certificate.inputs.outputs[0].rows == len(frame)


def test_a_draw_does_not_follow_its_labels(audit, capsys):
    folder = audit.parent
    status = run("draw", folder / "people.csv", "--labels", 200, "--out", audit, "--force")
    assert refusal(capsys, status) == (
        f"out must not hold labels yet, got '{audit}': a draw comes before them. "
        "Draw into another folder, or move labels.csv away: a fresh draw costs its δ again."
    )


def test_an_id_may_hold_a_line_break(tmp_path):
    draw = mb.draw(pa.table({"id": ["a\r\nb", "c\rd", "e\nf", 'g"h', "i,j"]}), labels=5)
    draw.save(tmp_path / "audit")
    assert mb.Draw.load(tmp_path / "audit") == draw


def test_the_same_table_in_another_library_is_the_same(audit):
    frames = load_frames(audit.parent)
    draw = mb.draw(frames["people"], labels=20, seed="s")
    again = mb.draw(pl.from_pandas(frames["people"]), labels=20, seed="s")
    assert draw.population.digest == again.population.digest
    filtered = frames["people"][frames["people"].id != "a1"]
    assert mb.draw(filtered, labels=20).population.size == 399


def test_a_population_that_was_moved(audit, capsys):
    folder = audit.parent
    (folder / "people.csv").rename(folder / "persons.csv")
    assert refusal(capsys, certify(audit)) == (
        "population must be where it was drawn from, got 'people.csv' (no such file). "
        "Say where it is now with --population."
    )
    assert certify(audit, "--population", folder / "persons.csv") == 0


def test_a_file_that_may_not_be_read(audit, capsys, monkeypatch):
    def forbidden(*_, **__):
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr("matchbound.tables.formats.content_of_file", forbidden)
    message = refusal(capsys, certify(audit))
    assert message.startswith("holdout must be readable, got ")
    assert "(Permission denied)" in message


def test_folders_named_like_columns_say_nothing(audit):
    """`score=0.9/` is a folder, not a score."""
    folder = audit.parent / "score=0.9"
    folder.mkdir()
    rows = [[*row, 0.1] for row in read_csv(audit.parent / "holdout.csv")]
    write_csv(folder / "holdout.csv", ["x", "y", "score"], rows)
    pd.read_csv(folder / "holdout.csv").to_parquet(folder / "holdout.parquet")
    for name in ("holdout.csv", "holdout.parquet"):
        with pytest.raises(
            mb.AssumptionError, match=r"^holdout must match some node, got 0 of 400"
        ):
            mb.certify(audit, holdout=folder / name, threshold=0.5)


def test_a_promise_is_true_or_false():
    with pytest.raises(mb.InputError, match=r"^one_to_one must be true or false, got 'no'"):
        mb.draw(pa.table({"id": ["a"]}), labels=1, one_to_one="no")


def test_from_inside_the_audit_folder(audit, monkeypatch, capsys):
    monkeypatch.chdir(audit.parent)
    assert run("certify", "audit", "--holdout", "holdout.csv") == 0
    monkeypatch.chdir(audit)
    capsys.readouterr()
    assert run("verify", ".") == 0
    assert "Not at hand" not in capsys.readouterr().out


def test_odd_columns_do_no_harm():
    table = pa.table({"id": ["a", "b"], "raw": [b"\xff", b"\xfe"], "nested": [[1], [2]]})
    assert len(mb.draw(table, labels=2).sample) == 2
    one = mb.draw(pa.table({"id": ["p"], "b": ["q"]}), labels=1)
    two = mb.draw(pa.table({"id": ["p", "b", "q"]}), labels=1)
    assert one.population.digest != two.population.digest


@pytest.mark.parametrize(
    "verb", [["draw", "a" * 400, "--labels", 1, "--out", "o"], ["verify", "a" * 400]]
)
def test_names_that_no_file_can_have(verb, capsys):
    assert run(*verb) == 2


def test_brought_labels_of_nobody(audit, capsys):
    write_csv(audit / "labels.csv", ["x", "y"], [])
    assert refusal(capsys, bring(audit.parent, "--assume-uniform")) == (
        "labels must be of at least one node, got none. Check the file."
    )


def test_high_confidence_is_not_rounded_to_certainty(tmp_path, capsys):
    audit = make_audit(tmp_path, "--delta", "1e-8")
    capsys.readouterr()
    assert certify(audit) == 0
    assert capsys.readouterr().out.startswith("With probability at least 99.999999%, all together")


def test_nobody_reading_is_no_failure(audit, monkeypatch):
    class Closed:
        def write(self, _):
            raise BrokenPipeError

        def flush(self):
            raise BrokenPipeError

    monkeypatch.setattr("sys.stdout", Closed())
    assert certify(audit) == 0


def test_a_folder_where_a_file_should_be(audit, capsys):
    (audit / "certificate.json").mkdir()
    assert refusal(capsys, certify(audit, "--force")).endswith("a folder. Choose another place.")


def test_a_thing_that_is_no_table_is_refused():
    with pytest.raises(mb.InputError) as error:
        mb.draw([1, 2, 3], labels=1)
    assert str(error.value) == (
        "population must be a path or a table (pandas, Polars, Arrow, DuckDB), got list. "
        "Convert it to one of these."
    )


def test_a_file_name_is_not_a_pattern(tmp_path):
    write_csv(tmp_path / "data[1].csv", ["id"], [["right"]])
    write_csv(tmp_path / "data1.csv", ["id"], [["wrong"]])
    assert mb.draw(tmp_path / "data[1].csv", labels=1).sample[0][0] == "right"


def test_a_population_of_one(tmp_path):
    write_csv(tmp_path / "people.csv", ["id"], [["a"]])
    draw = mb.draw(tmp_path / "people.csv", labels=1)
    draw.save(tmp_path / "audit")
    write_csv(tmp_path / "audit/labels.csv", ["x", "y"], [["a", "b"]])
    certificate = mb.certify(tmp_path / "audit", holdout=pa.table({"x": ["a"], "y": ["b"]}))
    assert certificate.value("precision") == pytest.approx(1, abs=2e-6)


def test_memory_is_kept(audit):
    assert certify(audit, "--memory", "200MB") == 0
