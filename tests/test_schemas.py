"""The published schemas: what they accept, and that one field more, less or other is refused.

Every other test checks all that it makes against them (`conftest.py`).
"""

import copy
import json
import random
import shutil
from dataclasses import fields
from pathlib import Path
from unittest import mock

import pytest

import matchbound as mb
from matchbound.audits.entries import FACTS
from matchbound.audits.journal import SEALED
from matchbound.audits.ledger import append
from matchbound.audits.provenance import Searched, SearchedFile
from matchbound.audits.standing import Standing
from matchbound.bounds import BOUNDS
from matchbound.certificates.remark import CODES, Remark
from matchbound.tables import Recorded
from matchbound.tables.forms import COLUMN_ROLES
from matchbound.theorems import METRICS, Choices, Guarantee
from matchbound.theorems.design import AUTO, WEIGHED
from support.audits import make_audit, run, write_csv
from support.forgetting import label_on_desk, make_people
from support.schemas import NAMES, problems, schema, validator
from support.scored_audits import audit_of

MAPS = ("tallies", "digests", "guesses", "variances", "means", "columns", "until")
"""Objects whose names are data: one less is none the worse."""
OPTIONAL = {
    *(("inputs", name) for name in ("within", "trained_on", "complete", "changed")),
    *(("inputs", name) for name in ("population_now", "cohort late")),
    ("choose_threshold", "precision"),
    ("ledger", "labelled"),
    ("search", "guidelines"),  # in an entry
    (0, "guidelines"),  # in a certificate's list
    *(("", name) for name in ("variances", "nodes", "choices", "extends", "grown", "by_place")),
    *(("", name) for name in ("joint", "adds", "page")),
}
"""Fields that need not be there, after the object that they are in."""


def lines(audit):
    return [json.loads(line) for line in (audit / "ledger.jsonl").read_text().splitlines()]


def every_verb(folder):
    """An audit that went through every verb that appends to the ledger."""
    truth, audit = make_people(folder, 400), folder / "audit"
    people, holdout = folder / "people.csv", folder / "holdout.csv"
    write_csv(folder / "part.csv", ["id"], [[x] for x in list(truth)[:300]])
    write_csv(folder / "other.csv", ["x", "y"], [[x, y] for x, ys in truth.items() for y in ys][9:])
    draw = ["draw", people, "--link", "--within", folder / "part.csv", "--out", audit]
    assert run(*draw, "--train", 5) == 0
    label_on_desk(audit, truth)
    for labels in (15, 20):
        assert run(*draw, "--labels", labels, "--holdout", holdout, "--force") == 0
    assert run("register", audit, "--holdout", folder / "other.csv") == 0
    assert run("register", audit, "--withdraw") == 0
    file = SearchedFile("right.csv", "0" * 64)
    append(audit, "search", search=Searched(file, file, 400, file, file, 0.5, file).as_dict())
    desk = label_on_desk(audit, truth)
    desk.show_answer("Ana Zqxana", 1)
    append(audit, "proceed", labeller=1)
    (on_record, *_) = [one["holdout"] for one in lines(audit) if one["kind"] == "register"]
    desk.watch(Recorded.of(on_record))
    mb.estimate(audit, holdout=holdout)
    certificate = mb.certify(audit, holdout=holdout)
    mb.seal(audit)
    mb.forget(audit, [desk.order[0]], reason="asked")
    entry = {"labeller": 1, "place": 1, "validation": 0, "sure": True, "decides": True}
    label = {"node": "a", "matches": [], "note": ""}
    append(audit, "label", **entry, joint=[1, 2], adds=True, label=label)
    among = mb.draw(people, labels=20, holdout=holdout, among=True, metrics=["precision"])
    draws = json.loads((audit / "draw.json").read_text()), among.written.as_dict()
    return certificate, lines(audit), draws


def moved(folder, kind):
    """The ledger of a folder of version 1 that was moved."""
    source = Path(__file__).parent / "certificates" / "version1" / "folders" / kind
    audit = shutil.copytree(source, folder / kind) / "audit"
    assert run("repair", audit, "--to", 2) == 0
    return lines(audit)


