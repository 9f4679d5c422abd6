"""A certificate is computed again from itself; whatever was changed is named."""

import copy
import json
import shutil

import pytest

import matchbound as mb
from matchbound.certificates.record import leaves
from matchbound.files import digest_of_json
from support.audits import certify, make_audit, read_csv, run, write_csv


@pytest.fixture(scope="module")
def certified(tmp_path_factory):
    audit = make_audit(tmp_path_factory.mktemp("verify"))
    assert certify(audit) == 0
    return audit


@pytest.fixture
def alone(certified, tmp_path):
    """The certificate, far from its inputs."""
    record = json.loads((certified / "certificate.json").read_text())
    for source in record["inputs"].values():
        source["path"] = f"elsewhere/{source['path']}"
    return reseal(record), tmp_path / "certificate.json"


def reseal(record):
    """What a forger with matchbound at hand could do: make every digest fit again."""
    body = {name: value for name, value in record.items() if name not in ("digest", "digests")}
    body["digests"] = {place: digest_of_json(leaf)[:16] for place, leaf in leaves(body)}
    return body | {"digest": digest_of_json(body)}


def verify(record, path, capsys):
    path.write_text(json.dumps(record))
    status = run("verify", path)
    captured = capsys.readouterr()
    return status, captured.out + captured.err


def test_a_good_certificate_verifies(certified, alone, capsys):
    assert run("verify", certified) == 0
    out = capsys.readouterr().out
    assert out == (
        "Verified: its digests; its guarantees, from its tallies; its place in the ledger; its "
        "tallies, from its inputs; its draw, from the seed.\n"
        f"Certificate: {certified / 'certificate.json'}\n"
    )
    status, out = verify(*alone, capsys)
    assert status == 3
    assert out == (
        "Consistent in itself, inputs missing: population, draw, labels, holdout, complete, "
        "ledger.\nChecked: its digests; its guarantees, from its tallies.\n"
    )


def numbers(value, place=()):
    """The path of every number in the certificate."""
    if isinstance(value, dict):
        for name, inner in value.items():
            yield from numbers(inner, (*place, name))
    elif isinstance(value, list):
        for i, inner in enumerate(value):
            yield from numbers(inner, (*place, i))
    elif isinstance(value, int | float) and not isinstance(value, bool):
        yield place


def name_of(place):
    """As `verify` says it: a list of numbers is named as a whole."""
    name = ""
    for part in place:
        if isinstance(part, int) and not name.startswith("guarantees"):
            break
        name += f"[{part}]" if isinstance(part, int) else f".{part}" if name else part
    return name


@pytest.mark.usefixtures("tampering")
def test_changing_any_number_is_named(alone, capsys):
    record, path = alone
    places = [p for p in numbers(record) if p[0] != "digests"]
    assert len(places) > 500
    # Every number outside the long lists, and every seventh of theirs.
    short = [p for p in places if p[0] != "tallies" or len(p) < 3]
    assert len(short) > 10
    for place in [*short, *[p for p in places if p not in short][::7]]:
        changed = copy.deepcopy(record)
        inner = changed
        for part in place[:-1]:
            inner = inner[part]
        inner[place[-1]] += 1
        status, out = verify(changed, path, capsys)
        assert status == 1, place
        assert f"{name_of(place)} was changed" in out


def test_a_changed_digest_is_named(alone, capsys):
    record, path = alone
    status, out = verify(record | {"digest": "0" * 64}, path, capsys)
    assert (status, "digest was changed" in out) == (1, True)


@pytest.mark.usefixtures("tampering")
@pytest.mark.parametrize("name", ["value", "estimate", "bound", "algorithm", "metric"])
def test_a_forged_guarantee_does_not_follow_from_the_tallies(alone, capsys, name):
    record, path = copy.deepcopy(alone[0]), alone[1]
    guarantee = record["guarantees"][0]
    guarantee[name] = 0.99 if isinstance(guarantee[name], float) else "holdout"
    status, out = verify(reseal(record), path, capsys)
    assert status == 1
    assert f"guarantees[0].{name} is {guarantee[name]!r}, the tallies give " in out


