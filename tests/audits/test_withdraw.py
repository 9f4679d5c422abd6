"""A registration that was a mistake: refused at once, or withdrawn before there is a label."""

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import matchbound as mb
from matchbound.audits.ledger import append, read_ledger
from matchbound.audits.standing import all_together
from support.audits import contents, make_inputs, run, write_csv


@pytest.fixture
def audit(tmp_path):
    """A draw without a matcher, and its labels put aside."""
    truth = make_inputs(tmp_path)
    place = tmp_path / "audit"
    assert run("draw", tmp_path / "people.csv", "--labels", 100, "--out", place) == 0
    nodes = [x for x, _, _ in mb.Draw.load(place).sample]
    write_csv(tmp_path / "later.csv", ["x", "y"], [[x, truth.get(x, "")] for x in nodes])
    return place


def labelled(audit):
    (audit.parent / "later.csv").rename(audit / "labels.csv")


def test_withdrawn_it_costs_nothing(audit, capsys):
    folder = audit.parent
    for name, also in (("complete", "--withdraw"), ("holdout", None)):
        assert run("register", audit, "--holdout", folder / f"{name}.csv") == 0
        if also:
            assert run("register", audit, also) == 0
    kinds = [entry["kind"] for entry in read_ledger(audit).entries]
    assert kinds == ["choices", "draw", "register", "withdraw", "register"]
    labelled(audit)
    certificate = mb.certify(audit, holdout=folder / "holdout.csv", out=audit / "certificate.json")
    assert (certificate.ledger.registered, certificate.ledger.matchers) == (5, 1)
    assert certificate.ledger.together == 0.95
    assert run("verify", audit) == 0
    other = mb.certify(audit, holdout=folder / "complete.csv")  # it counts as not registered
    assert (other.ledger.registered, other.ledger.together) == (None, 0.9)


def test_without_the_withdrawal_it_would_cost(audit):
    for name in ("complete", "holdout"):
        mb.register(audit, holdout=audit.parent / f"{name}.csv")
    labelled(audit)
    assert mb.certify(audit, holdout=audit.parent / "holdout.csv").ledger.together == 0.9


def test_registered_again_it_is_on_record_since_then(audit):
    holdout = audit.parent / "holdout.csv"
    mb.register(audit, holdout=holdout)
    assert run("register", audit, "--withdraw") == 0
    mb.register(audit, holdout=holdout)
    labelled(audit)
    assert mb.certify(audit, holdout=holdout).ledger.registered == 5


def test_withdrawn_as_clusters_it_is_on_record_as_pairs_alone(audit):
    holdout = audit.parent / "holdout.csv"
    mb.register(audit, holdout=holdout, clusters=True)
    assert run("register", audit, "--withdraw") == 0
    mb.register(audit, holdout=holdout)
    labelled(audit)
    certificate = mb.certify(audit, holdout=holdout)
    assert not certificate.is_clusters
    assert (certificate.ledger.registered, certificate.ledger.together) == (5, 0.95)


def test_after_a_label_nothing_is_withdrawn(audit, capsys):
    mb.register(audit, holdout=audit.parent / "complete.csv")
    labelled(audit)
    assert run("register", audit, "--withdraw") == 2
    assert "withdraw must come before validation labels, got 100 nodes" in capsys.readouterr().err
    mb.certify(audit, holdout=audit.parent / "complete.csv")
    (audit / "labels.csv").rename(audit.parent / "later.csv")  # the ledger has seen them
    assert run("register", audit, "--withdraw") == 2
    labelled(audit)
    append(audit, "withdraw", register=3)  # by hand: it is too late to count
    again = mb.certify(audit, holdout=audit.parent / "holdout.csv")
    assert (again.ledger.matchers, again.ledger.together) == (2, 0.9)


def test_a_withdrawal_after_a_label_does_not_count(audit):
    """Even if somebody writes the entry by hand, what was on record before the labels costs δ."""
    for name in ("complete", "holdout"):
        mb.register(audit, holdout=audit.parent / f"{name}.csv")
    labelled(audit)
    assert mb.certify(audit, holdout=audit.parent / "holdout.csv").ledger.together == 0.9
    append(audit, "withdraw", register=3)
    assert mb.certify(audit, holdout=audit.parent / "holdout.csv").ledger.together == 0.9


def test_labels_that_a_refused_withdrawal_saw_stay_on_record(audit, capsys):
    mb.register(audit, holdout=audit.parent / "complete.csv")
    labelled(audit)
    assert run("register", audit, "--withdraw") == 2
    (audit / "labels.csv").rename(audit.parent / "later.csv")
    assert [entry["kind"] for entry in read_ledger(audit).entries][-1] == "labels"
    assert run("register", audit, "--withdraw") == 2
    assert "withdraw must come before validation labels, got 100 nodes" in capsys.readouterr().err


