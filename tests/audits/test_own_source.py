"""A population whose column `source_dataset` names its one source: nobody has to say it again."""

import json

import pyarrow as pa
import pytest

import matchbound as mb
from matchbound.audits.draw import Draw
from matchbound.errors import InputError
from support.audits import run, run_seeded, write_csv

SIZE = 90
IDS = [str(i) for i in range(SIZE)]  # both tables use the same ids
SPLINK = ["source_dataset_l", "unique_id_l", "source_dataset_r", "unique_id_r", "match_probability"]
NOT_ANOTHER = (
    "source must be 'left', which column 'source_dataset' of population names, got 'right'. Drop "
    "it, or draw from the records of the other source."
)
NOT_OF_SEVERAL = (
    "source must be left out where population has records of several sources ('left', 'right'), "
    "got 'left'. Draw from the records of one source; or with --dedupe, if all of them are matched "
    "with each other."
)

NO_SIDES = (
    "source must say which of 'left', 'right' is the population, as holdout has records of "
    "several, got None. Draw from the records of one source, with --source if no column "
    "'source_dataset' names it."
)


def partner(x):
    """The true match of a node: the record with the same id in the other table."""
    return f"right-__-{x.removeprefix('left-__-')}"


def found(i):
    return str(i if i % 7 else (i + 1) % SIZE)


