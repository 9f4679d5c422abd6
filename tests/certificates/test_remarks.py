"""Certificates hold codes and numbers; sentences are made when they are printed."""

import json

import pytest

import matchbound as mb
from matchbound.certificates import words
from matchbound.certificates.remark import CODES, Remark
from support.audits import certify, make_audit, run


@pytest.fixture(scope="module")
def audit(tmp_path_factory):
    """One with advice, for few of its nodes have a true match."""
    folder = make_audit(tmp_path_factory.mktemp("remarks"), labels=12, train=6)
    assert certify(folder) == 0
    return folder


def test_every_code_has_a_sentence_with_its_numbers():
    assert words.SENTENCES.keys() == CODES.keys()
    for code, names in CODES.items():
        numbers = tuple(range(41, 41 + len(names)))
        (sentence,) = words.sentences([Remark(code, numbers)])
        assert sentence.endswith(".")
        assert "{" not in sentence
        assert all(str(number) in sentence for number in numbers), code


def test_a_reworded_sentence_leaves_certificates_valid(audit, monkeypatch, capsys):
    certificate = mb.Certificate.load(audit / "certificate.json")
    assert certificate.advice
    for code in CODES:
        monkeypatch.setitem(words.SENTENCES, code, f"Otherwise: {code}.")
    assert "Otherwise: drawn." in str(certificate)
    assert "Otherwise: draw_more." in str(certificate)
    capsys.readouterr()
    assert run("verify", audit) == 0
    assert "its tallies, from its inputs; its draw, from the seed." in capsys.readouterr().out


def test_a_certificate_holds_no_sentence(audit):
    """Nor does the ledger: no text in them has a space, but for names of inputs and of parts."""
    record = json.loads((audit / "certificate.json").read_text())
    entries = [json.loads(line) for line in (audit / "ledger.jsonl").read_text().splitlines()]
    for text in texts([record, entries]):
        assert " " not in text or text.startswith("/"), text
    assert record["assumptions"][0] == {"code": "drawn"}
    (advice,) = record["advice"]
    assert advice.keys() == {"code", "matched", "more", "enough"}


def texts(value):
    if isinstance(value, dict):
        for inner in value.values():
            yield from texts(inner)
    elif isinstance(value, list):
        for inner in value:
            yield from texts(inner)
    elif isinstance(value, str):
        yield value


@pytest.mark.parametrize(
    "record",
    [
        {"code": "unheard_of"},
        {"code": "on_record"},
        {"code": "on_record", "entry": "3"},
        {"code": "on_record", "entry": True},
        {"code": "on_record", "entry": 3, "more": 4},
        {"code": "on_record", "register": 3},
        {"entry": 3},
        {},
    ],
)
def test_remarks_of_another_shape_are_refused(record):
    with pytest.raises((ValueError, KeyError)):
        Remark.from_dict(record)