def other_certificates(folder):
    """A threshold that is chosen; labels that were brought along; pairs whose clusters link more;
    guesses and a table with named columns."""
    folder.mkdir()
    audit, *_ = audit_of(folder / "scored", "--choose-threshold", "precision=0.5")
    yield mb.certify(audit, holdout=folder / "scored" / "holdout.csv")
    records = write_csv(folder / "people.csv", ["id"], [[f"a{i}"] for i in range(90)])
    chain = [(f"a{i}", f"a{i + 1}") for i in range(90) if i % 3 < 2]
    pairs = write_csv(folder / "pairs.csv", ["left", "right"], chain)
    labels = [(f"a{i}", f"a{j}") for i in range(90) for j in range(i - i % 3, i - i % 3 + 3)]
    truth = write_csv(folder / "labels.csv", ["x", "y"], [(x, y) for x, y in labels if x != y])
    trained = write_csv(folder / "trained.csv", ["id"], [[f"a{i}"] for i in range(9)])
    yield mb.certify(
        population=records,
        labels=truth,
        trained_on=trained,
        holdout=pairs,
        dedupe=True,
        columns={"x": "left", "y": "right"},
        assume_uniform=True,
        guesses={"precision": 0.9},
    )


def grown(folder):
    """A certificate of a population that has changed since, with a later draw from new nodes."""
    folder.mkdir()
    audit, late = folder / "audit", folder / "audit" / "cohorts" / "late"
    for name, numbers in (("then", range(100)), ("now", range(5, 160)), ("changed", [7])):
        write_csv(folder / f"{name}.csv", ["id"], [[f"r{i}"] for i in numbers])
        write_csv(folder / f"{name}-matches.csv", ["x", "y"], [[f"r{i}", f"y{i}"] for i in numbers])
    then, now = (["--holdout", folder / f"{name}-matches.csv"] for name in ("then", "now"))
    cohort = ["--cohort", "late"]
    for place, drawn in (
        (audit, [folder / "then.csv", "--link", *then]),
        (late, [folder / "now.csv", "--delta", 0.02, *now, *cohort]),
    ):
        assert run("draw", *drawn, "--labels", 30, "--out", audit) == 0
        rows = [[x, f"y{x[1:]}"] for x, *_ in mb.Draw.load(place).sample]
        write_csv(place / "labels.csv", ["x", "y"], rows)
    assert run("certify", late, *now) == 0
    complete = ["--complete", now[1], "--population", folder / "now.csv"]
    changed = ["--changed", folder / "changed.csv"]
    assert run("certify", audit, *then, *complete, *cohort, *changed) == 0
    return mb.Certificate.load(audit / "certificate.json"), lines(audit)


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    """By schema: contents that hold every field of it at least once."""
    folder = tmp_path_factory.mktemp("schemas")
    made = random.Random(1)
    with mock.patch("secrets.token_hex", side_effect=lambda size: made.randbytes(size).hex()):
        certificate, entries, draws = every_verb(folder / "verbs")
        since, more = grown(folder / "grown")
    others = list(other_certificates(folder / "others"))
    contents = {
        "certificate": [one.as_dict() for one in (certificate, since, *others)],
        "draw": draws,
        "ledger": [*entries, *more, *moved(folder, "certified"), *moved(folder, "extended")],
    }
    return {name: list(map(short, some)) for name, some in contents.items()}


def short(content):
    """The first of every long list and of the digests, which are many alike."""
    if isinstance(content, list):
        return [short(one) for one in content[:9]]
    if not isinstance(content, dict):
        return content
    digests = dict([*content.get("digests", {}).items()][:1])
    made = {name: short(value) for name, value in content.items() if name != "digests"}
    return made | ({"digests": digests} if digests else {})


def test_they_are_schemas():
    for name in NAMES:
        assert schema(name)["$schema"] == "https://json-schema.org/draft/2020-12/schema"
        assert schema(name)["$id"] == f"urn:matchbound:{name}:2"
        assert not validator(name).is_valid({})


