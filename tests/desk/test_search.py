"""Search: records are found whatever the typos, and the same ones every time."""

import numpy as np
import pyarrow as pa
import pytest

from matchbound.desk import _search
from matchbound.desk.search import Search
from matchbound.errors import InputError

ROWS = 5000
PARTS = ["an", "ber", "co", "dal", "el", "fin", "gor", "ha", "is", "ken", "lu", "mor", "ni", "row"]


def names(rng, parts):
    return ["".join(rng.choice(PARTS, parts)).title() for _ in range(ROWS)]


@pytest.fixture(scope="module")
def people():
    rng = np.random.default_rng(7)
    return {
        "id": [f"P-{i}" for i in rng.permutation(ROWS)],
        "given": names(rng, 2),
        "surname": names(rng, 4),
        "town": [f"{a} {b}" for a, b in zip(names(rng, 1), names(rng, 3), strict=True)],
        "house": rng.integers(1, 99, ROWS).astype(str).tolist(),
    }


@pytest.fixture(scope="module")
def search(people):
    return index(**people)


def index(**columns):
    return Search({name: pa.array(column, pa.string()) for name, column in columns.items()})


def typo(rng, word):
    i, letter = int(rng.integers(len(word))), chr(97 + int(rng.integers(26)))
    swapped = word[:i] + word[i + 1 : i + 2] + word[i] + word[i + 2 :]
    edits = [word[:i] + word[i + 1 :], word[:i] + letter + word[i:], swapped]
    return str(rng.choice([*edits, word[:i] + letter + word[i + 1 :]]))


def queries(people, count=300):
    """One or two typos in each name of a record, its fields in any order; or in one field."""
    rng = np.random.default_rng(11)
    for k in range(count):
        row = int(rng.integers(ROWS))
        fields = ["surname"] if k % 3 == 0 else ["surname", "given", "town"][: 2 + k % 2]
        words = [people[field][row] for field in rng.permutation(fields)]
        for _ in range(1 + k % 2):
            words = [typo(rng, word) for word in words]
        yield " ".join(words), "surname" if len(fields) == 1 else None, row


def test_typos_are_no_obstacle(people, search):
    found = [row in search.find(text, field) for text, field, row in queries(people)]
    assert np.mean(found) >= 0.95


def test_an_exact_id_comes_first(people, search):
    for row in range(0, ROWS, 50):
        assert search.find(people["id"][row])[0] == row
        assert search.find(people["id"][row].lower().replace("-", ""), "id")[0] == row


def test_an_id_comes_before_other_fields_that_have_it():
    search = index(id=["5", "6", "7"], house=["7", "7", "6"], flat=["7", "7", "6"])
    assert search.find("7")[0] == 2


def test_the_same_every_time_and_however_chunked(people, search):
    texts = list(queries(people, 30))
    first = [search.find(text, field) for text, field, _ in texts]
    parts = {
        name: pa.chunked_array([column[:17], [], column[17:4000], column[4000:]], pa.large_string())
        for name, column in people.items()
    }
    sliced = {name: pa.array(["x", *column, "y"])[1:-1] for name, column in people.items()}
    for other in (search, Search(parts), Search(sliced)):
        assert [other.find(text, field) for text, field, _ in texts] == first


@pytest.mark.parametrize(
    ("text", "record"),
    [
        ("mcdonald", "Mc Donald"),
        ("mc donald", "McDonald"),
        ("obrien", "O'Brien"),
        ("jose munoz", "José Muñoz"),
        ("STRASSE", "straße"),
        ("soren", "Søren"),
        ("19850312", "1985-03-12"),
        ("smith john", "John Smith"),
        ("smyht", "Smith"),
        ("eliz", "Elizabeth"),
        ("王大明", "王小明"),
        ("朝阳", "北京市朝阳区"),
        ("محمد علي", "مُحَمَّد عَلِي"),
        ("иваноф", "Иванов"),
        ("김민준", "김민즌"),
        ("🦊", "Reynard🦊"),
        ("ｆｕｌｌ", "full"),
    ],
)
def test_what_counts_as_alike(text, record):
    others = ["Abcdefg", "Hijklmn", None, "Opqrstuv", "龍", "Щжю", "🎈"]
    assert index(name=[*others, record]).find(text)[:1] == [len(others)]