@pytest.fixture
def folder(tmp_path):
    """Tables as Splink has them: sides in either order, one pair within each source."""
    records = [[x, "left", f"name {x}"] for x in IDS]
    write_csv(tmp_path / "left.csv", ["unique_id", "source_dataset", "name"], records)
    write_csv(tmp_path / "plain.csv", ["unique_id"], [[x] for x in IDS])
    others = [[x, "right", f"name {x}"] for x in IDS]
    write_csv(tmp_path / "right.csv", ["unique_id", "source_dataset", "name"], others)
    write_csv(tmp_path / "both.csv", ["unique_id", "source_dataset", "name"], [*records, *others])
    pairs = []
    for i in range(SIZE - 5):
        sides = ["left", str(i)], ["right", found(i)]
        first, second = sides if i % 2 else sides[::-1]
        pairs.append([*first, *second, 0.9])
    pairs += [["left", "1", "left", "2", 0.9], ["right", "1", "right", "2", 0.9]]
    write_csv(tmp_path / "pairs.csv", SPLINK, pairs)
    clusters = [[x, "left", x] for x in IDS] + [[x, "right", str(int(x) // 2)] for x in IDS]
    write_csv(tmp_path / "clusters.csv", ["unique_id", "source_dataset", "cluster_id"], clusters)
    return tmp_path


def draw(folder, population="left.csv", *options, out="audit"):
    where = ["--out", folder / out]
    return run_seeded("s", "draw", folder / population, "--labels", 40, *where, *options)


def label(audit):
    rows = [[x, partner(x)] for x, _, _ in Draw.load(audit).sample]
    write_csv(audit / "labels.csv", ["x", "y"], rows)


def certified(audit, *options):
    label(audit)
    assert run("certify", audit, *options) == 0
    return json.loads((audit / "certificate.json").read_text())


def recorded(audit):
    return json.loads((audit / "draw.json").read_text())["matching"]["source"]


MATCHES = {"pairs": ("pairs.csv", "--threshold", 0.5), "clusters": ("clusters.csv",)}


@pytest.mark.parametrize(
    ("kind", "said"),
    [
        ("pairs", ()),
        pytest.param("pairs", ("--source", "left"), marks=pytest.mark.slow),
        pytest.param("pairs", ("--clusters",), marks=pytest.mark.slow),
        ("clusters", ("--link",)),
    ],
    ids=str,
)
def test_from_the_draw_to_verify(folder, kind, said):
    """The same numbers as from a table without the column, whose source is said."""
    name, *least = MATCHES[kind]
    holdout = ["--holdout", folder / name, *least]
    assert draw(folder, "left.csv", *holdout, *said) == 0
    assert recorded(folder / "audit") == "left"
    certificate = certified(folder / "audit", *holdout)
    assert run("verify", folder / "audit") == 0
    closed = [option for option in said if option == "--clusters"]
    assert draw(folder, "plain.csv", *holdout, *closed, "--source", "left", out="told") == 0
    told = certified(folder / "told", *holdout)
    assert certificate["tallies"] == told["tallies"]
    assert certificate["guarantees"] == told["guarantees"]


def test_a_matcher_that_comes_after_the_draw(folder):
    """Nothing at the draw had sources but the population; every later verb knows them."""
    audit, holdout = folder / "audit", ["--holdout", folder / "pairs.csv", "--threshold", 0.5]
    assert draw(folder) == 0
    label(audit)
    assert run("register", audit, *holdout) == 0
    patched = folder / "patched.csv"
    assert run("patch", audit, *holdout, "--out", patched) == 0
    records = ["--records", folder / "left.csv", "--against", folder / "right.csv"]
    assert run("errors", audit, *holdout, *records, "--out", folder / "errors.csv") == 0
    certified(audit, *holdout, "--complete", patched)
    assert run("verify", audit) == 0


@pytest.mark.slow
def test_two_phases(folder):
    audit, holdout = folder / "audit", ["--holdout", folder / "pairs.csv", "--threshold", 0.5]
    assert run("draw", folder / "left.csv", "--train", 10, "--out", audit) == 0
    assert recorded(audit) == "left"
    assert draw(folder, "left.csv", *holdout, "--source", "left") == 0
    certified(audit, *holdout)
    assert run("verify", audit) == 0


@pytest.mark.parametrize(
    "kind", ["pairs", pytest.param("clusters", marks=pytest.mark.slow)], ids=str
)
def test_labels_brought_along(folder, kind):
    name, *least = MATCHES[kind]
    holdout = ["--holdout", folder / name, *least]
    nodes = [f"left-__-{x}" for x in IDS[::3]]
    write_csv(folder / "labels.csv", ["x", "y"], [[x, partner(x)] for x in nodes])
    write_csv(folder / "trained.csv", ["unique_id", "source_dataset"], [["0", "left"]])
    out, trained = folder / "certificate.json", ["--trained-on", folder / "trained.csv"]
    brought = ["--labels", folder / "labels.csv", "--population", folder / "left.csv", *trained]
    assert run("certify", *holdout, *brought, "--assume-uniform", "--out", out) == 0
    assert json.loads(out.read_text())["inputs"]["population"]["source"] == "left"
    assert run("verify", out) == 0
    arguments = ["--source", "right", "--assume-uniform", "--out", folder / "other.json"]
    assert run("certify", *holdout, *brought, *arguments) == 2


def test_the_same_source_may_be_said_and_no_other(folder, capsys):
    assert draw(folder, "left.csv", "--source", "left", "--dry-run") == 0
    assert draw(folder, "left.csv", "--source", "right") == 2
    assert capsys.readouterr().err.strip().endswith(NOT_ANOTHER)
    assert not (folder / "audit").exists()


def test_several_sources_in_two_tables(folder, capsys):
    """Which of them is matched cannot be told: at the draw, if the matcher is there."""
    for name, *least in MATCHES.values():
        holdout = ["--holdout", folder / name, *least, "--link"]
        assert draw(folder, "both.csv", *holdout) == 2
        assert capsys.readouterr().err.strip().endswith(NO_SIDES)
        assert not (folder / "audit").exists()
    assert draw(folder, "both.csv", "--source", "left") == 2
    assert capsys.readouterr().err.strip().endswith(NOT_OF_SEVERAL)


def test_one_table_of_one_source_is_read_as_before():
    people = pa.table({"id": IDS, "source_dataset": ["left"] * SIZE})
    drawn = mb.draw(people, labels=5, seed="s", dedupe=True)
    assert drawn.matching == mb.draw(pa.table({"id": IDS}), labels=5, dedupe=True).matching
    assert all(x.startswith("left-__-") for x, _, _ in drawn.sample)


def test_a_record_without_a_source_is_refused():
    people = pa.table({"id": IDS, "source_dataset": ["left", None] * (SIZE // 2)})
    with pytest.raises(InputError) as error:
        mb.draw(people, labels=5)
    assert str(error.value) == (
        f"population must have a source in every row, got {SIZE // 2} empty in column "
        "'source_dataset'. Fill them."
    )