@pytest.mark.parametrize("name", NAMES)
def test_every_field_is_made_here(made, name):
    """So that the test below breaks each of them."""
    assert [problem for one in made[name] for problem in problems(name, one)] == []
    kinds = {one["kind"] for one in made["ledger"]}
    assert kinds == set(schema("ledger")["properties"]["kind"]["enum"])
    seen = {place[-1] for one in made[name] for place in places(one)}
    numbers = {number for of_code in CODES.values() for number in of_code}
    assert set(properties(schema(name))) - seen <= numbers


@pytest.mark.parametrize("name", NAMES)
def test_one_field_less_more_or_other_is_refused(made, name):
    for content in made[name]:
        for place in places(content):
            *_, parent, field = ("", "", *place)
            for change, changed in changes(content, place):
                is_free = change == "less" and (parent in MAPS or (parent, field) in OPTIONAL)
                if not is_free:
                    assert not validator(name).is_valid(changed), (change, place)


def places(content, place=()):
    """The place of every field of a content."""
    if isinstance(content, dict):
        for name, value in content.items():
            yield (*place, name)
            yield from places(value, (*place, name))
    elif isinstance(content, list):
        for number, value in enumerate(content):
            yield from places(value, (*place, number))


OTHER = {str: 1, int: "1", float: "1", bool: "yes", type(None): False, list: {"x": [[]]}, dict: []}
"""For a value of each type, one that no field with such values may have."""


def changes(content, place):
    """The content without a field, with another type of value there, and with one more beside."""
    for change in ("less", "other", "more"):
        changed = copy.deepcopy(content)
        holder = changed
        for name in place[:-1]:
            holder = holder[name]
        if change == "less":
            del holder[place[-1]]
        elif change == "other":
            holder[place[-1]] = OTHER[type(holder[place[-1]])]
        else:
            holder["unheard-of"] = [[]]
        yield change, changed


def properties(part):
    """The names of all fields that a schema describes."""
    if isinstance(part, list):
        for one in part:
            yield from properties(one)
    elif isinstance(part, dict):
        named = part.get("properties", {})
        yield from named
        for one in (*named.values(), *(v for k, v in part.items() if k != "properties")):
            yield from properties(one)


def changed(content, place, value):
    """The content with another value at a place."""
    content = copy.deepcopy(content)
    holder = content
    for name in place[:-1]:
        holder = holder[name]
    holder[place[-1]] = value
    return content


def test_other_values_are_refused(made):
    """Of the right type, but none that there is."""
    certificate, _, chosen, _ = made["certificate"]
    assert chosen["threshold"] is not None
    remarks = [(i, one) for i, one in enumerate(certificate["assumptions"]) if len(one) > 1]
    numbers = [((i, name), -1) for i, one in remarks for name in one if name != "code"]
    assert numbers
    for place, value in (
        (("guarantees",), []),
        (("guarantees", 0, "metric"), "f1"),
        (("guarantees", 0, "bound"), "hope"),
        (("guarantees", 0, "part"), ""),
        (("guarantees", 0, "side"), "middle"),
        (("guarantees", 0, "value"), 1.01),
        (("guarantees", 0, "estimate"), -0.01),
        (("guarantees", 0, "among"), 0),
        (("choices", "metrics"), []),
        (("choices", "metrics"), ["precision", "f1"]),
        (("choices", "metrics"), ["recall", "recall"]),
        (("choices", "theorem"), "other"),
        (("choices", "bound"), "hope"),
        (("choices", "weigh"), "recall"),
        (("choices", "delta"), 1),
        (("choices", "guesses"), {"f1": 0.5}),
        (("choices", "variances"), {"recall": 0}),
        (("choices", "few_misses"), ["f1"]),
        (("choices", "until"), {"f1": 5}),
        (("ledger", "registered"), 0),
        (("ledger", "registered"), -1),
        (("ledger", "seeded", "draw"), 0),
        (("ledger", "entries"), -1),
        (("ledger", "together"), 1.5),
        *((("assumptions", *place), value) for place, value in numbers),
    ):
        assert not validator("certificate").is_valid(changed(certificate, place, value)), place
    draw = made["draw"][0]
    for place, value in ((("choices", "bound"), "hope"), (("labels",), -1), (("digest",), "0")):
        assert not validator("draw").is_valid(changed(draw, place, value)), place
    for entry in made["ledger"]:
        for number in (0, -1):
            assert not validator("ledger").is_valid(entry | {"entry": number})
    for kind, name in (("withdraw", "register"), ("label", "place"), ("draw", "choices")):
        (entry, *_) = (one for one in made["ledger"] if one["kind"] == kind and name in one)
        assert not validator("ledger").is_valid(entry | {name: -1})