def test_nulls_and_empty_texts_are_never_found():
    search = index(a=[None, "", "ann", "..."], b=[None, None, None, None])
    assert search.find("ann") == [2]
    assert search.find("ann", "b") == []


@pytest.mark.parametrize("text", ["", "   ", "...!?-", "\u0301", "\ud800"])
def test_nothing_to_look_for(search, text):
    assert search.find(text) == []


def test_long_fields_neither_break_nor_win():
    rng = np.random.default_rng(3)
    long = " ".join(rng.choice(PARTS, 100)) + " smith" + " words" * 20_000
    search = index(note=[long, "x" * 100_000, "ann", "smith", *["ann bell"] * 50])
    assert search.find("smith") == [3, 0]
    assert search.find("x" * 100_000)[0] == 1
    assert search.find("words") == [0]


def test_only_the_field_named(search, people):
    found = search.find(people["given"][0], "given")
    assert people["given"][found[0]] == people["given"][0]
    assert search.find("P-17", "given") == []
    with pytest.raises(InputError) as error:
        search.find("ann", "age")
    assert str(error.value) == (
        "field must be one of id, given, surname, town, house; got 'age'. Choose one."
    )


def test_limits(search, people):
    few, many = (search.find(people["house"][0], limit=limit) for limit in (3, 1000))
    assert (len(few), search.find("1", limit=0)) == (3, [])
    assert many[:3] == few
    assert len(set(many)) == len(many)


def test_tables_of_no_row_and_of_one():
    assert index(name=[]).find("ann") == []
    assert Search({"name": pa.chunked_array([], pa.string())}).find("ann") == []
    assert Search({}).find("ann") == []
    assert index(name=["ann"]).find("ann") == [0]
    assert index(name=["ann"]).find("anm") == [0]
    assert index(name=["ann"]).find("zoe") == []


def distance(a, b):
    """Optimal string alignment by its recurrence."""
    d = {(i, j): i + j for i in range(len(a) + 1) for j in range(len(b) + 1) if not i * j}
    for i in range(1, len(a) + 1):
        for j in range(1, len(b) + 1):
            d[i, j] = min(
                d[i - 1, j] + 1, d[i, j - 1] + 1, d[i - 1, j - 1] + (a[i - 1] != b[j - 1])
            )
            if i > 1 and j > 1 and a[i - 1] == b[j - 2] and a[i - 2] == b[j - 1]:
                d[i, j] = min(d[i, j], d[i - 2, j - 2] + 1)
    return d[len(a), len(b)]


def test_edits_by_bits_are_those_of_the_recurrence():
    rng = np.random.default_rng(5)
    for _ in range(500):
        a, b = (rng.integers(97, 101, rng.integers(1, 12)).astype(np.uint32) for _ in "ab")
        got = _search.edits(_search.places_of(a), a.size, b)
        assert got == distance(a.tolist(), b.tolist())


@pytest.mark.parametrize(
    "query",
    ["773-235-4073", "(773) 235 4073", "7732354073", "773.235.4073", "235-4073", "4073", "77323"],
)
@pytest.mark.parametrize("written", ["773-235-4073", "7732354073", "(773) 235-4073"])
def test_a_number_is_found_in_any_notation(query, written):
    rng = np.random.default_rng(5)
    others = [f"{n[0]}-{n[1]}-{n[2]}" for n in rng.integers([200, 200, 5000], 9999, (400, 3))]
    assert index(phone=[*others[:200], written, *others[200:]]).find(query)[0] == 200


def test_a_field_is_found_by_its_beginning():
    rows = ["Lincoln Park School", "Linden School", "Park Lane", "Lincolnshire"]
    assert index(name=rows).find("linco")[:2] in ([0, 3], [3, 0])
