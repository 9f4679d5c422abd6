"""Ids that labels and matches write differently are refused, never counted as wrong matches."""

import pyarrow as pa
import pytest

import matchbound as mb

PEOPLE = pa.table({"id": [f"p{i}" for i in range(60)]})


def certified(labelled, found, people=PEOPLE, as_x=lambda x: x, **how):
    """A certificate from labels and matches that map a number to a y; None is no match."""
    nodes = people["id"].to_pylist()
    draw = mb.draw(people, labels=40, seed="s", **({"link": True} | how))
    drawn = [(x, nodes.index(x.split("-__-")[-1])) for x, _, _ in draw.sample]
    rows = [(as_x(x), labelled(i)) for x, i in drawn]
    labels = pa.table({"x": [x for x, _ in rows], "y": pa.array([y for _, y in rows], pa.string())})
    pairs = [(x, found(i)) for i, x in enumerate(nodes) if found(i) is not None]
    if how.get("source"):
        columns = zip(*[("l", "r", x, y) for x, y in pairs], strict=True)
        names = ("source_dataset_l", "source_dataset_r", "unique_id_l", "unique_id_r")
        holdout = pa.table(dict(zip(names, map(list, columns), strict=True)))
    else:
        holdout = pa.table({"x": [x for x, _ in pairs], "y": [y for _, y in pairs]})
    return mb.certify(draw, population=people, holdout=holdout, labels=labels)


def some(i):
    """Matches of three labelled nodes, and of few others."""
    return str(i + 100) if i < 5 else None


SPELLINGS = {
    "decimals in labels": (lambda i: f"{i + 100}.0", lambda i: i + 100),
    "decimals in matches": (lambda i: f"{i + 100}", lambda i: f"{i + 100}.00"),
    "zeros in labels": (lambda i: f"00{i + 100}", lambda i: i + 100),
    "zeros in matches": (lambda i: f"{i}", lambda i: f"{i:05d}"),
    "few": (lambda i: f"{i + 100}.0", some),
}


@pytest.mark.parametrize("name", SPELLINGS)
def test_a_y_that_is_written_otherwise_is_refused(name):
    labelled, found = SPELLINGS[name]
    with pytest.raises(mb.InputError) as error:
        certified(labelled, found)
    message = str(error.value)
    assert message.startswith("labels must name the records that holdout names, got y = ")
    assert message.endswith(
        "no id in common. Write ids alike: without .0 (in pandas, Int64 keeps empty cells), and "
        "with the same zeros before them."
    )


def test_the_two_spellings_are_shown():
    with pytest.raises(mb.InputError, match=r"y = '100.0' in labels and y = '100' in holdout: no"):
        certified(lambda i: "100.0" if i % 2 else None, lambda i: 100 if i % 2 else None)


def test_zeros_after_a_source_count_too():
    with pytest.raises(mb.InputError, match=r"y = 'r-__-00\d+' in labels and y = 'r-__-[1-9]\d*'"):
        certified(lambda i: f"r-__-00{i + 1}", lambda i: str(i + 1), source="l", link=False)


def test_ids_of_another_space_are_refused():
    with pytest.raises(mb.InputError) as error:
        certified(lambda i: f"acm-{i}", lambda i: f"dblp-{i}")
    assert str(error.value) == (
        "labels must name the records that holdout names, got y = 'acm-1' in labels and y = "
        "'dblp-0' in holdout: no id in common. Write ids alike; if they are, holdout is wrong at "
        "each of 40 labelled nodes with a true match, and there is nothing to certify."
    )


@pytest.mark.parametrize(
    ("labelled", "found"),
    [
        (lambda i: f"q{i}", lambda i: f"q{(i + 1) % 60}"),  # wrong everywhere, of known records
        (lambda i: f"q{i}", lambda i: f"z{i}" if i < 12 else None),  # few matches, all wrong
        (lambda i: f"q{i}", lambda i: f"q{i}" if i == 59 else f"z{i}"),  # one id in common
        (lambda i: f"q{i}" if i < 15 else None, lambda i: f"z{i}"),  # few true matches
    ],
)
def test_a_bad_matcher_is_certified_as_one(labelled, found):
    certificate = certified(labelled, found)
    assert certificate.value("precision") < 0.2


def test_matches_of_clusters_are_checked_too():
    nodes = PEOPLE["id"].to_pylist()
    draw = mb.draw(PEOPLE, labels=40, seed="s", link=True)
    labels = pa.table({"x": [x for x, _, _ in draw.sample]})
    labels = labels.append_column("y", pa.array([f"{x[1:]}.0" for x in labels["x"].to_pylist()]))
    ids = [*nodes, *(x[1:] for x in nodes)]
    clusters = pa.table({"id": ids, "cluster_id": [*range(60), *range(60)]})
    given = {"population": PEOPLE, "holdout": clusters, "labels": labels}
    with pytest.raises(mb.InputError, match=r"^labels must name the records that holdout names"):
        mb.certify(draw, **given)


def test_a_labelled_node_that_is_written_otherwise_is_not_called_undrawn():
    people = pa.table({"id": [str(i) for i in range(60)]})
    with pytest.raises(mb.InputError) as error:
        certified(lambda i: f"q{i}", lambda i: f"q{i}", people, lambda x: f"{x}.0")
    assert str(error.value).startswith("labels must write drawn nodes as the sample does, got x = ")
    assert str(error.value).endswith(" with the same zeros before them.")


def test_a_matched_node_that_is_written_otherwise_is_named():
    people = pa.table({"id": [str(i) for i in range(60)]})
    draw = mb.draw(people, labels=40, seed="s", link=True)
    labels = pa.table(
        {"x": [x for x, _, _ in draw.sample], "y": [f"q{x}" for x, _, _ in draw.sample]}
    )
    holdout = pa.table({"x": [f"0{i}" for i in range(60)], "y": [f"q{i}" for i in range(60)]})
    with pytest.raises(mb.InputError) as error:
        mb.certify(draw, population=people, holdout=holdout, labels=labels)
    assert str(error.value) == (
        "holdout and complete must match nodes of the population, got x = '00', which is '0' in "
        "it. Write ids alike: without .0 (in pandas, Int64 keeps empty cells), and with the same "
        "zeros before them."
    )
