"""Ways to choose what is certified, each of which once got the plain heading "95%"."""

import shutil
import tempfile
from dataclasses import replace
from fractions import Fraction
from importlib import import_module
from multiprocessing import get_context
from pathlib import Path
from unittest import mock

import pytest

import matchbound as mb
from matchbound.audits.ledger import append, read_ledger
from matchbound.audits.standing import Issued, standing
from matchbound.certificates import certification as certifying
from matchbound.certificates.words import at_least, percent
from matchbound.errors import EngineError
from matchbound.files import alone
from matchbound.tables import Digest, Recorded
from support.audits import certify, contents, make_audit, make_inputs, run, run_seeded, write_csv

SEEN = ["--require", "precision=0.3"]


def draw(folder, *options):
    given = ["draw", folder / "people.csv", "--holdout", folder / "holdout.csv"]
    return run(*given, "--out", folder / "audit", *options)


def label(folder, truth):
    audit = folder / "audit"
    nodes = [x for x, _, _ in mb.Draw.load(audit).sample]
    write_csv(audit / "labels.csv", ["x", "y"], [[x, truth.get(x, "")] for x in nodes])
    return audit


def certified(audit, *options):
    return run("certify", audit, "--holdout", audit.parent / "holdout.csv", *options)


@pytest.mark.parametrize(
    ("draws", "sure"), [(3, "85%"), pytest.param(25, "0%", marks=pytest.mark.slow)]
)
def test_many_draws_in_one_folder(tmp_path, capsys, draws, sure):
    truth = make_inputs(tmp_path)
    for number in range(draws):
        assert draw(tmp_path, "--labels", 100 - number, "--force") == 0
    audit = label(tmp_path, truth)
    capsys.readouterr()
    assert certified(audit, *SEEN) == 1
    shown = capsys.readouterr()
    assert shown.out.startswith(
        f"With probability at least {sure}, all together (for {draws} draws of this folder):"
    )
    assert f"not certified (together with all else on record it holds with {sure})." in shown.err
    assert run("verify", audit) == 0


def test_a_draw_after_labels_were_seen_and_removed(tmp_path, capsys):
    truth = make_inputs(tmp_path)
    assert draw(tmp_path, "--labels", 100) == 0
    assert certified(label(tmp_path, truth)) == 0
    (tmp_path / "audit" / "labels.csv").unlink()
    first = mb.Draw.load(tmp_path / "audit").seed
    assert draw(tmp_path, "--labels", 100, "--force") == 0
    assert mb.Draw.load(tmp_path / "audit").seed != first
    assert certified(label(tmp_path, truth), *SEEN, "--force") == 1
    shown = capsys.readouterr().out
    assert "With probability at least 90%, all together (for 2 draws of this folder):" in shown
    assert "2 certificates (1 of them when the labels were others) from the 2 draws" in shown


def test_a_seed_that_the_user_gave(tmp_path, capsys):
    truth = make_inputs(tmp_path)
    assert draw(tmp_path, "--labels", 100, "--seed", "best of 300") == 0
    audit = label(tmp_path, truth)
    assert certified(audit, *SEEN) == 1
    shown = capsys.readouterr()
    assert "The seed was given by the user. Assumed: no other seed was tried" in shown.out
    assert "matchbound drew the labelled nodes" not in shown.out
    assert "Checked: the seed" not in shown.out
    assert "Required precision 0.3: not certified (the seed was given by the user)." in shown.err
    assert not mb.Certificate.load(audit / "certificate.json").meets("precision", 0.3)
    assert run("verify", audit) == 0


def test_a_seed_that_the_user_gave_in_memory(tmp_path):
    truth = make_inputs(tmp_path)
    for seed, meets in ((None, True), ("mine", False)):
        drawn = mb.draw(tmp_path / "people.csv", labels=100, seed=seed)
        labels = write_csv(
            tmp_path / "l.csv", ["x", "y"], [[x, truth.get(x, "")] for x in drawn.validated]
        )
        certificate = mb.certify(drawn, holdout=tmp_path / "holdout.csv", labels=labels)
        assert certificate.meets("precision", 0.3) == meets


