"""Withhold and gap as one call: the first run sees D's labels and no others."""

import sys

import pytest

import matchbound as mb
from matchbound.matchers.program import command, network
from support.audits import contents, make_audit, read_csv, run, write_csv
from support.made_records import people
from support.networks import erdos_renyi, made


def first_of(known):
    """A matcher that repeats its labels, and guesses y = x elsewhere."""
    told = dict(known)
    return [
        (f"a{i}", told.get(f"a{i}", f"b{i}"))
        for i in range(400)
        if told.get(f"a{i}", True) is not None
    ]


def test_the_holdout_run_gets_d_s_labels_and_no_others(tmp_path):
    audit = make_audit(tmp_path)
    draw = mb.Draw.load(audit)
    truth = {x: y or None for x, y in read_csv(audit / "labels.csv")}
    seen = []

    def matcher(known):
        seen.append(list(known))
        return first_of(known)

    certificate = mb.withhold(matcher, audit)
    trained = [x for _, x in sorted((t, x) for x, t, _ in draw.sample if t is not None)]
    assert seen[0] == [(x, truth[x]) for x in trained]
    assert sorted(seen[1], key=str) == sorted(truth.items(), key=str)
    assert len(seen) == 2
    assert {g.algorithm for g in certificate.guarantees} == {"complete"}
    by_hand = mb.certify(
        draw,
        holdout=as_table(first_of(seen[0])),
        complete=as_table(first_of(seen[1])),
        labels=audit / "labels.csv",
    )
    assert by_hand.guarantees == certificate.guarantees
    assert mb.verify(certificate).holds


def as_table(pairs):
    import pyarrow as pa

    return pa.table({"x": [x for x, _ in pairs], "y": [y for _, y in pairs]})


def test_a_draw_and_labels_in_memory(tmp_path):
    audit = make_audit(tmp_path)
    draw, labels = mb.Draw.load(audit), audit / "labels.csv"
    folder = mb.withhold(first_of, audit)
    memory = mb.withhold(first_of, draw, labels)
    assert memory.guarantees == folder.guarantees
    with pytest.raises(mb.InputError, match=r"^labels must be given with a Draw, got None"):
        mb.withhold(first_of, draw)


def test_what_was_found_is_not_written_over_what_was_read(tmp_path, capsys):
    audit = make_audit(tmp_path)
    labels = (audit / "labels.csv").rename(audit / "complete.csv")
    edges = write_csv(audit / "holdout.csv", ["src", "dst"], [("a", "b")])
    before = contents(tmp_path)
    with pytest.raises(mb.InputError, match="out must not be an input"):
        mb.withhold(first_of, audit, labels, force=True)
    assert run("withhold", audit, "--left", edges, "--right", edges, "--force") == 2
    assert "out must not be an input" in capsys.readouterr().err
    assert contents(tmp_path) == before


PROGRAM = """
import csv, sys
rows = list(csv.reader(open(sys.argv[1], newline="")))
assert rows[0] == ["x", "y"], rows[0]
told = dict(rows[1:])
with open(sys.argv[2], "w", newline="") as file:
    out = csv.writer(file)
    out.writerow(["x", "y"])
    for i in range(400):
        y = told.get(f"a{i}", f"b{i}")
        if y:
            out.writerow([f"a{i}", y])
"""


