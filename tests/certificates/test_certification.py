"""The door of `certify`: its choices by name or as one value."""

import inspect
from dataclasses import fields

import pytest

import matchbound as mb
from support.audits import make_inputs

SET_BY_MATCHBOUND = {"brought"}


def test_certify_spells_out_every_choice():
    parameters = inspect.signature(mb.certify).parameters
    assert not any(p.kind is p.VAR_KEYWORD for p in parameters.values())
    names = {field.name for field in fields(mb.Choices)} - SET_BY_MATCHBOUND
    assert names <= set(parameters)
    assert all(parameters[name].default is None for name in names)


def test_choices_by_name_or_as_one_value(tmp_path):
    truth = make_inputs(tmp_path)
    (tmp_path / "labels.csv").write_text("x,y\n" + "".join(f"{x},{y}\n" for x, y in truth.items()))
    brought = {
        "population": tmp_path / "people.csv",
        "labels": tmp_path / "labels.csv",
        "holdout": tmp_path / "holdout.csv",
        "assume_uniform": True,
    }
    by_name = mb.certify(**brought, delta=0.1, one_to_one=True)
    as_value = mb.certify(**brought, choices=mb.Choices(delta=0.1, one_to_one=True))
    assert by_name == as_value
    assert (by_name.choices.delta, by_name.choices.one_to_one) == (0.1, True)
    with pytest.raises(mb.InputError) as refusal:
        mb.certify(**brought, delta=0.1, choices=mb.Choices())
    assert str(refusal.value) == (
        "choices must be given as one value or by name, got both (first: delta). Drop one of them."
    )
    with pytest.raises(TypeError, match="surprise"):
        mb.certify(**brought, surprise=1)
