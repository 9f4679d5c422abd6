"""Certificates of version 1, made at commit 27645bb by version1/make.py, beside this file.

Its docstring says how to run it. They are read as they were made: their numbers follow by version
1's rules, betting on labels brought along is contradicted, and the ledger is counted anew.
"""

import copy
import json
import shutil
from pathlib import Path

import pytest

import matchbound as mb
from matchbound.audits import standing
from matchbound.certificates.record import Record, leaves
from matchbound.certificates.version1.choices import Choices
from matchbound.certificates.version1.folder import _issued_now, as_now
from matchbound.files import digest_of_json
from support.audits import contents, run

HERE = Path(__file__).parent / "version1"
SOUND = ["drawn", "anytime", "bands", "gap", "threshold"]
KINDS = [*SOUND, "brought"]
PUBLIC = "betting on labels brought along; this bound is not valid: public order"
NOT_COUNTED = "It is of version 1: its tallies are not counted again from its inputs"


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    folder = tmp_path_factory.mktemp("version1") / "made"
    shutil.copytree(HERE, folder)
    return folder


def certificate_of(folder):
    return next(folder.rglob("certificate.json"))


def reseal(record):
    body = {name: value for name, value in record.items() if name not in ("digest", "digests")}
    body["digests"] = {place: digest_of_json(leaf)[:16] for place, leaf in leaves(body)}
    return body | {"digest": digest_of_json(body)}


def differences(record, path):
    """What is named in a changed certificate, its folder as it was."""
    path.write_text(json.dumps(record))
    return mb.verify(path).differences


@pytest.mark.parametrize("kind", SOUND)
def test_a_drawn_certificate_verifies_and_nothing_is_written(made, capsys, kind):
    before = contents(made / kind)
    assert run("verify", made / kind / "audit") == 0
    shown = capsys.readouterr().out
    assert shown.startswith(
        "Verified by version 1's rules, with its tallies as it states them: its digests; its "
        "guarantees, from its tallies, by version 1's "
        "rules; its choices, from its draw; its place in the ledger, by today's rules.\n"
    )
    assert NOT_COUNTED in shown
    assert contents(made / kind) == before


def test_a_certificate_alone_verifies(made, tmp_path):
    shutil.copy(certificate_of(made / "drawn"), tmp_path / "certificate.json")
    verification = mb.verify(tmp_path)
    assert verification.holds
    missing = ("population", "draw", "labels", "holdout", "complete", "ledger")
    assert verification.missing == missing


def test_betting_on_labels_brought_along_is_contradicted(made, capsys):
    assert run("verify", made / "brought") == 1
    shown = capsys.readouterr().out
    assert [line for line in shown.splitlines() if line.startswith("  - ")] == [
        f"  - guarantees[0]: {PUBLIC}",
        f"  - guarantees[1]: {PUBLIC}",  # but not the error rate's: that bound needs no order
    ]


def test_the_ledger_is_recounted_by_today_s_rules(made):
    """Version 1 did not count a matcher that was only explored."""
    record = json.loads(certificate_of(made / "explored").read_text())
    assert (record["ledger"]["together"], record["ledger"]["matchers"]) == (0.95, 1)
    assert mb.verify(made / "explored/audit").differences == (
        "ledger.together is 0.95; by today's rules all that is on record holds together with "
        "probability 0.9",
        "ledger.matchers is 1; by today's rules 2 matchers are on record or were looked at",
    )


def numbers(value, place=()):
    if isinstance(value, dict | list):
        each = value.items() if isinstance(value, dict) else enumerate(value)
        for name, inner in each:
            yield from numbers(inner, (*place, name))
    elif isinstance(value, int | float) and not isinstance(value, bool):
        yield place


def with_one_more(record, place):
    changed = copy.deepcopy(record)
    inner = changed
    for part in place[:-1]:
        inner = inner[part]
    inner[place[-1]] += 1
    return changed


@pytest.mark.parametrize("kind", KINDS)
def test_any_changed_number_is_named(made, tmp_path, kind):
    record = json.loads(certificate_of(made / kind).read_text())
    path = tmp_path / "certificate.json"
    places = [place for place in numbers(record) if place != ("matchbound",)]
    assert len(places) > 200
    for place in places:
        altered, in_list = with_one_more(record, place), len(place) > 3
        named = list(Record(altered).changed()) if in_list else differences(altered, path)
        suffix = " was changed"
        changed = [line.removesuffix(suffix) for line in named if line.endswith(suffix)]
        assert any(is_of(name, place) for name in changed), (place, named)