def test_a_program_in_any_language(tmp_path, capsys):
    audit = make_audit(tmp_path)
    (tmp_path / "match.py").write_text(PROGRAM)
    text = f"{sys.executable} {tmp_path / 'match.py'} {{labels}} {{out}}"
    assert run("withhold", audit, "--command", text) == 0
    assert "precision  of the complete matcher ≥ " in capsys.readouterr().out
    certificate = mb.Certificate.load(audit / "certificate.json")
    expected = mb.withhold(first_of, audit, force=True)
    assert certificate.guarantees == expected.guarantees
    assert mb.withhold(command(text), mb.Draw.load(audit), audit / "labels.csv").guarantees == (
        expected.guarantees
    )
    assert run("withhold", audit, "--command", text) == 2
    assert "out must not exist yet" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ([], "command must be given, or left and right, got neither. "),
        (["--matcher", "x"], "matcher must be match, got 'x'. "),
        (["--matcher", "match", "--command", "cat"], "command must be left out with matcher match"),
        (["--matcher", "match"], "right must be given, because this folder does not know which "),
        (["--one-to-one"], "one_to_one must come with matcher match, got True alone. "),
        (["--command", "python 'm.py {labels} {out}"], "command must be words as in a shell, got "),
        (
            ["--command", "cat {labels} {out}", "--method", "witness"],
            "method must be left out with command, got 'witness'. ",
        ),
        (
            ["--command", "cat {labels} {out}", "--candidates", "names.csv"],
            "candidates must be left out with command, got 'names.csv'. ",
        ),
        (["--command", "cat"], "command must have {labels} and {out} in it, got 'cat'. "),
        (["--command", "no-such-program {labels} {out}"], "command must be a program that runs, "),
        (["--command", "false {labels} {out}"], "the command ended with status 1: it said nothing"),
        (["--command", "true {labels} {out}"], "command must write a CSV to {out}, got none from "),
    ],
)
def test_matchers_that_are_refused(tmp_path, capsys, options, message):
    audit = make_audit(tmp_path)
    before = contents(audit)
    capsys.readouterr()
    assert run("withhold", audit, *options) == 2
    assert capsys.readouterr().err.startswith(f"matchbound: {message}")
    assert contents(audit) == before


def test_networks(tmp_path, capsys):
    """Labels are the seeds; the command and Python agree."""
    pair = made(erdos_renyi, 2000, seed=1, degree=12)
    left, right = tmp_path / "left.csv", tmp_path / "right.csv"
    for place, edges in ((left, pair.left), (right, pair.right)):
        write_csv(place, ["src", "dst"], edges.tolist())
    truth = {str(x): str(y) for x, y in pair.truth.tolist()}
    nodes = sorted({x for edge in read_csv(left) for x in edge})
    write_csv(tmp_path / "nodes.csv", ["id"], [[x] for x in nodes])
    draw = ["draw", tmp_path / "nodes.csv", "--labels", 300, "--train", 200, "--one-to-one"]
    assert run(*draw, "--link", "--seed", "s", "--out", tmp_path / "audit") == 0
    audit = tmp_path / "audit"
    sample = mb.Draw.load(audit).sample
    write_csv(audit / "labels.csv", ["x", "y"], [[x, truth.get(x, "")] for x, _, _ in sample])
    assert run("withhold", audit, "--left", left, "--right", right, "--threshold", 3) == 0
    certificate = mb.Certificate.load(audit / "certificate.json")
    again = mb.withhold(network(left, right, threshold=3), audit, threshold=0, force=True)
    assert again.guarantees == certificate.guarantees
    found = dict(read[:2] for read in read_csv(audit / "complete.csv"))
    right_ones = sum(truth.get(x) == y for x, y in found.items())
    assert certificate.value("precision") <= right_ones / len(found)
    assert certificate.value("precision") > 0.8
    soft = ["--method", "soft", "--threshold", 0.5, "--force"]
    assert run("withhold", audit, "--left", left, "--right", right, *soft) == 0
    certificate = mb.Certificate.load(audit / "certificate.json")
    assert certificate.value("precision") > 0.8
    again = mb.withhold(network(left, right, method="soft"), audit, threshold=0.5, force=True)
    assert again.guarantees == certificate.guarantees
    names = write_csv(tmp_path / "names.csv", ["x", "y", "score"], alike(pair.truth.tolist()))
    with_names = ["--left", left, "--right", right, "--candidates", names, *soft]
    assert run("withhold", audit, *with_names) == 0
    certificate = mb.Certificate.load(audit / "certificate.json")
    assert {tuple(row[:2]) for row in read_csv(audit / "complete.csv")} <= {
        tuple(row[:2]) for row in read_csv(names)
    }
    matcher = network(left, right, method="soft", candidates=names)
    again = mb.withhold(matcher, audit, threshold=0.5, force=True)
    assert again.guarantees == certificate.guarantees


def alike(truth):
    """Each node's true match, and the next node's, as candidates."""
    return [(x, y, 0.5) for k in (0, 1) for (x, _), (_, y) in zip(truth, truth[k:], strict=False)]


def test_no_folder_is_made_for_an_audit_that_is_none(tmp_path):
    command = ["--command", "cat {labels} {out}"]
    assert run("withhold", tmp_path / "nowhere", *command) == 2
    assert not (tmp_path / "nowhere").exists()