def test_the_best_of_six_holdouts_seen_through_exploratory_certificates(tmp_path, capsys):
    truth = make_inputs(tmp_path)
    assert run("draw", tmp_path / "people.csv", "--labels", 100, "--out", tmp_path / "audit") == 0
    audit = label(tmp_path, truth)
    rows = (tmp_path / "holdout.csv").read_text().splitlines()
    for number in range(6):
        (tmp_path / "holdout.csv").write_text("\n".join(rows[: len(rows) - number]) + "\n")
        assert certified(audit, "--delta", 0.0501, "--force") == 0
    capsys.readouterr()
    assert certified(audit, "--force", *SEEN) == 1
    shown = capsys.readouterr().out
    assert shown.startswith(
        "With probability at least 70%, all together (for 6 matchers on record or looked at):"
    )
    assert "5 other matchers are on record and could have been certified as well." in shown


def test_a_certificate_of_the_holdout_and_of_a_complete_matcher_cost_once(tmp_path, capsys):
    audit = make_audit(tmp_path)
    assert certify(audit) == 0
    capsys.readouterr()
    assert certified(audit, "--force", *SEEN) == 0
    shown = capsys.readouterr().out
    assert shown.startswith("With probability at least 95%, all together:")
    assert (
        "2 certificates from this draw; all that have a guarantee hold together with probability "
        in (shown)
    )
    assert "probability at least 95%.\n" in shown
    assert certify(audit, "--force", *SEEN) == 0


def test_with_a_sampled_gap_each_complete_matcher_costs_its_own(tmp_path, capsys):
    audit = make_audit(tmp_path, "--gap", 100, "--at-most-one-match")
    folder = tmp_path
    assert certify(audit) == 0
    given = ["--complete", folder / "holdout.csv", "--force"]
    capsys.readouterr()
    assert certified(audit, *given, *SEEN) == 1
    assert (
        "With probability at least 90%, all together (for certificates that do not fail together):"
        in (capsys.readouterr().out)
    )


def test_a_matcher_that_takes_care_with_the_ids_in_sample_csv(tmp_path, capsys):
    """It uses no label; only what is printed is not true of it."""
    truth = make_inputs(tmp_path)
    assert (
        run_seeded(
            "s", "draw", tmp_path / "people.csv", "--labels", 100, "--out", tmp_path / "audit"
        )
        == 0
    )
    audit = label(tmp_path, truth)
    careful = {x for x, _, _ in mb.Draw.load(audit).sample}
    pairs = [(x, y if x in careful or int(x[1:]) % 2 else "wrong") for x, y in truth.items()]
    write_csv(tmp_path / "holdout.csv", ["x", "y"], pairs)
    assert certified(audit, "--require", "precision=0.9") == 0
    right = sum(truth[x] == y for x, y in pairs) / len(pairs)
    assert right < 0.7
    assert (
        "Not checked: whoever developed the holdout matcher did not know which nodes are in the "
        "validation sample, nor their labels.\n"
    ) in capsys.readouterr().out


def issued(audit, certificate, ready):
    """Certify in this process, with what was computed, at the same moment as the other."""

    def computed(*_, **__):
        ready.wait()
        return certificate

    certifying.compute = computed
    certifying.certify(audit, holdout="computed before")


def computed_from(audit, holdout):
    """A certificate as it is before it is entered."""
    compute, computed = certifying.compute, []
    with (
        mock.patch.object(
            certifying, "compute", lambda *given: computed.append(compute(*given)) or computed[-1]
        ),
        tempfile.TemporaryDirectory() as folder,
    ):
        mb.certify(shutil.copytree(audit, Path(folder) / "audit"), holdout=holdout)
    return computed[0]


@pytest.mark.parametrize("pairs", [8, pytest.param(100, marks=pytest.mark.slow)])
def test_two_certificates_at_the_same_moment(tmp_path, pairs):
    """Pairs of processes; whoever is second counts the first."""
    audit = make_audit(tmp_path / "one")
    context = get_context("fork")
    certificates = [computed_from(audit, audit.parent / n) for n in ("holdout.csv", "complete.csv")]
    for number in range(pairs):
        folder = shutil.copytree(audit, tmp_path / f"pair {number}")
        ready = context.Barrier(2)
        pair = [context.Process(target=issued, args=(folder, c, ready)) for c in certificates]
        for process in pair:
            process.start()
        for process in pair:
            process.join(60)
            assert process.exitcode == 0
        ledger = read_ledger(folder)
        assert not ledger.problems
        kinds = [entry["kind"] for entry in ledger.entries]
        assert kinds == ["choices", "draw", "labels", "certificate", "certificate"]
        standings = [
            standing_of(certificates, entry, ledger, folder) for entry in ledger.entries[3:]
        ]
        assert standings == [(1, 0.95), (2, 0.9)]
        shutil.rmtree(folder)