def test_labels_of_an_earlier_draw_count_too(audit, capsys):
    """Another matcher that was on record when they were seen may have been picked by them."""
    folder = audit.parent
    for name in ("complete", "holdout"):
        mb.register(audit, holdout=folder / f"{name}.csv")
    labelled(audit)
    assert mb.certify(audit, holdout=folder / "holdout.csv").ledger.together == 0.9
    (audit / "labels.csv").unlink()
    assert run("draw", folder / "people.csv", "--labels", 100, "--out", audit, "--force") == 0
    assert run("register", audit, "--withdraw") == 2
    message = "withdraw must come before validation labels, got some of an earlier draw. "
    assert message in capsys.readouterr().err
    before = all_together(read_ledger(audit).entries)
    append(audit, "withdraw", register=3)
    assert all_together(read_ledger(audit).entries) == before


def test_a_cohort_s_matcher_is_never_withdrawn(audit, capsys):
    folder, new = audit.parent, [[f"new{i}"] for i in range(60)]
    old = (folder / "people.csv").read_text()
    (folder / "now.csv").write_text(old + "".join(f"{x}\n" for (x,) in new))
    mb.register(audit, holdout=folder / "holdout.csv")
    pairs = write_csv(folder / "pairs.csv", ["x", "y"], [[x, f"y{x}"] for (x,) in new])
    given = ["--cohort", "later", "--labels", 20, "--holdout", pairs]
    assert run("draw", folder / "now.csv", *given, "--out", audit) == 0
    assert run("register", audit / "cohorts" / "later", "--withdraw") == 2
    message = "withdraw must leave a cohort's matcher, got the folder of one: its nodes were drawn "
    assert message in capsys.readouterr().err


def test_what_is_not_withdrawn(audit, tmp_path, capsys):
    assert run("register", audit, "--withdraw") == 2
    assert "withdraw must find a matcher on record, got none" in capsys.readouterr().err
    assert run("register", audit, "--withdraw", "--holdout", tmp_path / "holdout.csv") == 2
    assert "withdraw must come without holdout, got both" in capsys.readouterr().err
    by_it = tmp_path / "by_it"
    given = ["--among", tmp_path / "holdout.csv", "--labels", 50, "--out", by_it]
    assert run("draw", tmp_path / "people.csv", *given) == 0
    assert run("register", by_it, "--withdraw") == 2
    assert "withdraw must leave the matcher that nodes were drawn by" in capsys.readouterr().err


# Refused at once: what certify would refuse


def test_a_table_of_other_records(audit, tmp_path, capsys):
    other = write_csv(tmp_path / "other.csv", ["x", "y"], [["z1", "b1"]])
    before = len(read_ledger(audit).entries)
    assert run("register", audit, "--holdout", other) == 2
    assert "must match nodes of the population, got x = 'z1'" in capsys.readouterr().err
    assert len(read_ledger(audit).entries) == before


def test_a_forgotten_source(audit, tmp_path, capsys):
    pairs = {"unique_id_l": ["a1"], "unique_id_r": ["b1"]}
    sources = {"source_dataset_l": ["left"], "source_dataset_r": ["right"]}
    pq.write_table(pa.table(pairs | sources), tmp_path / "splink.parquet")
    assert run("register", audit, "--holdout", tmp_path / "splink.parquet") == 2
    assert "source must say which of" in capsys.readouterr().err


def test_a_table_matched_with_itself(audit, tmp_path, capsys):
    both = write_csv(tmp_path / "both.csv", ["x", "y"], [["a1", "a2"]])
    assert run("register", audit, "--holdout", both) == 2
    assert "dedupe or link must be said" in capsys.readouterr().err


def test_another_population(audit, tmp_path, capsys):
    write_csv(tmp_path / "people.csv", ["id"], [["a1"], ["a2"]])
    assert run("register", audit, "--holdout", tmp_path / "holdout.csv") == 2
    assert "population must be what was drawn from" in capsys.readouterr().err


def test_a_broken_promise(tmp_path, capsys):
    make_inputs(tmp_path)
    several = write_csv(tmp_path / "several.csv", ["x", "y"], [["a1", "b1"], ["a1", "b2"]])
    given = ["--labels", 100, "--at-most-one-match", "--out", tmp_path / "audit"]
    assert run("draw", tmp_path / "people.csv", *given, "--holdout", several) == 2
    assert "matchers must find at most one match a node, as promised" in capsys.readouterr().err
    assert run("draw", tmp_path / "people.csv", *given) == 0
    assert run("register", tmp_path / "audit", "--holdout", several) == 2
    assert "got one with 2" in capsys.readouterr().err


def test_where_nothing_is_on_record_nothing_is_written(tmp_path, capsys):
    """Labels of training nodes too stay off the ledger: nobody withdrew anything by them."""
    truth = make_inputs(tmp_path)
    audit = tmp_path / "audit"
    draw = ["draw", tmp_path / "people.csv", "--labels", 60, "--train", 30, "--out", audit]
    assert run(*draw) == 0
    nodes = [x for x, train, validation in mb.Draw.load(audit).sample if validation is None]
    write_csv(audit / "labels.csv", ["x", "y"], [[x, truth.get(x, "")] for x in nodes])
    before = contents(tmp_path)
    assert run("register", audit, "--withdraw") == 2
    assert "withdraw must find a matcher on record, got none." in capsys.readouterr().err
    assert contents(tmp_path) == before
