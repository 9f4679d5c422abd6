"""The figures of *Validation of Matching*, and what its text says of them (section 7)."""

import csv
import re
from xml.etree import ElementTree

import pytest

from matchbound import bounds
from support.audits import contents, run

NAMES = ("recall_85", "recall_95", "precision_85", "precision_95")


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    out = tmp_path_factory.mktemp("figures")
    assert run("figures", "--out", out) == 0
    return out


@pytest.fixture(scope="module")
def tables(folder):
    """Each figure's rows, by the number of labels."""
    tables = {}
    for name in NAMES:
        with open(folder / f"{name}.csv", newline="", encoding="utf-8") as file:
            rows = csv.DictReader(file)
            assert rows.fieldnames == ["labels", *CURVES]
            tables[name] = {int(r["labels"]): {c: float(r[c]) for c in CURVES} for r in rows}
    return tables


CURVES = ["hoeffding", "bernstein", "hypergeometric", "sharp"]


def test_every_figure_has_the_rows_asked_for(tables):
    assert all({1000, 2000, 5000} <= set(table) for table in tables.values())


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("recall_85", 0.8162),
        ("recall_95", 0.9275),
        ("precision_85", 0.8017),
        ("precision_95", 0.9125),
    ],
)
def test_numbers_at_1000_labels(tables, name, value):
    assert round(tables[name][1000]["hypergeometric"], 4) == value


def test_paper_recall_from_1000_labels_is_above_081(tables):
    assert tables["recall_85"][1000]["hypergeometric"] > 0.81


def test_paper_recall_from_1000_labels_is_above_092(tables):
    assert tables["recall_95"][1000]["hypergeometric"] > 0.92


def test_paper_bernstein_overtakes_hoeffding_by_5000_labels_at_085(tables):
    ahead = {n: row["bernstein"] > row["hoeffding"] for n, row in tables["recall_85"].items()}
    assert all(ahead[n] for n in ahead if n >= 5000)
    assert not any(ahead[n] for n in ahead if n <= 2000)


def test_paper_bernstein_overtakes_hoeffding_by_2000_labels_at_095(tables):
    ahead = {n: row["bernstein"] > row["hoeffding"] for n, row in tables["recall_95"].items()}
    assert all(ahead[n] for n in ahead if n >= 2000)
    assert not any(ahead[n] for n in ahead if n <= 1000)


def test_paper_hypergeometric_outperforms_the_others_for_all_numbers_of_labels(tables):
    for table in tables.values():
        for row in table.values():
            assert row["hypergeometric"] > max(row["hoeffding"], row["bernstein"])


def test_sharp_outperforms_the_paper_s(tables):
    for table in tables.values():
        assert all(row["sharp"] > row["hypergeometric"] for row in table.values())
    assert tables["recall_85"][1000]["sharp"] >= 0.823
    assert tables["precision_85"][1000]["sharp"] >= 0.823


@pytest.mark.parametrize(
    ("rate", "span", "value"),
    [(0.85, 3, 0.8013), (0.95, 3, 0.9121), (0.85, 2, 0.8017), (0.95, 2, 0.9125)],
)
def test_paper_precision_with_the_span_as_printed_and_as_it_is(tables, rate, span, value):
    """Theorem 3 term by term: d_p is printed to be at most 3; with one match a side it is 2."""
    drawn, size, delta = 100_000, 120_000_000, 0.05 / 4
    matched = 667
    right = round(rate * matched)
    found = [drawn - drawn * 2 // 3, drawn * 2 // 3]
    ones = {"size": size, "delta": delta}
    some = bounds.lower([False, True], counts=found, **ones)
    kept = bounds.upper([False, True], counts=found, **ones)
    lost = bounds.upper(
        [0, 2], counts=[drawn - 150, 150], span=(0, span), method="bernstein", **ones
    )
    most = size - (1000 - matched)
    holdout = bounds.lower(
        [True] * right + [False] * (matched - right), size=(matched, most), delta=delta
    )
    bound = (some * holdout - lost) / kept
    assert round(bound, 4) == value
    if span == 2:
        in_the_figure = tables[f"precision_{round(100 * rate)}"][1000]["hypergeometric"]
        assert bound == pytest.approx(in_the_figure, abs=2e-6)


@pytest.mark.parametrize("name", NAMES)
def test_drawings_have_a_text_and_every_curve(folder, name):
    text = (folder / f"{name}.svg").read_text("utf-8")
    root = ElementTree.fromstring(text)
    metric = name.split("_")[0]
    assert root.find("{*}title").text.startswith(f"Lower bounds for complete {metric}")
    assert "From 1000: hoeffding 0." in root.find("{*}desc").text
    shown = [element.text for element in root.iter("{http://www.w3.org/2000/svg}text")]
    assert set(CURVES) <= set(shown)
    assert not re.findall(r"https?://(?!www\.w3\.org/2000/svg)|<script|url\(", text)


@pytest.mark.slow
def test_nothing_is_overwritten_unasked(folder, capsys):
    before = contents(folder)
    assert run("figures", "--out", folder) == 2
    assert "out must not exist yet" in capsys.readouterr().err
    assert contents(folder) == before
    assert run("figures", "--out", folder, "--force") == 0
    assert contents(folder) == before