def standing_of(certificates, entry, ledger, folder):
    """Which of the computed certificates is entered there, and how it stands."""
    before = ledger.entries[: entry["entry"] - 1]
    for certificate in certificates:
        salted = ledger.journal.salted
        inputs = certificate.inputs.on_record(salted, folder)
        issued = certificate.issued(inputs)
        stands = standing(before, issued, salted)
        placed = certifying.on_record(replace(certificate, inputs=inputs), stands)
        if placed.as_dict()["digest"] == entry["certificate"]:
            return placed.ledger.matchers, placed.ledger.together
    return None


@pytest.mark.usefixtures("tampering")
def test_a_page_that_is_open_appends_beside_certify_and_register(tmp_path):
    audit = make_audit(tmp_path)
    with alone(audit):
        append(audit, "search", search={})
        assert run("register", audit, "--holdout", tmp_path / "complete.csv") == 0
        append(audit, "answer", place=1, labeller="Ann")
        assert certify(audit) == 0
        append(audit, "answer", place=2, labeller="Ann")
    assert not read_ledger(audit).problems
    assert run("verify", audit) == 0


def test_a_certificate_whose_file_cannot_be_written_is_not_on_record(tmp_path, monkeypatch):
    audit = make_audit(tmp_path)
    before = contents(audit)

    def full(*_, **__):
        raise EngineError("cannot write certificate.json: No space left. Choose another place.")

    monkeypatch.setattr("matchbound.certificates.certificate.write_whole", full)
    assert certify(audit) == 2
    assert contents(audit) == before


def test_a_draw_whose_files_cannot_be_written_stays_on_record(tmp_path, monkeypatch, capsys):
    make_inputs(tmp_path)

    def full(*_, **__):
        raise EngineError("cannot write sample.csv: No space left. Choose another place.")

    with monkeypatch.context() as patched:
        patched.setattr(import_module("matchbound.audits.draw"), "write_whole", full)
        assert draw(tmp_path, "--labels", 100) == 1
    assert "the draw is on record, but cannot write sample.csv" in capsys.readouterr().err
    seed = read_ledger(tmp_path / "audit").entries[-1]["seed"]
    assert draw(tmp_path, "--labels", 100) == 0
    assert mb.Draw.load(tmp_path / "audit").seed == seed


def test_a_report_says_certified_where_require_is_met(tmp_path, capsys):
    assert certify(make_audit(tmp_path / "plain"), *SEEN) == 0
    assert run("report", tmp_path / "plain" / "audit", "--target", "precision=0.3") == 0
    page = (tmp_path / "plain" / "audit" / "report.html").read_text()
    assert "target 0.3: certified</p>" in page
    given = tmp_path / "given"
    audit = make_audit(given, "--seed", "s")
    assert certify(audit, *SEEN) == 1
    assert run("report", audit, "--target", "precision=0.3") == 0
    page = (audit / "report.html").read_text()
    assert "target 0.3: not certified (the seed was given by the user)</p>" in page


@pytest.mark.parametrize(
    ("missing", "shown"),
    [
        ("0.05", "95%"),
        ("1e-17", "99.999999999999%"),
        ("1e-8", "99.999999%"),
        ("1/60", "98.333%"),
        ("1", "0%"),
        ("1.25", "0%"),
    ],
)
def test_probabilities_are_rounded_down(missing, shown):
    exact = 1 - Fraction(missing)
    assert percent(at_least(exact)).startswith(shown[:-1])
    assert percent(at_least(exact)).endswith("%")
    assert Fraction(percent(at_least(exact))[:-1]) / 100 <= max(exact, 0) or exact < 0


def entries_of(*facts):
    """A ledger by kind and facts; digests do not matter here."""
    return [{"entry": i, "digest": str(i), **one} for i, one in enumerate(facts, start=1)]


def digest(name):
    return {"rows": name, "bytes": None}


def matcher_named(name):
    return {"name": "", "digest": digest(name), "threshold": None, "clusters": False, "columns": {}}


DRAWN = {"kind": "draw", "seed": "s", "seed_given": False, "labels": 9, "train": 0, "delta": 0.05}
LABELLED = {"kind": "labels", "labels": digest("some"), "validation": 3}
NO_LABELS = Digest("", None)
DRAWN |= {"several": 1, "second": False, "draw": "before"}