def test_forged_tallies_do_not_follow_from_the_inputs(certified, capsys):
    """All digests fit and the guarantees follow; only counting again tells."""
    record = json.loads((certified / "certificate.json").read_text())
    tally = mb.Tally.from_dict(record["tallies"]["all"])
    better = tuple(
        one._replace(ht=min(one.h, one.t), ct=min(one.c, one.t))
        if one.h == one.c == one.hc
        else one
        for one in tally.validation
    )
    assert better != tally.validation
    forged = {"all": mb.Tally(tally.size, tally.train, better, tally.overlap, tally.gap)}
    certificate = mb.Certificate.load(certified / "certificate.json")
    from dataclasses import replace

    from matchbound.theorems.guarantees import guarantees

    fake = replace(
        certificate,
        tallies=forged,
        guarantees=guarantees(forged, certificate.choices, complete=True),
    )
    fake.save(certified / "forged.json")
    assert run("verify", certified / "forged.json", "--inputs", certified.parent) == 1
    assert "tallies.all.validation is not what the inputs give" in capsys.readouterr().out


def test_another_version_is_refused(alone, capsys):
    record, path = alone
    status, out = verify(reseal(record | {"matchbound": 3}), path, capsys)
    assert status == 2
    assert "certificate must be of version 2, got 3." in out


@pytest.mark.parametrize(
    ("place", "value"),
    [
        (("ledger", "entries"), 3.5),
        (("ledger", "registered"), "x"),
        (("inputs", "holdout", "columns"), 3),
        (("inputs", "holdout", "threshold"), "high"),
    ],
)
@pytest.mark.parametrize("sealed", [True, False])
def test_values_of_another_kind_are_no_traceback(alone, capsys, place, value, sealed):
    record, path = alone
    if record["ledger"] is None and place[0] == "ledger":
        record["ledger"] = {}
    changed = json.loads(json.dumps(record))
    inner = changed
    for name in place[:-1]:
        inner = inner[name]
    inner[place[-1]] = value
    status, _ = verify(reseal(changed) if sealed else changed, path, capsys)
    assert status in (1, 2)


def copied(certified, tmp_path):
    """The whole folder elsewhere, drawn and certified there."""
    folder = tmp_path / "copy"
    shutil.copytree(certified.parent, folder)
    labels = (folder / "audit/labels.csv").read_bytes()
    shutil.rmtree(folder / "audit")
    draw = mb.draw(folder / "people.csv", labels=120, train=60, seed="s")
    draw.save(folder / "audit")
    (folder / "audit/labels.csv").write_bytes(labels)
    assert certify(folder / "audit") == 0
    return folder


@pytest.mark.parametrize("name", ["holdout", "complete", "people", "audit/labels"])
def test_a_changed_input_is_named(certified, tmp_path, capsys, name):
    folder = copied(certified, tmp_path)
    rows = read_csv(folder / f"{name}.csv")
    header = ["id"] if name == "people" else ["x", "y"]
    write_csv(folder / f"{name}.csv", header, rows[1:])
    assert run("verify", folder / "audit") == 1
    shown = {"people": "population", "audit/labels": "labels"}.get(name, name)
    assert f"inputs.{shown}: " in capsys.readouterr().out


def test_a_sample_that_the_seed_does_not_draw_is_named(certified, tmp_path, capsys):
    """A friendlier sample, with a draw.json made to fit and a ledger cut short, and certified."""
    folder = copied(certified, tmp_path)
    audit = folder / "audit"
    draw = mb.Draw.load(audit)
    from dataclasses import replace

    labels = (audit / "labels.csv").rename(tmp_path / "labels.csv")
    ledger = (audit / "ledger.jsonl").read_text().splitlines(keepends=True)
    (audit / "ledger.jsonl").write_text(ledger[0])
    replace(draw, seed="other").save(audit, force=True)
    labels.rename(audit / "labels.csv")
    assert certify(audit, "--force") == 0
    assert run("verify", audit) == 1
    assert "sample.csv is not what the seed draws" in capsys.readouterr().out


def test_a_sample_changed_after_certifying_is_named(certified, tmp_path, capsys):
    folder = copied(certified, tmp_path)
    rows = read_csv(folder / "audit/sample.csv")
    write_csv(folder / "audit/sample.csv", ["id", "train", "validation"], rows[1:])
    assert run("verify", folder / "audit") == 1
    assert "audit must hold draw.json and sample.csv as drawn" in capsys.readouterr().out


