"""The doors of a draw: its choices by name or as one value."""

import inspect
from dataclasses import fields, replace

import pyarrow as pa
import pytest

import matchbound as mb
from matchbound.audits.audit import Audit
from matchbound.audits.ledger import read_ledger

PEOPLE = pa.table({"id": [f"a{i}" for i in range(60)]})
SET_BY_MATCHBOUND = {"brought"}


def test_draw_spells_out_every_choice():
    parameters = inspect.signature(mb.draw).parameters
    assert not any(p.kind is p.VAR_KEYWORD for p in parameters.values())
    names = {field.name for field in fields(mb.Choices)} - SET_BY_MATCHBOUND
    assert names <= set(parameters)
    assert all(parameters[name].default is None for name in names)


def test_choices_by_name_or_as_one_value():
    by_name = mb.draw(PEOPLE, labels=20, seed="s", delta=0.1, one_to_one=True)
    as_value = mb.draw(PEOPLE, labels=20, seed="s", choices=mb.Choices(delta=0.1, one_to_one=True))
    assert by_name == as_value
    assert by_name.choices.delta == 0.1
    with pytest.raises(mb.InputError) as refusal:
        mb.draw(PEOPLE, labels=20, delta=0.1, choices=mb.Choices())
    assert str(refusal.value) == (
        "choices must be given as one value or by name, got both (first: delta). Drop one of them."
    )


def test_an_audit_is_a_folder_a_draw_or_neither(tmp_path):
    drawn = mb.draw(PEOPLE, labels=20, seed="s")
    drawn.save(tmp_path / "audit")
    opened = Audit.open(tmp_path / "audit")
    assert opened == Audit.open(mb.Draw.load(tmp_path / "audit"))
    assert (opened.folder, opened.draw) == (tmp_path / "audit", drawn)
    assert opened.labels == opened.truth() == tmp_path / "audit" / "labels.csv"
    assert Audit.open(drawn) == Audit(None, drawn)
    assert Audit.open(None) == Audit()
    with pytest.raises(mb.InputError, match="labels must be given with a Draw, got None"):
        Audit.open(drawn).truth()
    for nothing in (3, tmp_path / "nowhere"):
        with pytest.raises(mb.InputError, match="audit must be a folder, got "):
            Audit.open(nothing)


def test_a_draw_made_meanwhile_ends_the_transaction(tmp_path):
    """What was computed from another draw's nodes is not entered into this one's ledger."""
    mb.draw(PEOPLE, labels=20, seed="s").save(tmp_path / "audit")
    opened = Audit.open(tmp_path / "audit")
    mb.draw(PEOPLE, labels=20, seed="t").save(tmp_path / "audit", force=True)
    before = (tmp_path / "audit" / "ledger.jsonl").read_bytes()
    refusal = pytest.raises(mb.InputError, match="must hold a draw that its ledger knows")
    with refusal, opened.transaction() as ledger:
        ledger.add("certificate")
    assert (tmp_path / "audit" / "ledger.jsonl").read_bytes() == before


def test_a_seed_cannot_be_guessed_by_what_is_on_record(tmp_path):
    """All of draw.json but its seed and that seed's salt may be known, and seeds are guessed."""
    mb.draw(PEOPLE, labels=20, seed="2026", out=tmp_path / "audit")
    written = mb.Draw.load(tmp_path / "audit").written
    entry = read_ledger(tmp_path / "audit").of_kind("draw")[0]

    def guessed(salt):
        tries = (replace(written, seed=str(i), seed_salt=salt) for i in range(2000, 2040))
        return [one.seed for one in tries if one.digest == entry["draw"]]

    assert guessed("") == []
    assert guessed(written.seed_salt) == ["2026"]
