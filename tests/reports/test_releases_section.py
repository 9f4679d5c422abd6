"""The report's section on releases."""

import html
import re
from itertools import pairwise

import pytest

import matchbound as mb
from matchbound.charts import Series, line_chart
from support.audits import make_audit, read_csv, run, write_csv
from support.browsers import needs_browser, opened

NAMES = ["2026-09", "v" * 64, "2027-03", "2027-06"]
TARGETS = {"precision": 0.8, "recall": 0.75}


@pytest.fixture(scope="module")
def audit(tmp_path_factory):
    """Four releases, of which the third is lost, and the report."""
    folder = tmp_path_factory.mktemp("releases")
    place = make_audit(folder, "--holdout", folder / "holdout.csv", train=0)
    pairs = read_csv(folder / "holdout.csv")
    for drop, name in enumerate(NAMES):
        version = write_csv(folder / f"{drop}.csv", ["x", "y"], pairs[drop:])
        mb.certify(place, holdout=folder / "holdout.csv", complete=version, release=name)
    (place / "releases" / "2027-03.json").unlink()
    words = [f"{metric}={value}" for metric, value in TARGETS.items()]
    assert run("report", place, "--target", words[0], "--target", words[1]) == 0
    return place


def section(text):
    found = re.search(r"<section><h2>Releases</h2>.*?</section>", text, re.S)
    return found and html.unescape(found[0]).replace("\u00a0", " ")


def test_it_has_each_release_s_bounds_gap_verdict_and_room(audit):
    shown = section((audit / "report.html").read_text("utf-8"))
    listed = mb.releases(audit, targets=TARGETS)
    assert listed.heading in shown
    for row in listed.table[1:]:
        assert "".join(f">{cell}</td>" for cell in row[:1]) in shown
        assert all(f">{cell}</td>" in shown for cell in row)
    last, pairs = listed.rows[-1], len(read_csv(audit.parent / "holdout.csv"))
    room = last.verdicts["precision"].room
    assert (
        f"A release may differ from the holdout matcher in {int(room * 10_000) / 100:.2f}% of its "
        "pairs before precision 0.8 can be lost; 2027-06 differs in 0.97%, so "
        f"{int((room - last.gap[0]) * 10_000) / 100:.2f}% is left."
    ) in shown
    assert last.gap[0] * pairs == 3


def test_a_chart_has_every_bound_that_is_there_and_the_target(audit):
    text = (audit / "report.html").read_text("utf-8")
    charts = re.findall(r"<svg xmlns.*?</svg>", text, re.S)
    rows = [row for row in mb.releases(audit).rows if row.certificate]
    assert len(charts) == 2
    for chart, (metric, target) in zip(charts, TARGETS.items(), strict=True):
        told = ", ".join(f"{row.name} {row.bound_text(metric)}" for row in rows)
        assert f"<desc>{told}. Target {target:g}.</desc>" in chart
        assert chart.count('class="dot"') == 3
        assert f">target {target:g}</text>" in chart
        assert [f">{name}</text>" in chart for name in NAMES] == [True, False, True, True]
        assert ">vvvvvvvvvvvv…</text>" in chart


def test_nothing_comes_from_elsewhere(audit):
    text = (audit / "report.html").read_text("utf-8")
    assert not re.search(r"(src|href)=|@import|url\(|https?://(?!www.w3.org/2000/svg)", text)
    assert "<script" not in text
    assert len(re.findall(r'\bid="', text)) == 0


def test_it_is_there_only_where_releases_are(audit, tmp_path):
    other = make_audit(tmp_path)
    mb.certify(other, holdout=tmp_path / "holdout.csv", out=other / "certificate.json")
    assert section(mb.write_report(other).read_text("utf-8")) is None
    cert = mb.Certificate.load(audit / "releases" / "2026-09.json")
    alone = mb.write_report(cert, tmp_path / "alone.html").read_text("utf-8")
    assert section(alone) is None
    assert "Release: 2026-09." in alone


def test_a_lost_holdout_has_no_room(audit, tmp_path):
    page = mb.write_report(audit, tmp_path / "r.html", targets={"recall": 0.99})
    assert "The holdout matcher itself does not have recall 0.99." in section(page.read_text())


@needs_browser
def test_in_a_browser_nothing_is_cut_off(audit):
    width = 400
    with opened((audit / "report.html").as_uri(), width, "dark") as (page, said):
        assert said == []
        assert page.evaluate("document.documentElement.scrollWidth") <= width
        chart = page.locator("svg[role=img][viewBox]").first
        assert chart.get_attribute("aria-label").startswith("Bounds on precision. 2026-09 ≥ 0.")
        box = chart.bounding_box()
        assert 300 < box["width"] <= width


@pytest.mark.parametrize("count", [1, 2, 6, 7, 20, 100])
def test_names_below_a_chart_do_not_overlap(count):
    names = [f"release-number-{i}" for i in range(count)]
    points = [(i, 0.9) for i in range(1, count + 1)]
    how = {"title": "", "description": "", "x": "", "y": "", "least": 0.8, "names": names}
    svg = line_chart(series=[Series("", points)], **how)
    places = [float(x) for x in re.findall(r'<text x="([\d.]+)" y="352"', svg)]
    assert 1 <= len(places) <= 5
    assert all(b - a >= 100 for a, b in pairwise(places))  # 13 letters are about 100 wide