@pytest.mark.parametrize("found", [None, {"x": 1}, [("a1", "b1", 0.5)], 7])
def test_what_a_matcher_must_return(tmp_path, found):
    audit = make_audit(tmp_path)
    before = contents(audit)
    for place in ([audit], [mb.Draw.load(audit), audit / "labels.csv"]):
        with pytest.raises(mb.InputError, match=r"^matcher must return a table or a list of pairs"):
            mb.withhold(lambda known: found, *place)
    assert contents(audit) == before


def test_pairs_of_any_kind(tmp_path):
    audit = make_audit(tmp_path)
    expected = mb.withhold(first_of, audit).guarantees
    for kind in (tuple, set, iter):
        again = mb.withhold(lambda known, kind=kind: kind(first_of(known)), audit, force=True)
        assert again.guarantees == expected


def test_unlabelled_nodes_are_refused_before_the_matcher_is_run(tmp_path):
    audit = make_audit(tmp_path)
    rows = read_csv(audit / "labels.csv")
    write_csv(audit / "labels.csv", ["x", "y"], rows[:-1])
    ran = []
    with pytest.raises(mb.InputError, match=r"^labels must cover every sampled node; 1 of "):
        mb.withhold(lambda known: ran.append(known), audit)
    assert not ran


def test_what_certify_refuses_leaves_nothing_behind(tmp_path):
    audit = make_audit(tmp_path)
    before = contents(audit)
    with pytest.raises(mb.InputError, match=r"^holdout and complete must match nodes of the pop"):
        mb.withhold(lambda known: [("stranger", "b1")], audit)
    assert contents(audit) == before


def test_ids_that_look_like_nothing(tmp_path):
    """NA and 007 are ids, from a program too."""
    people = [f"00{i}" for i in range(50)] + ["NA", "null", "nan"]
    write_csv(tmp_path / "people.csv", ["id"], [[x] for x in people])
    draw = mb.draw(tmp_path / "people.csv", labels=30, train=20, seed="s", one_to_one=True)
    draw.save(tmp_path / "audit")
    nodes = [x for x, _, _ in draw.sample]
    write_csv(tmp_path / "audit/labels.csv", ["x", "y"], [[x, f"y{x}"] for x in nodes])
    lines = "".join(f"{x},y{x}\\n" for x in people)
    program = f"import sys; open(sys.argv[2], 'w').write('x,y\\n{lines}')".replace("\\\\", "\\")
    (tmp_path / "m.py").write_text(program)
    matcher = command(f"{sys.executable} {tmp_path / 'm.py'} {{labels}} {{out}}")
    folder = mb.withhold(matcher, tmp_path / "audit")
    memory = mb.withhold(matcher, draw, tmp_path / "audit/labels.csv")
    assert folder.guarantees == memory.guarantees
    assert folder.value("precision") > 0.9


@pytest.fixture
def record_audit(tmp_path, monkeypatch):
    """An audit of made-up people with all labels, and the table they are matched with."""
    monkeypatch.setattr("matchbound.matchers.records.classifier.TREES", 40)
    left, right, truth = people(200)
    for name, table in (("left", left), ("right", right)):
        rows = [list(row.values()) for row in table.to_pylist()]
        write_csv(tmp_path / f"{name}.csv", table.column_names, rows)
    words = ["--link", "--one-to-one", "--labels", 80, "--train", 60, "--out", tmp_path / "audit"]
    assert run("draw", tmp_path / "left.csv", *words) == 0
    drawn = {row[0] for row in read_csv(tmp_path / "audit" / "sample.csv")}
    rows = [row for row in truth if row[0] in drawn]
    write_csv(tmp_path / "audit" / "labels.csv", ["x", "y"], rows)
    return tmp_path / "audit", tmp_path / "right.csv"


def test_match_learns_from_d_alone_then_from_all(record_audit, capsys):
    audit, right = record_audit
    words = ["--matcher", "match", "--right", right, "--one-to-one"]
    assert run("withhold", audit, *words) == 0
    assert "precision  of the complete matcher ≥ 0.9" in capsys.readouterr().out
    left = audit.parent / "left.csv"
    for role, name in (("train", "holdout.csv"), ("all", "complete.csv")):
        matches = mb.match(left, right, labels=mb.labels(audit, role), one_to_one=True)
        rows = [(x, y, float(score)) for x, y, score in read_csv(audit / name)]
        assert rows == list(matches)
    assert run("verify", audit) == 0


