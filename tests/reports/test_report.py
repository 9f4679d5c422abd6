"""The report: its numbers are the certificate's, nothing is cut off, and text stays text."""

import html
import itertools
import json
import re
from html.parser import HTMLParser

import pytest

import matchbound as mb
from support.audits import certify, contents, make_audit, make_inputs, run, write_csv
from support.browsers import needs_browser, opened
from support.scored_audits import audit_of
from support.scored_audits import certify as certify_scored


@pytest.fixture(scope="module")
def demo(tmp_path_factory):
    folder = tmp_path_factory.mktemp("demo")
    assert run("demo", "--out", folder / "audit") == 0
    targets = ["--target", "precision=0.95", "--target", "recall=0.97"]
    assert run("report", folder / "audit", *targets) == 0
    return folder / "audit"


class Reader(HTMLParser):
    """The cells of each table under its caption, the cards' values, and all text."""

    def __init__(self, text):
        super().__init__()
        self.tables, self.values, self.text = {}, {}, []
        self.place, self.caption, self.card = None, None, None
        self.feed(text)

    def handle_starttag(self, tag, attributes):
        given = dict(attributes)
        if "data-value" in given:
            self.values[given["data-metric"], given["data-part"]] = given["data-value"]
        if tag == "tr" and self.caption:
            self.tables[self.caption].append([])
        self.place = tag

    def handle_endtag(self, tag):
        self.place = None

    def handle_data(self, data):
        self.text.append(data)
        if self.place == "caption":
            self.caption = data
            self.tables[data] = []
        elif self.place in ("td", "th") and self.caption:
            self.tables[self.caption][-1].append(data)


def test_each_number_is_the_certificate_s(demo):
    certificate = json.loads((demo / "certificate.json").read_text())
    page = Reader((demo / "report.html").read_text())
    for g in certificate["guarantees"]:
        assert float(page.values[g["metric"], g["part"]]) == g["value"]
    rows = page.tables["From the mean to the bound"][1:]
    alone = mb.Certificate.load(demo / "certificate.json")
    from matchbound.theorems.guarantees import guarantees

    holdout = guarantees(alone.tallies, alone.choices, complete=False)
    for g, h, row in zip(certificate["guarantees"], holdout, rows, strict=True):
        assert row[0] == f"{g['metric']} of the complete matcher"
        assert row[1] == f"{g['estimate']:.4f}"
        assert float(row[2]) == pytest.approx(g["estimate"] - h.value, abs=6e-5)
        assert float(row[3]) == pytest.approx(h.value - g["value"], abs=6e-5), row
        assert float(row[4].removeprefix("≥ ")) <= g["value"]
    tally = certificate["tallies"]["all"]
    labels = page.tables["Validation nodes by their matches"][1:]
    for *label, n in ([*map(int, row[:6]), number(row[6])] for row in labels):
        assert tally["validation"].count(label) == n
    cells = page.tables["Compared nodes by their matches"][1:]
    everywhere = [cell.as_list() for cell in alone.tallies["all"].everywhere]
    assert sorted([*map(int, row[:3]), number(row[3])] for row in cells) == sorted(everywhere)
    counts = {row[0]: number(row[1]) for row in page.tables["Nodes"][1:]}
    assert counts["compared"] == tally["size"]
    dropped = sum(n for h, c, hc, n in tally["gap"] if hc < h)
    assert counts["a match dropped"] == dropped
    inputs = {row[0]: row[2:] for row in page.tables["What it was computed from"][1:]}
    digests = {name: source["digest"] for name, source in certificate["inputs"].items()}
    assert inputs == {
        name: [one["bytes"], one["rows"] or "not computed"] for name, one in digests.items()
    }
    assert inputs["holdout"][1] == certificate["inputs"]["holdout"]["digest"]["rows"]
    text = " ".join(page.text)
    assert certificate["digest"] in text
    for assumption in alone.sentences:
        assert assumption in text
    assert "600 nodes to validate on and 300 to train on, out of 4,000." in text


def number(text):
    return int(text.replace(",", ""))