def test_forged_assumptions_and_inputs_are_named(certified, tmp_path, capsys):
    folder = copied(certified, tmp_path)
    path = folder / "audit/certificate.json"
    record = json.loads(path.read_text())
    record["assumptions"][0] = {"code": "drawn_after_training"}
    record["inputs"]["holdout"]["rows"] = 7
    path.write_text(json.dumps(reseal(record)))
    assert run("verify", folder / "audit") == 1
    shown = capsys.readouterr().out
    assert "assumptions[0].code is not what the inputs give" in shown
    assert "inputs.holdout.rows is not what the inputs give" in shown


def test_verify_from_another_folder(certified, tmp_path, capsys, monkeypatch):
    """Relative paths mean the files beside the audit, not a stranger's of the same name."""
    folder = copied(certified, tmp_path)
    for name in ("proj", "other"):
        shutil.copytree(folder, tmp_path / name)
    monkeypatch.chdir(tmp_path / "proj")
    (tmp_path / "proj/audit/certificate.json").unlink()
    (tmp_path / "other/holdout.csv").write_text("x,y\na1,b1\n")
    assert run("certify", "audit", "--holdout", "holdout.csv", "--population", "people.csv") == 0
    monkeypatch.chdir(tmp_path / "other")
    assert run("verify", "../proj/audit") == 0


def test_choices_are_the_draw_s_even_if_an_input_is_gone(certified, tmp_path, capsys):
    folder = copied(certified, tmp_path)
    certificate = mb.Certificate.load(folder / "audit/certificate.json")
    from dataclasses import replace

    from matchbound.theorems.guarantees import guarantees

    choices = replace(certificate.choices, delta=0.5)
    holdout, complete = certificate.inputs.outputs
    inputs = replace(certificate.inputs, outputs=(replace(holdout, path="gone"), complete))
    forged = replace(
        certificate,
        choices=choices,
        inputs=inputs,
        guarantees=guarantees(certificate.tallies, choices, complete=True),
    )
    forged.save(folder / "audit/certificate.json", force=True)
    assert run("verify", folder / "audit") == 1
    assert "choices are not those of the draw" in capsys.readouterr().out


def test_a_name_twice_is_refused(alone, capsys):
    record, path = alone
    text = json.dumps(record).replace('"value":', '"value": 0.999, "value":', 1)
    path.write_text(text)
    assert run("verify", path) == 2


def test_text_that_is_no_unicode_is_named(alone, capsys):
    record, path = copy.deepcopy(alone[0]), alone[1]
    record["inputs"]["holdout"]["path"] = "\ud800"
    status, out = verify(record, path, capsys)
    assert (status, "inputs.holdout.path was changed" in out) == (1, True)


def test_a_certificate_in_memory_verifies(certified):
    certificate = mb.Certificate.load(certified / "certificate.json")
    assert mb.verify(certificate).holds


@pytest.mark.parametrize(
    "change",
    [
        {"inputs": None},
        {"inputs": {"holdout": {}}},
        {"inputs": {"holdout": {"path": 5, "digest": "x"}}},
        {"choices": {"guesses": []}},
        {"choices": {"other_terms": "x"}},
        {"choices": {"surprise": 1}},
        {"tallies": {}},
        {"guarantees": [{}]},
        {"extra": 1},
        {"digest_note": {"precision": 0.99}},
    ],
)
def test_odd_certificates_are_refused(alone, capsys, change):
    record, path = alone
    status, out = verify(reseal(record | change), path, capsys)
    assert status in (1, 2)
    assert "certificate" in out
    status, out = verify(record | change, path, capsys)
    assert status == 1


@pytest.mark.parametrize("text", ["", "{}", "[1]", "x" * 100, "[" * 100_000])
def test_what_is_no_certificate_is_refused(tmp_path, capsys, text):
    (tmp_path / "certificate.json").write_text(text)
    assert run("verify", tmp_path) == 2
    assert capsys.readouterr().err.startswith("matchbound: certificate must be one that matchb")


def test_a_truncated_certificate_does_not_verify(alone, capsys):
    record, path = alone
    for name in ("guarantees", "tallies", "choices", "inputs"):
        status, out = verify({k: v for k, v in record.items() if k != name}, path, capsys)
        assert status == 1
        assert f"{name}" in out
