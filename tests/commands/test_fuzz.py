"""Whatever the files hold and whatever is typed: never a traceback, never a half-written file."""

import json
import shutil

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from support.audits import certify, contents, make_audit, run
from support.fuzzing import fuzz

cell = st.one_of(
    st.sampled_from(["a1", "a2", "b1", "", "NA", "0", "-1", "1e5", "nan", '"', "x", "y", "id"]),
    st.text(max_size=8),
)
rows = st.lists(st.lists(cell, max_size=4), max_size=8)
csv_text = st.builds(
    lambda header, rows, sep, end: end.join(sep.join(row) for row in [header, *rows]),
    st.one_of(
        st.sampled_from([["x", "y"], ["id"], ["x", "y", "score"]]), st.lists(cell, max_size=4)
    ),
    rows,
    st.sampled_from([",", ";", "\t"]),
    st.sampled_from(["\n", "\r\n", "\r"]),
).map(lambda text: text.encode("utf-8", "surrogatepass"))
anything = st.one_of(st.binary(max_size=200), csv_text)
FILES = ["people.csv", "holdout.csv", "complete.csv", "audit/labels.csv", "audit/sample.csv"]
FILES += ["audit/draw.json", "holdout.parquet"]
SLOW = pytest.mark.slow


@pytest.fixture(scope="module")
def good(tmp_path_factory):
    audit = make_audit(tmp_path_factory.mktemp("fuzz") / "good")
    return audit.parent


def leftovers(folder):
    return [p for p in folder.rglob("*") if p.name.startswith(".")]


@settings(
    max_examples=15,
    deadline=None,
    derandomize=True,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
@given(name=st.sampled_from(FILES), data=anything)
def test_certify_on_fuzzed_files(good, tmp_path_factory, name, data):
    folder = tmp_path_factory.mktemp("one") / "case"
    shutil.copytree(good, folder)
    (folder / name).write_bytes(data)
    before = contents(folder)
    holdout = folder / ("holdout.parquet" if name.endswith("parquet") else "holdout.csv")
    options = ["--holdout", holdout, "--population", folder / "people.csv"]
    status = run("certify", folder / "audit", "--complete", folder / "complete.csv", *options)
    assert status in (0, 2)
    if status == 2:
        assert contents(folder) == before
    else:
        assert run("verify", folder / "audit") in (0, 1)
    assert not leftovers(folder)
    shutil.rmtree(folder)


@settings(
    max_examples=15,
    deadline=None,
    derandomize=True,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
@given(data=anything, suffix=st.sampled_from([".csv", ".parquet", ".xlsx", ""]))
def test_draw_on_fuzzed_files(tmp_path_factory, data, suffix):
    folder = tmp_path_factory.mktemp("draw")
    (folder / f"people{suffix}").write_bytes(data)
    before = contents(folder)
    status = run("draw", folder / f"people{suffix}", "--labels", 1, "--out", folder / "audit")
    assert status in (0, 2)
    if status == 2:
        assert contents(folder) == before
    assert not leftovers(folder)


@settings(
    max_examples=40,
    deadline=None,
    derandomize=True,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
@given(data=st.data())
def test_verify_on_fuzzed_certificates(good, tmp_path_factory, data):
    folder = tmp_path_factory.getbasetemp() / "verify"
    folder.mkdir(exist_ok=True)
    if not (folder / "good.json").exists():
        assert certify(good / "audit", "--out", folder / "good.json") == 0
    text = bytearray((folder / "good.json").read_bytes())
    for _ in range(data.draw(st.integers(1, 4))):
        place = data.draw(st.integers(0, len(text) - 1))
        text[place : place + data.draw(st.integers(0, 3))] = data.draw(st.binary(max_size=3))
    (folder / "certificate.json").write_bytes(text)
    if not same_json(text, (folder / "good.json").read_bytes()):
        assert run("verify", folder / "certificate.json") in (1, 2)


@settings(
    max_examples=10,
    deadline=None,
    derandomize=True,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
@given(name=st.sampled_from(["left.csv", "seeds.csv", "left.parquet"]), data=anything)
def test_reconcile_on_fuzzed_files(tmp_path_factory, name, data):
    folder = tmp_path_factory.mktemp("reconcile")
    for file, text in {"left.csv": "src,dst\na,b\nb,c\n", "seeds.csv": "x,y\na,a\n"}.items():
        (folder / file).write_text(text)
    (folder / name).write_bytes(data)
    before = contents(folder)
    left = folder / ("left.parquet" if name.endswith("parquet") else "left.csv")
    given = [left, left, "--seeds", folder / "seeds.csv", "--out", folder / "matches.csv"]
    status = run("reconcile", *given, "--threshold", 1)
    assert status in (0, 2)
    if status == 2:
        assert contents(folder) == before
    assert not leftovers(folder)


def same_json(a, b):
    """Spaces and line breaks between values do not matter."""
    try:
        return json.loads(a) == json.loads(b)
    except ValueError:
        return False


@pytest.mark.parametrize(
    "first", [100, *(pytest.param(i, marks=SLOW) for i in range(2000, 22_000, 2000))]
)
def test_any_command_on_any_files(forks, tmp_path, first):
    """Command lines and damaged files by seed: see `support.fuzzing` for what must not happen."""
    found = fuzz(forks, tmp_path, first, first + (2000 if first > 100 else 30))
    assert not found, "\n".join(f"seed {seed}: {case}: {problem}" for seed, case, problem in found)
