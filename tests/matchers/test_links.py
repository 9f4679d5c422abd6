"""Records matched with those that they occur with: `match(links=…)`."""

import numpy as np
import pyarrow as pa
import pytest

from matchbound.errors import InputError
from matchbound.matchers.program import records
from matchbound.matchers.records.agglomeration import agglomerate
from matchbound.matchers.records.closure import heights
from matchbound.matchers.records.fields import read_tables
from matchbound.matchers.records.links import read_links
from matchbound.matchers.records.match import match
from support.bibliography import SETTINGS, bibliography, labelled_fifth, pairwise_f1
from support.link_cases import pairs_of, random_case


@pytest.fixture(scope="module")
def small():
    made = bibliography(0, papers=120, communities=10)
    labelled, labels = labelled_fifth(made)
    return made, labelled, labels, match(made.records(), labels=labels, links=made.links())


def test_links_raise_f1(small):
    made, labelled, labels, matches = small
    alone = pairwise_f1(made, match(made.records(), labels=labels), labelled)
    assert pairwise_f1(made, matches, labelled) >= alone + 0.05


def test_no_two_references_of_a_paper_are_matched(small):
    made, _, _, matches = small
    paper = dict(zip(made.ids, made.papers, strict=True))
    for threshold in (0.5, 0.7, 0.9):
        clusters = {}
        for x, y, score in matches:
            if score >= threshold:
                clusters.setdefault(x, {x}).add(y)
                clusters.setdefault(y, {y}).add(x)
        assert len(clusters) > 100
        for members in clusters.values():
            assert len({paper[record] for record in members}) == len(members)
            assert all(clusters[record] == members for record in members)  # matches are closed


@pytest.mark.slow
def test_links_raise_f1_between_two_tables():
    made = bibliography(1, papers=300, communities=20)
    is_left = [int(paper[1:]) % 2 == 0 for paper in made.papers]
    left, right = (
        made.records().filter(pa.array([own == side for own in is_left])) for side in (True, False)
    )
    chosen = [i for i in range(0, len(made.ids), 5) if is_left[i]]
    labels = [
        (made.ids[x], y)
        for x in chosen
        for y in [
            made.ids[i]
            for i, a in enumerate(made.authors)
            if a == made.authors[x] and not is_left[i]
        ]
        or [None]
    ]
    true = {
        (made.ids[x], made.ids[y])
        for pair in made.pairs()
        for x, y in (pair, pair[::-1])
        if is_left[x] and not is_left[y]
    }
    known = {made.ids[x] for x in chosen}
    true = {pair for pair in true if pair[0] not in known}

    def f1(matches):
        found = {pair for pair in matches.pairs() if pair[0] not in known}
        return 2 * len(found & true) / (len(found) + len(true))

    alone = f1(match(left, right, labels=labels))
    assert f1(match(left, right, labels=labels, links=made.links())) >= alone + 0.05


def test_links_match_without_labels(small):
    made, *_ = small
    by_links = pairwise_f1(made, match(made.records(), links=made.links()), set())
    by_texts = pairwise_f1(made, match(made.records(), links=made.links(), alpha=0), set())
    assert by_links >= by_texts + 0.05  # with alpha 0, links still decide where it starts


@pytest.mark.slow
@pytest.mark.parametrize("setting", SETTINGS)
def test_links_raise_f1_by_eight_hundredths_in_every_setting(setting):
    for seed in range(2):
        made = bibliography(seed, **SETTINGS[setting])
        labelled, labels = labelled_fifth(made, seed)
        alone = pairwise_f1(made, match(made.records(), labels=labels), labelled)
        linked = pairwise_f1(
            made, match(made.records(), labels=labels, links=made.links()), labelled
        )
        assert alone <= 0.85
        assert linked >= alone + 0.08


