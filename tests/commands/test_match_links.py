"""`--links` of `match` and of `withhold --matcher match`."""

import pyarrow.csv
import pytest

import matchbound as mb
from support.audits import read_csv, run, write_csv
from support.bibliography import bibliography


@pytest.fixture
def made(tmp_path):
    made = bibliography(0, papers=150, communities=12)
    pyarrow.csv.write_csv(made.records(), tmp_path / "references.csv")
    pyarrow.csv.write_csv(made.links(), tmp_path / "papers.csv")
    return made


def test_links_without_labels(made, tmp_path, capsys):
    words = ["match", tmp_path / "references.csv", "--links", tmp_path / "papers.csv"]
    assert run(*words, "--alpha", 0.25, "--out", tmp_path / "matches.csv") == 0
    matches = mb.match(made.records(), links=made.links(), alpha=0.25)
    assert [(x, y) for x, y, _ in read_csv(tmp_path / "matches.csv")] == matches.pairs()
    assert capsys.readouterr().out.startswith(f"{len(matches)} matches.\n")


def test_labels_or_links_must_be_given(made, tmp_path, capsys):
    assert run("match", tmp_path / "references.csv", "--out", tmp_path / "matches.csv") == 2
    assert (
        "labels must be given, got None. Give labelled nodes, or links." in capsys.readouterr().err
    )


def test_links_are_not_written_over(made, tmp_path, capsys):
    links = tmp_path / "papers.csv"
    assert (
        run("match", tmp_path / "references.csv", "--links", links, "--out", links, "--force") == 2
    )
    assert len(read_csv(links)) == len(made.ids)


@pytest.mark.slow
def test_withheld_links_see_the_labels_of_d_alone(made, tmp_path):
    """The holdout is what D's labels and links give, whatever the validation labels say."""
    audit, links = tmp_path / "audit", tmp_path / "papers.csv"
    words = ["draw", tmp_path / "references.csv", "--dedupe", "--labels", 150, "--train", 100]
    assert run(*words, "--out", audit) == 0
    sample = mb.Draw.load(audit).sample
    position = {record: i for i, record in enumerate(made.ids)}
    labels = made.labels([position[x] for x, _, _ in sample])
    pyarrow.csv.write_csv(labels, audit / "labels.csv")
    assert run("withhold", audit, "--matcher", "match", "--links", links) == 0
    trained = [x for x, train, _ in sample if train is not None]
    by_hand = mb.match(
        tmp_path / "references.csv",
        labels=made.labels([position[x] for x in trained]),
        links=links,
    )
    assert [(x, y) for x, y, *_ in read_csv(audit / "holdout.csv")] == by_hand.pairs()
    assert mb.verify(audit / "certificate.json").holds


def test_links_come_with_match(tmp_path, capsys):
    links = write_csv(tmp_path / "papers.csv", ["x", "y"], [("a", "b")])
    assert run("withhold", tmp_path, "--command", "match {labels} {out}", "--links", links) == 2
    assert "links must come with matcher match" in capsys.readouterr().err