def test_closed_lists_are_those_of_the_code():
    for name in NAMES:
        assert schema(name)["$defs"]["metric"]["enum"] == list(METRICS)
        assert schema(name)["$defs"]["bound"]["enum"] == [AUTO, *BOUNDS]
        assert schema(name)["$defs"]["choices"]["properties"]["weigh"]["enum"] == ["", *WEIGHED]


def test_a_list_s_items_are_checked(made):
    tallies = made["certificate"][0]["tallies"]["all"]
    for name, wrong in (
        ("validation", [1, 1, 1, 1, 1]),
        ("validation", [None, 1, 1, 1, 1, 1]),
        ("validation", [1, 1, 1, 1, 1, 1, 1]),
        ("gap", [1, 1, 1, 1, 1]),
        ("gap", [1, 1, 1, -1]),
        ("overlap", "1"),
    ):
        content = copy.deepcopy(made["certificate"][0])
        content["tallies"]["all"] = tallies | {name: [*tallies[name], wrong]}
        assert not validator("certificate").is_valid(content), (name, wrong)


def test_values_and_schemas_have_the_same_fields():
    """Whoever adds a field, a kind of entry or a remark is led to the schema."""
    certificate, ledger = schema("certificate")["$defs"], schema("ledger")["$defs"]
    for of, described in (
        (Choices, certificate["choices"]),
        (Guarantee, certificate["guarantee"]),
        (Standing, certificate["ledger"]),
    ):
        assert list(described["properties"]) == [field.name for field in fields(of)]
    assert certificate["columns"]["propertyNames"]["enum"] == list(COLUMN_ROLES)
    for kind, facts in FACTS.items():
        assert set(facts) <= set(ledger[f"{kind}_entry"]["properties"]), kind
    for kind, sealed in SEALED.items():
        for name in sealed:
            assert "#/$defs/sealed" in json.dumps(ledger[f"{kind}_entry"]["properties"][name])


def test_shared_definitions_are_the_same_everywhere():
    for name in NAMES:
        for other in NAMES:
            ours, theirs = schema(name)["$defs"], schema(other)["$defs"]
            for shared in ours.keys() & theirs.keys():
                assert ours[shared] == theirs[shared], (shared, name, other)


def test_every_remark_has_its_numbers():
    of_remarks = {**schema("certificate")["$defs"]["remark"], "$defs": {}}
    valid = type(validator("certificate"))(of_remarks).is_valid
    codes = [v for one in of_remarks["oneOf"] for v in _codes(one["properties"]["code"])]
    assert sorted(codes) == sorted(CODES)
    for code, names in CODES.items():
        remark = Remark(code, (1,) * len(names)).as_dict()
        assert valid(remark)
        assert not valid(remark | {"unheard-of": 1})
        for name in remark:
            assert not valid({n: v for n, v in remark.items() if n != name})
            assert not valid(remark | {name: None})


def _codes(described):
    return described.get("enum", [described.get("const")])


def test_entries_that_hold_what_is_private_are_refused(made):
    """The schema is of the ledger as it is on disk, where such facts are commitments."""
    for entry in made["ledger"]:
        for name in SEALED.get(entry["kind"], ()):
            assert not validator("ledger").is_valid(entry | {name: "open"})


def test_the_watch_tells_what_does_not_fit(tmp_path, misfits, monkeypatch):
    """So every other test would notice."""
    audit = make_audit(tmp_path)
    drawn = mb.Draw.load(audit)
    certificate = mb.certify(audit, holdout=tmp_path / "holdout.csv")
    assert misfits == []
    append(audit, "look", what="nothing")
    monkeypatch.setattr(Choices, "as_dict", lambda choices: {})
    assert drawn.written.as_dict()["choices"] == certificate.as_dict()["choices"] == {}
    assert {problem.partition(",")[0] for problem in misfits} == set(NAMES)
    misfits.clear()
