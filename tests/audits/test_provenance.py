"""How labels of the page came about: what was looked at, found, joined, and missed."""

import pytest

from matchbound.audits.book import Book
from matchbound.audits.provenance import Provenance, label_provenance
from matchbound.certificates.words import _looked_for
from matchbound.files import digest_of_text
from matchbound.tables import Digest


def entry(entries, place, labeller, matches, **more):
    label = {"node": f"a{place}", "matches": matches, "note": ""} | more.pop("found", {})
    facts = {"place": place, "labeller": labeller, "decides": False, "label": label} | more
    entries.append({"kind": "label", "entry": len(entries) + 1, **facts})


def provenance(entries):
    digest = Digest(None, digest_of_text(Book.of(entries).to_csv()))
    found = label_provenance(entries, digest, lambda one: one)
    assert Provenance.of(found.as_dict()) == found
    return found


def test_what_was_looked_at_and_how_matches_were_found():
    entries = []
    for number, name in enumerate(["Ann", "Ben"], start=1):
        entries.append({"kind": "labeller", "entry": number, "labeller": number, "name": name})
    looks = {"shown": 12, "likeness": 2, "search": 1}
    entry(entries, 1, 1, ["b", "c", "d"], found={"looks": looks})
    entry(entries, 1, 2, ["b", "c", "d"])
    entry(entries, 2, 1, ["e"], found={"looks": {"shown": 10, "expansion": 1}})
    entry(entries, 3, 1, ["e", "f"])
    entry(entries, 3, 2, ["e", "g"])
    found = provenance(entries)
    assert (found.shown, found.ways) == (22, {"expansion": 1, "likeness": 2, "search": 1})
    # Node 3 is not settled, but two people looked for its matches.
    assert found.by_two == (1, 1, 4)
    # Ann found 5 of about 25/4 matches, Ben too: each missed a fifth of what the other found.
    assert found.missed == pytest.approx(1 / 5 * 1 / 5)
    words = _looked_for(found)
    assert "about 4% of the true matches are missed by both" in words
    assert "For a node 11 records were looked at on average; of the matches, 2 near the" in words


def test_an_entity_that_was_joined_is_one_decision():
    entries = [{"kind": "labeller", "entry": 1, "labeller": 1, "name": "Ann"}]
    entry(entries, 1, 1, ["a2"], found={"looks": {"shown": 9, "likeness": 1}})
    entry(entries, 1, 1, ["a2", "a3"], joint=[1, 2], adds=True, decides=True)
    entry(entries, 3, 1, ["a1", "a2"], joint=[2, 2], found={"looks": {"shown": 9, "entity": 2}})
    entry(entries, 4, 1, [], found={"looks": {"shown": 9}})
    found = provenance(entries)
    assert (found.gained, found.joined, found.changed) == (1, 2, 0)
    assert "Up to 2 labels depend on one decision" in _looked_for(found)
    entries.append({"kind": "undo", "entry": 6, "labeller": 1, "undoes": 4})
    assert Book.of(entries).to_csv().splitlines() == ["x,y", "a1,a2", "a4,"]