@needs_browser
@pytest.mark.parametrize("width", [1280, 400])
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_in_a_browser_nothing_is_cut_off(demo, width, scheme):
    with opened((demo / "report.html").as_uri(), width, scheme) as (page, said):
        assert said == []
        assert page.evaluate("document.documentElement.scrollWidth") <= width
        boxes = page.evaluate(
            """[...document.querySelectorAll('h1,h2,p,li,svg.bar,svg.scale,.card,caption,table,td')]
            .map(e => { const b = e.getBoundingClientRect();
                        return [b.left, b.top, b.right, b.bottom, e.tagName] })"""
        )
        assert all(left >= -1 and right <= width + 1 for left, _, right, _, _ in boxes)
        text = [box for box in boxes if box[4] in ("P", "H1", "H2", "LI", "CAPTION")]
        for one, other in itertools.pairwise(sorted(text, key=lambda box: box[1])):
            across = one[2] > other[0] + 1 and other[2] > one[0] + 1
            assert not across or one[3] <= other[1] + 1, (one, other)


@needs_browser
def test_it_works_without_javascript_and_is_told_to_those_who_do_not_see(demo):
    with opened((demo / "report.html").as_uri(), javascript=False) as (page, said):
        assert said == []
        assert page.locator("h1").inner_text() == "Matching certificate"
        assert page.locator("p.value").first.inner_text() == "≥ 0.9618"
        labels = [svg.get_attribute("aria-label") for svg in page.locator("svg[role=img]").all()]
        assert labels[0].startswith("precision of the complete matcher ≥ 0.9618; sample mean 0.98")
        assert "target 0.95" in labels[0]


@needs_browser
def test_contrast_is_enough(demo):
    """Every text against the page's background: at least 4.5 to 1."""
    for scheme in ("light", "dark"):
        with opened((demo / "report.html").as_uri(), scheme=scheme) as (page, _):
            colours = page.evaluate(
                """[...document.querySelectorAll('h1,h2,p,li,td,th,caption,svg text')].map(e => {
                    const s = getComputedStyle(e);
                    let b = e; let back = 'rgba(0, 0, 0, 0)';
                    while (b && back === 'rgba(0, 0, 0, 0)') {
                        back = getComputedStyle(b).backgroundColor; b = b.parentElement }
                    return [e.tagName === 'text' ? s.fill : s.color, back] })"""
            )
            assert min(contrast(*pair) for pair in colours) >= 4.5


def contrast(one, other):
    def light(colour):
        parts = [int(c) / 255 for c in re.findall(r"\d+", colour)[:3]]
        linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in parts]
        return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]

    a, b = sorted((light(one), light(other)))
    return (b + 0.05) / (a + 0.05)


NASTY = "<script>alert(1)</script>"


def nasty_audit(folder):
    """Names of files and matchers that a browser or a spreadsheet might take for commands."""
    truth = make_inputs(folder)
    people = (folder / "people.csv").rename(folder / "=cmd() & <b>.csv")
    audit = folder / "audit"
    names = ["--algorithm", NASTY, "--algorithm", "=cmd()"]
    assert run("draw", people, "--labels", 100, *names, "--out", audit) == 0
    sample = mb.Draw.load(audit).sample
    write_csv(audit / "labels.csv", ["x", "y"], [[x, truth.get(x, "")] for x, _, _ in sample])
    given = [f"{NASTY}={folder / 'holdout.csv'}", f"=cmd()={folder / 'complete.csv'}"]
    holdout = {NASTY: folder / "holdout.csv", "=cmd()": folder / "complete.csv"}
    assert len(given) == len(holdout)
    mb.certify(audit, holdout=holdout).save(audit / "certificate.json")
    assert run("report", audit) == 0
    return audit


@needs_browser
def test_names_stay_text(tmp_path):
    audit = nasty_audit(tmp_path)
    text = (audit / "report.html").read_text()
    assert "<script" not in text
    with opened((audit / "report.html").as_uri()) as (page, said):
        assert said == []
        assert page.locator("script").count() == 0
        assert NASTY in page.locator("main").inner_text()
        assert "=cmd() & <b>.csv" in page.locator("main").inner_text()


def test_nothing_comes_from_elsewhere(demo):
    text = (demo / "report.html").read_text()
    assert not re.search(r"(src|href)=|@import|url\(|https?://", text)
    assert "default-src 'none'" in text


