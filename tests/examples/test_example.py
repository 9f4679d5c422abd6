"""`matchbound example`: tables that anyone can make again, and their truth in a person's place."""

import csv
import io

import pytest

import matchbound as mb
from matchbound.examples import EXAMPLES, answer, write_example
from matchbound.examples.answer import _refuse_other_ids
from support.audits import contents, read_csv, run, run_seeded, write_csv

AUDITS = {
    "people": ("matches.csv --records crm.csv --against billing.csv", "--pairs"),
    "customers": ("duplicates.csv --records customers.csv", "--clusters"),
}


@pytest.fixture
def here(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return tmp_path


def audit(name, labels=200):
    tables, deployed = AUDITS[name]
    how = ["--labels", labels, "--threshold", 0.9, deployed, "--out", "audit"]
    return run_seeded("s", "audit", *tables.split(), *how)


def rows(name, file):
    return list(csv.DictReader(io.StringIO(EXAMPLES[name]().files[file])))


@pytest.mark.parametrize("name", AUDITS)
def test_from_nothing_to_a_certificate(name, here, capsys):
    assert run("example", name) == 0
    assert {path.name for path in here.iterdir()} == set(EXAMPLES[name]().files)
    printed = capsys.readouterr().out
    assert f"matchbound audit {AUDITS[name][0]} --labels 300" in printed
    assert audit(name) == 0
    assert run("example", name, "--answer", "audit") == 0
    assert "This stands in for a person" in capsys.readouterr().out
    assert run("certify", "audit") == 0
    certificate = mb.Certificate.load("audit/certificate.json")
    truth = share_found(name)
    assert 0.8 < certificate.value("recall") <= truth < 1


def share_found(name):
    """The recall of the example's matcher at 0.9, by record, as its pairs are."""
    example = EXAMPLES[name]()
    (file, *_) = [file for file in example.files if file not in example.records]
    found = {
        pair
        for row in rows(name, file)
        if float(row["match_probability"]) >= 0.9
        for pair in [(row["unique_id_l"], row["unique_id_r"])]
    }
    found |= {(y, x) for x, y in found} if name == "customers" else set()
    of_population = [row["id"] for row in rows(name, example.records[0])]
    shares = [
        sum((x, y) in found for y in example.truth[x]) / len(example.truth[x])
        for x in of_population
        if x in example.truth
    ]
    return sum(shares) / len(shares)


def test_the_command_it_names_next_runs(here, capsys):
    for name in EXAMPLES:
        assert run("example", name) == 0
        line = capsys.readouterr().out.splitlines()[-1]
        words = line.removeprefix("Next: matchbound ").split()
        assert run(*words[:-1], f"audit-{name}") == 0


def test_the_tables_are_the_same_each_time_and_believable():
    people = EXAMPLES["people"]()
    assert EXAMPLES["people"].__wrapped__() == people
    crm = {row["id"]: row for row in rows("people", "crm.csv")}
    billing = {row["id"]: row for row in rows("people", "billing.csv")}
    assert len(crm) == 2000
    matched = [x for x in crm if x in people.truth]
    assert 0.7 < len(matched) / len(crm) < 0.8
    assert all(len(people.truth[x]) == 1 and people.truth[x][0] in billing for x in matched)
    pairs = [(crm[x], billing[people.truth[x][0]]) for x in matched]
    for field in ("first_name", "last_name", "born", "street", "town", "email"):
        differ = sum(one[field] != other[field] for one, other in pairs)
        assert 0.03 < differ / len(pairs) < 0.7
    assert sum(not row["email"] for row in crm.values()) > 200
    assert max(map(len, people.files.values())) < 200_000


def test_the_second_version_differs_a_little():
    first, second = (
        {
            (row["unique_id_l"], row["unique_id_r"])
            for row in rows("people", file)
            if float(row["match_probability"]) >= 0.9
        }
        for file in ("matches.csv", "matches-2.csv")
    )
    assert 0.01 < len(first ^ second) / len(first) < 0.1


def test_nothing_is_overwritten_unasked(here, capsys):
    assert run("example", "people", "--out", "new/folder") == 0
    (here / "new" / "folder" / "crm.csv").write_text("mine")
    before = contents(here)
    assert run("example", "people", "--out", "new/folder") == 2
    assert capsys.readouterr().err.startswith("matchbound: out must not exist yet, got ")
    assert contents(here) == before
    assert run("example", "people", "--out", "new/folder", "--force") == 0
    assert (here / "new" / "folder" / "crm.csv").read_text() == EXAMPLES["people"]().files[
        "crm.csv"
    ]


def test_labels_of_a_person_are_not_overwritten(here, capsys):
    write_example("customers", here, force=False)
    assert audit("customers") == 0
    write_csv("audit/labels.csv", ["x", "y"], [])
    assert run("example", "customers", "--answer", "audit") == 2
    assert "out must not exist yet, got 'audit/labels.csv'" in capsys.readouterr().err
    assert read_csv("audit/labels.csv") == []
    assert len(answer("customers", here / "audit", force=True).sample) == 200
    assert len({row[0] for row in read_csv("audit/labels.csv")}) == 200


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["peple"], "name must be one of people, customers, networks, got 'peple'. Choose one."),
        (
            ["people", "--answer", "audit"],
            "answer must be an audit of crm.csv or billing.csv as `matchbound example people` "
            "writes them, got 'audit', an audit of 'customers.csv'. Label it with matchbound",
        ),
        (["customers", "--answer", "nowhere"], "audit must "),
        (
            ["customers", "--answer", "audit", "--out", "there"],
            "out must come without answer, got 'there'",
        ),
    ],
)
def test_what_is_refused(words, message, here, capsys):
    write_example("customers", here, force=False)
    assert audit("customers") == 0
    before = contents(here)
    capsys.readouterr()
    assert run("example", *words) == 2
    assert message in capsys.readouterr().err
    assert contents(here) == before