def test_match_s_holdout_does_not_depend_on_validation_labels(record_audit):
    """Whatever the other labels are: here every second one is said to have no match."""
    audit, right = record_audit
    words = ["withhold", audit, "--matcher", "match", "--right", right, "--force"]
    assert run(*words) == 0
    holdout, complete = (read_csv(audit / f"{name}.csv") for name in ("holdout", "complete"))
    trained = {x for x, _ in mb.labels(audit, "train")}
    rows = enumerate(read_csv(audit / "labels.csv"))
    lies = [(x, y if x in trained or i % 2 else "") for i, (x, y) in rows]
    write_csv(audit / "labels.csv", ["x", "y"], lies)
    assert run(*words) == 0
    assert read_csv(audit / "holdout.csv") == holdout
    assert read_csv(audit / "complete.csv") != complete


def test_options_of_match_reach_it(record_audit):
    audit, right = record_audit
    left = audit.parent / "left.csv"
    pairs = mb.match(left, right, labels=mb.labels(audit, "all"), all_scores=True).pairs()[::2]
    pairs = write_csv(audit.parent / "pairs.csv", ["x", "y"], pairs)
    rows = read_csv(right)
    header = right.read_text().splitlines()[0].split(",")
    write_csv(right, ["no", *header[1:]], rows)
    words = ["--matcher", "match", "--right", right, "--right-id", "no", "--candidates", pairs]
    assert run("withhold", audit, *words, "--columns", header[1]) == 0
    labels, options = mb.labels(audit, "train"), {"columns": [header[1]], "candidates": pairs}
    matches = mb.match(left, right, labels=labels, right_id="no", **options)
    found = [(x, y, float(score)) for x, y, score in read_csv(audit / "holdout.csv")]
    assert found == list(matches)


def test_a_population_that_was_moved_is_found_where_the_user_says(record_audit, capsys):
    audit, right = record_audit
    moved = (audit.parent / "left.csv").rename(audit.parent / "moved.csv")
    words = ["withhold", audit, "--matcher", "match", "--right", right]
    assert run(*words) == 2
    assert "Say where it is now with --population." in capsys.readouterr().err
    assert run(*words, "--population", moved) == 0
    matches = mb.match(moved, right, labels=mb.labels(audit, "train"))
    assert [(x, y) for x, y, _ in read_csv(audit / "holdout.csv")] == matches.pairs()


def test_labels_whose_columns_are_called_otherwise_are_refused(record_audit, capsys):
    audit, right = record_audit
    write_csv(audit / "labels.csv", ["left", "right"], read_csv(audit / "labels.csv"))
    assert run("withhold", audit, "--matcher", "match", "--right", right) == 2
    assert capsys.readouterr().err == (
        "matchbound: labels must have columns x and y, got 'left', 'right'. "
        "Rename the columns that hold the ids, and drop those of other ids.\n"
    )


@pytest.mark.parametrize("options", [[], ["--one-to-one"]])
def test_the_holdout_of_one_table_does_not_depend_on_validation_labels(
    options, tmp_path, monkeypatch
):
    """Those of records that D's labels do not name are changed to no match."""
    monkeypatch.setattr("matchbound.matchers.records.classifier.TREES", 40)
    left, right, truth = people(200)
    rows = [list(row.values()) for table in (left, right) for row in table.to_pylist()]
    records, audit = write_csv(tmp_path / "all.csv", left.column_names, rows), tmp_path / "audit"
    words = ["--dedupe", "--labels", 80, "--train", 60, "--out", audit]
    assert run("draw", records, *words) == 0
    trained = {row[0] for row in read_csv(audit / "train.csv")}
    both = [pair for x, y in truth for pair in ((x, y), (y, x))]
    drawn = {row[0] for row in read_csv(audit / "sample.csv")}
    partner = dict(both)
    labels = [(x, partner.get(x, "")) for x in sorted(drawn)]
    named = trained | {partner.get(x) for x in trained}
    lies = [(x, y if x in named else "") for x, y in labels]
    outputs = []
    for told in (labels, lies):
        write_csv(audit / "labels.csv", ["x", "y"], told)
        assert run("withhold", audit, "--matcher", "match", "--force", *options) == 0
        outputs.append([read_csv(audit / f"{name}.csv") for name in ("holdout", "complete")])
    (holdout, complete), (again, changed) = outputs
    assert again == holdout
    assert changed != complete