@pytest.mark.parametrize(
    "options",
    [
        ["--metric", "error-rate", "--metric", "precision"],
        ["--anytime"],
        ["--until", "recall=40", "--one-to-one"],
        ["--theorem", "paper"],
        ["--bound", "hoeffding"],
    ],
)
def test_reports_of_other_kinds(tmp_path, options):
    audit = make_audit(tmp_path, *options)
    assert certify(audit) == 0
    assert run("report", audit) == 0
    page = Reader((audit / "report.html").read_text())
    for g in mb.Certificate.load(audit / "certificate.json").guarantees:
        assert float(page.values[g.metric, g.part]) == g.value


def test_reports_of_bands_thresholds_and_the_exploratory(tmp_path):
    audit, _, _ = audit_of(tmp_path / "a", "--bands", "0.5,0.9", "--one-to-one")
    assert certify_scored(audit) == 0
    assert run("report", audit) == 0
    text = html.unescape((audit / "report.html").read_text())
    assert "<h2>Bands of scores</h2>" in text
    assert "precision of the complete matcher, [0.9, ∞)" in text
    chosen, _, _ = audit_of(tmp_path / "b", "--choose-threshold", "precision=0.99")
    assert certify_scored(chosen) == 0
    assert run("report", chosen) == 0
    assert "Threshold: none of 0.99, 0.95" in (chosen / "report.html").read_text()
    assert certify_scored(chosen, "--delta", 0.3, "--force") == 0
    assert run("report", chosen, "--force") == 0
    assert "Exploratory: no guarantee." in (chosen / "report.html").read_text()


def test_a_report_overwrites_nothing_unasked(demo, tmp_path, capsys):
    assert run("report", demo) == 2
    assert "out must not exist yet" in capsys.readouterr().err
    assert run("report", tmp_path) == 2
    assert run("report", demo, "--target", "error-rate=0.1", "-o", tmp_path / "r.html") == 2
    assert capsys.readouterr().err.endswith(
        "target must be for a metric that was certified, got 'error-rate'. "
        "Choose among precision, recall.\n"
    )
    assert not (tmp_path / "r.html").exists()


def test_a_report_is_not_written_over_evidence_even_if_forced(tmp_path, capsys):
    audit = make_audit(tmp_path)
    assert certify(audit) == 0
    seal = mb.seal(audit)
    before = contents(tmp_path)
    names = ("ledger.jsonl", "journal.jsonl", "labels.csv", "draw.json", "certificate.json")
    for out in [*(audit / name for name in names), seal, tmp_path / "people.csv"]:
        for target in (audit, audit / "certificate.json"):
            assert run("report", target, "--out", out, "--force") == 2
            assert f"out must not be an input, got {str(out)!r}." in capsys.readouterr().err
    assert contents(tmp_path) == before


def test_a_notebook_shows_the_same_in_short(demo):
    certificate = mb.Certificate.load(demo / "certificate.json")
    shown = html.unescape(certificate._repr_html_())
    assert "With probability at least 95%, all together:" in shown
    assert "precision of the complete matcher <b>≥ 0.9618</b>" in shown
    assert mb.write_report(certificate, demo.parent / "again.html").exists()


def test_an_altered_certificate_is_not_reported(demo, tmp_path, capsys):
    text = (demo / "certificate.json").read_text()
    (tmp_path / "certificate.json").write_text(text.replace("0.961847", "0.991847"))
    assert run("report", tmp_path) == 2
    assert "certificate must be as it was written, got one in which guarantees[0].value was" in (
        capsys.readouterr().err
    )
    assert not (tmp_path / "report.html").exists()


@needs_browser
def test_a_long_name_is_broken(tmp_path):
    truth = make_inputs(tmp_path)
    names = {"a" * 120: tmp_path / "holdout.csv", "b": tmp_path / "complete.csv"}
    mb.draw(tmp_path / "people.csv", labels=100, algorithms=list(names), one_to_one=True).save(
        tmp_path / "audit"
    )
    sample = mb.Draw.load(tmp_path / "audit").sample
    rows = [[x, truth.get(x, "")] for x, _, _ in sample]
    write_csv(tmp_path / "audit/labels.csv", ["x", "y"], rows)
    certificate = mb.certify(tmp_path / "audit", holdout=names)
    page_of = mb.write_report(certificate, tmp_path / "report.html").as_uri()
    for width in (1280, 400):
        with opened(page_of, width) as (page, _):
            assert page.evaluate("document.documentElement.scrollWidth") <= width