def test_only_the_example_s_own_records_are_answered_for(here, capsys):
    """The same ids in another table are other people."""
    write_example("customers", here, force=False)
    text = (here / "customers.csv").read_text()
    (here / "customers.csv").write_text(text.replace("Smith", "Schmidt"))
    assert audit("customers") == 0
    assert run("example", "customers", "--answer", "audit") == 2
    assert not (here / "audit" / "labels.csv").exists()


def test_sources_of_splink_are_in_the_labels(here):
    """Splink names the source of each record, and so do drawn ids and labels."""
    write_example("people", here, force=False)
    head = ["match_probability", "unique_id_l", "source_dataset_l", "unique_id_r"]
    named = [
        (row["match_probability"], row["unique_id_l"], "crm", row["unique_id_r"], "billing")
        for row in rows("people", "matches.csv")
    ]
    write_csv("matches.csv", [*head, "source_dataset_r"], named)
    assert audit("people") == 0
    assert run("example", "people", "--answer", "audit") == 0
    truth = EXAMPLES["people"]().truth
    labels = read_csv("audit/labels.csv")
    assert len(labels) == 200
    for x, y in labels:
        matches = truth.get(x.removeprefix("crm-__-"), ())
        assert [y] == [f"billing-__-{match}" for match in matches] or (y, matches) == ("", ())
    assert run("certify", "audit") == 0


def test_another_column_of_ids_is_refused(here):
    """Its values have no true match in the example, which is not what a person would find."""
    example = EXAMPLES["people"]()
    _refuse_other_ids(example, ["C1001", "B1001"])
    with pytest.raises(mb.InputError, match="answer must be an audit by the column 'id', got one"):
        _refuse_other_ids(example, ["C1001", "ana@post.example"])


def test_labels_that_were_there_are_true_and_a_random_part():
    example = EXAMPLES["people"]()
    checked = rows("people", "checked.csv")
    assert len({row["x"] for row in checked}) == 250
    assert all((row["y"],) == example.matches(row["x"]) for row in checked)
    found = [row["x"] for row in checked if row["y"]]
    assert 0.65 < len(found) / 250 < 0.85  # as in the whole table, where it is about 0.75


def test_two_networks_are_matched_from_a_few_known_members(here):
    write_example("networks", here, force=False)
    example = EXAMPLES["networks"]()
    members = [row["id"] for row in rows("networks", "members.csv")]
    assert 0.8 < len(example.truth) / len(members) < 0.9
    seeds = [(x, *example.truth[x]) for x in members[:150] if x in example.truth]
    found = dict(mb.reconcile("forum.csv", "chat.csv", seeds).pairs())
    right = sum((found.get(x),) == ys for x, ys in example.truth.items())
    assert 0.9 < right / len(found) < 1
    assert 0.8 < right / len(example.truth) < 1
    for file in ("forum.csv", "chat.csv"):
        edges = [(row["src"], row["dst"]) for row in rows("networks", file)]
        assert len(set(edges)) == len(edges)
        assert all(one < other for one, other in edges)