def is_of(name, place):
    """Whether a leaf's name is that of a number in it: a list of numbers is one leaf."""
    spelled = ""
    for part in place:
        spelled += f"[{part}]" if isinstance(part, int) else f".{part}" if spelled else part
    return spelled == name or spelled.startswith(f"{name}[")


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("field", ["value", "estimate", "delta"])
def test_a_forged_guarantee_does_not_follow_from_the_tallies(made, tmp_path, kind, field):
    record = json.loads(certificate_of(made / kind).read_text())
    for i, guarantee in enumerate(record["guarantees"]):
        forged = copy.deepcopy(record)
        forged["guarantees"][i][field] = guarantee[field] + 1e-6
        named = differences(reseal(forged), tmp_path / "certificate.json")
        assert any(f"guarantees[{i}].{field} is " in line for line in named)


def test_whatever_is_forged_is_not_on_record(made, tmp_path):
    """Tallies, or a digest made anew: the ledger holds the digest that was issued."""
    folder = tmp_path / "drawn"
    shutil.copytree(made / "drawn", folder)
    path = certificate_of(folder)
    record = json.loads(path.read_text())
    record["tallies"]["all"]["validation"].reverse()
    named = differences(reseal(record), path)
    assert "ledger.jsonl: entry 4, this certificate's, is missing" in named


@pytest.mark.parametrize(
    ("file", "old", "new", "named"),
    [
        ("draw.json", '"delta": 0.05', '"delta": 0.5', "draw.json was changed"),
        ("draw.json", '"delta": 0.05', '"delta": 0.5', "choices are not those of the draw (delta)"),
        ("draw.json", '"seed"', '"sead"', "draw.json was changed"),
        ("draw.json", "{", "[", "inputs.draw: "),
        ("sample.csv", "\na", "\nz", "sample.csv was changed"),
        ("ledger.jsonl", '"labels": 60', '"labels": 61', "ledger.jsonl: entry 1 was changed"),
        ("labels.csv", "\na", "\nz", "inputs.labels: "),
    ],
)
def test_a_changed_file_is_named(made, tmp_path, file, old, new, named):
    folder = tmp_path / "drawn"
    shutil.copytree(made / "drawn", folder)
    path = folder / "audit" / file
    path.write_text(path.read_text().replace(old, new))
    assert any(line.startswith(named) for line in mb.verify(folder / "audit").differences)


@pytest.mark.parametrize(
    "change",
    [
        {"inputs": None},
        {"choices": {"delta": 0.05}},
        {"tallies": {}},
        {"guarantees": [{}]},
        {"ledger": {"entries": 1}},
        {"extra": 1},
    ],
)
def test_odd_certificates_are_refused(made, tmp_path, capsys, change):
    record = json.loads(certificate_of(made / "drawn").read_text()) | change
    path = tmp_path / "certificate.json"
    path.write_text(json.dumps(reseal(record)))
    assert run("verify", path) in (1, 2)
    path.write_text(json.dumps(record))
    assert run("verify", path) == 1


@pytest.mark.parametrize("use", [mb.Certificate.load, mb.write_report])
def test_it_is_neither_loaded_nor_shown(made, tmp_path, use):
    """Its bounds may be of rules that do not hold any more; `verify` tells."""
    path = tmp_path / "certificate.json"
    shutil.copy(certificate_of(made / "drawn"), path)
    with pytest.raises(mb.InputError) as refused:
        use(path)
    assert str(refused.value) == (
        "certificate must be of version 2 to be loaded or shown, got 1. Check it with `matchbound "
        "verify`, which knows version 1."
    )
    assert list(tmp_path.iterdir()) == [path]


@pytest.mark.parametrize("start", ["", "rows:"])
@pytest.mark.parametrize(
    ("digest", "columns", "matchers"),
    [("one", {}, 1), ("other", {}, 2), ("one", {"x": "id"}, 2)],
)
def test_outputs_are_the_same_if_digest_and_columns_are(start, digest, columns, matchers):
    """Also those of tables in a cluster, whose digest was of all columns."""
    choices = version1_choices()
    first = {"name": "", "digest": f"{start}one", "threshold": None, "columns": {}}
    second = first | {"digest": start + digest, "columns": columns}
    drawn = {"kind": "draw", "draw": "d", "seed": "s", "labels": 9, "train": 0}
    seen = {"kind": "certificate", "holdout": [first], "complete": [], "labels": "some"}
    seen |= {"delta": 0.05, "is_sampled": False, "exploratory": []}
    facts = [drawn, {"kind": "labels", "labels": "some", "validation": 9}, seen]
    entries = [{"entry": i, "digest": str(i), **one} for i, one in enumerate(facts, start=1)]
    counted = standing(as_now(entries, choices), _issued_now(seen | {"holdout": [second]}))
    assert (counted.matchers, counted.other_labels) == (matchers, 0)
    assert counted.together == {1: 0.95, 2: 0.9}[matchers]


def version1_choices():
    record = json.loads(certificate_of(HERE / "drawn").read_text())
    return Choices.from_dict(record["choices"])