@pytest.mark.parametrize(
    ("more", "sure"),
    [
        ([], 0.95),
        ([{"kind": "watch", "holdout": matcher_named("H")}], 0.95),
        ([{"kind": "watch", "holdout": matcher_named("another")}], 0.9),
        ([{"kind": "register", "holdout": matcher_named("another"), "validation": 0}], 0.9),
        ([LABELLED, {"kind": "register", "holdout": matcher_named("late")}, LABELLED], 0.95),
        ([DRAWN | {"extends": "before"}], 0.95),
        ([DRAWN], 0.9),
        ([DRAWN | {"labels": 0}, DRAWN], 0.9),
        ([{"kind": "watch", "holdout": matcher_named("another")}, DRAWN], 0.9),
    ],
)
def test_what_costs_probability(more, sure):
    """The union bound: δ for each draw and matcher that the best may have been picked from."""
    issued = Issued([Recorded.of(matcher_named("H"))], [], NO_LABELS, 0.05, is_sampled=False)
    assert standing(entries_of(DRAWN, *more), issued).together == sure


def test_a_draw_of_another_folder_is_not_extended(tmp_path, capsys):
    """Files copied over a draw's would bring nodes that the matcher knew before."""
    make_inputs(tmp_path)
    other = tmp_path / "other"
    known = ["draw", tmp_path / "people.csv", "--anytime", "--labels", 50, "--out", other]
    assert run(*known) == 0
    assert draw(tmp_path, "--anytime", "--labels", 50) == 0
    for name in ("draw.json", "sample.csv"):
        shutil.copy(other / name, tmp_path / "audit")
    before = contents(tmp_path)
    extended = ["draw", tmp_path / "people.csv", "--extend", "--labels", 60]
    assert run(*extended, "--out", tmp_path / "audit") == 2
    assert "audit must hold the draw that is last in its ledger" in capsys.readouterr().err
    assert contents(tmp_path) == before


def test_an_entry_that_extends_another_seed_is_a_draw_of_its_own(tmp_path):
    truth = make_inputs(tmp_path)
    assert draw(tmp_path, "--labels", 50) == 0
    audit = label(tmp_path, truth)
    entries = [*read_ledger(audit).entries]
    last = next(entry for entry in entries if entry["kind"] == "draw")
    forged = {**last, "entry": len(entries) + 1, "seed": "other", "extends": last["draw"]}
    issued = Issued([], [], NO_LABELS, 0.05, is_sampled=False)
    assert standing(entries, issued).draws == 1
    assert standing([*entries, forged], issued).draws == 2
    assert standing([*entries, forged | {"seed": last["seed"]}], issued).draws == 1


def test_a_draw_read_from_a_folder_is_looked_at_there(tmp_path):
    truth = make_inputs(tmp_path)
    assert draw(tmp_path, "--labels", 100) == 0
    audit = label(tmp_path, truth)
    loaded = mb.Draw.load(audit)
    for name in ("holdout", "complete"):
        found = mb.certify(loaded, holdout=tmp_path / f"{name}.csv", labels=audit / "labels.csv")
    assert found.ledger.matchers == 2
    assert not found.meets("precision", 0.1)


def test_labels_of_a_draw_are_not_brought_along(tmp_path, capsys):
    truth = make_inputs(tmp_path)
    assert draw(tmp_path, "--labels", 100) == 0
    audit = label(tmp_path, truth)
    given = ["--population", tmp_path / "people.csv", "--labels", audit / "labels.csv"]
    holdout = ["--holdout", tmp_path / "holdout.csv", "--out", tmp_path / "c.json"]
    assert run("certify", *given, *holdout, "--assume-uniform") == 2
    assert "labels must not be those of a draw where none is given" in capsys.readouterr().err


def test_a_sampled_gap_costs_once_for_holdout_and_complete(tmp_path):
    truth = make_inputs(tmp_path)
    assert draw(tmp_path, "--labels", 100, "--gap", 100) == 0
    audit = label(tmp_path, truth)
    assert certified(audit) == 0
    found = mb.certify(audit, holdout=tmp_path / "holdout.csv", complete=tmp_path / "complete.csv")
    assert found.ledger.together == 0.95
    other = tmp_path / "other.csv"
    shutil.copy(tmp_path / "holdout.csv", other)
    found = mb.certify(audit, holdout=tmp_path / "holdout.csv", complete=other)
    assert found.ledger.together == 0.9


def test_the_seed_is_text(tmp_path, capsys):
    make_inputs(tmp_path)
    assert draw(tmp_path, "--labels", 10, "--seed", "") == 2
    assert "seed must be text, got ''" in capsys.readouterr().err