def test_scores_are_where_two_records_came_into_one_cluster():
    for seed in range(40):
        count, pairs, groups, _ = random_case(seed)
        merges = agglomerate(count, pairs_of(pairs), groups, alpha=0.0, threshold=0.2)
        members = {record: {record} for record in range(count)}
        expected = {}
        for similarity, a, b in merges:
            expected |= {
                (min(p), max(p)): similarity
                for x in members[a]
                for y in members[b]
                for p in [(x, y)]
            }
            members[a] |= members[b]
        x, y = np.triu_indices(count, 1)
        found = dict(
            zip(zip(x.tolist(), y.tolist(), strict=True), heights(merges, x, y), strict=True)
        )
        assert found == {pair: expected.get(pair, -1.0) for pair in found}


PEOPLE = pa.table({"id": ["a", "b", "c", "d"], "name": ["ann", "ben", "ann", "ben"]})
OTHERS = pa.table({"id": ["d", "e"], "name": ["ann", "ben"]})


def test_groups_and_pairs_are_read():
    tables = read_tables(PEOPLE)
    groups = pa.table({"record": ["a", "b", "c", "a", "d"], "group": [1, 1, 2, 1, 2]})
    assert read_links(groups, tables).groups == [[0, 1], [2, 3]]
    pairs = pa.table({"x": ["a", "c", "d"], "y": ["b", "d", "d"]})
    assert read_links(pairs, tables).groups == [[0, 1], [2, 3]]


def test_records_of_the_right_table_come_after_the_left():
    links = read_links(pa.table({"x": ["a"], "y": ["e"]}), read_tables(PEOPLE, OTHERS))
    assert (links.groups, links.count, links.offset) == ([[0, 5]], 6, 4)


@pytest.mark.parametrize(
    ("links", "right", "words"),
    [
        (
            {"record": ["a", "z"], "group": [1, 1]},
            None,
            "links must be of records of the tables, got 'z' among 1 that are in none. "
            "Correct or remove them.",
        ),
        (
            {"record": ["a", "d"], "group": [1, 1]},
            OTHERS,
            "links must name records by ids that one table has, got 'd', which both have. "
            "Give the records of one table other ids.",
        ),
        (
            {"record": ["a", None], "group": [1, 1]},
            None,
            "links must have a value in record and group of every row, got 1 empty among 2 rows. "
            "Fill or remove these.",
        ),
        (
            {"a": ["a"], "b": [1]},
            None,
            "links must have a column 'record', got 'a', 'b'. Rename the column that holds it.",
        ),
    ],
)
def test_links_are_checked(links, right, words):
    with pytest.raises(InputError) as error:
        read_links(pa.table(links), read_tables(PEOPLE, right))
    assert str(error.value) == words


def test_links_that_labels_contradict_are_refused():
    links = pa.table({"x": ["a"], "y": ["c"]})
    with pytest.raises(InputError) as error:
        match(PEOPLE, labels=[("a", "c"), ("b", None)], links=links)
    assert str(error.value) == (
        "links must be of records that do not match each other, got 'a' and 'c' in one group, "
        "which labels match. Remove one of them from it."
    )


def test_what_withhold_runs_takes_links_that_labels_contradict(tmp_path):
    """Otherwise a validation label would say how to correct what the holdout uses."""
    rng = np.random.default_rng(3)
    names = [" ".join(rng.choice(list("abcdefgh"), 9)) for _ in range(12)]
    left = pa.table({"id": [f"l{i}" for i in range(12)], "name": names})
    right = pa.table({"id": [f"r{i}" for i in range(12)], "name": names})
    matcher = records(left, right, links=pa.table({"x": ["l5"], "y": ["r5"]}))
    found = matcher([(f"l{i}", f"r{i}") for i in range(10)]).pairs()
    assert ("l11", "r11") in found
    assert ("l5", "r5") not in found


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({}, "labels must be given, got None. Give labelled nodes, or links."),
        (
            {"alpha": 0.5, "labels": [("a", "c")]},
            "alpha must be left out with labels, got 0.5: they decide what links are worth. "
            "Drop one of them.",
        ),
        (
            {"alpha": 2, "links": {"x": ["a"], "y": ["b"]}},
            "alpha must be a number from 0 to 1, got 2. Give for example 0.5.",
        ),
    ],
)
def test_labels_and_alpha_are_checked(options, words):
    with pytest.raises(InputError) as error:
        match(PEOPLE, **options)
    assert str(error.value) == words
