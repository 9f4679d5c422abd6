"""The door stays small and quick."""

import ast
import subprocess
import sys
import tarfile
from importlib.metadata import version
from pathlib import Path

import pytest

import matchbound
from support.audits import contents, make_audit, run

HEAVY = {
    "igraph",
    "networkx",
    "numba",
    "scipy",
    "duckdb",
    "py4j",
    "pyspark",
    "pyarrow",
    "pandas",
    "polars",
    "matplotlib",
    "altair",
    "plotly",
}


def loaded_by(statement):
    code = f"{statement}; import sys; print(*sys.modules)"
    answer = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True
    )
    return {name.split(".")[0] for name in answer.stdout.split()}


@pytest.mark.parametrize(
    "statement",
    [
        "import matchbound",
        "import matchbound.bounds",
        "import matchbound; matchbound.draw, matchbound.certify, matchbound.verify",
        "import matchbound; matchbound.plan",
        "import matchbound; matchbound.reconcile, matchbound.matchers.MATCHERS",
        "import matchbound.commands.main",
        "from matchbound.commands.main import main; main(['--help-all'])",
        "from matchbound.commands.main import parser_of; parser_of('certify').format_all()",
        "import matchbound.engines.connection",
    ],
)
def test_import_is_light(statement):
    assert not loaded_by(statement) & HEAVY


def test_the_check_would_notice():
    assert "numba" in loaded_by("from matchbound.compiled import thread_count; thread_count()")


def test_a_small_certificate_needs_no_compiler(tmp_path):
    folder = make_audit(tmp_path / "small").parent
    words = ["certify", "audit", "--holdout", "holdout.csv", "--complete", "complete.csv"]
    code = f"import os; os.chdir({str(folder)!r}); from matchbound.commands.main import main"
    loaded = loaded_by(f"{code}; assert main({words}) == 0")
    assert loaded & HEAVY == {"duckdb"}


def test_only_engines_know_duckdb_and_spark():
    root = Path(matchbound.__file__).parent
    for path in root.rglob("*.py"):
        tree = ast.parse(path.read_text("utf-8"))
        names = [a.name for n in ast.walk(tree) if isinstance(n, ast.Import) for a in n.names]
        names += [n.module or "" for n in ast.walk(tree) if isinstance(n, ast.ImportFrom)]
        known = {name.partition(".")[0] for name in names} & {"duckdb", "pyspark", "py4j"}
        assert not known or path.parent.name == "engines", path


def test_what_a_person_sees_who_lists_the_package():
    assert {"draw", "certify", "verify", "Certificate", "__version__"} <= set(dir(matchbound))
    assert not {"importlib", "Any", "TYPE_CHECKING"} & set(dir(matchbound))
    assert matchbound.__version__ == version("matchbound")


def test_public_names():
    assert sorted(matchbound.__all__) == [
        "AssumptionError",
        "Certificate",
        "Choices",
        "Draw",
        "EngineError",
        "InputError",
        "MatchboundError",
        "Tally",
        "audit",
        "bounds",
        "certify",
        "draw",
        "estimate",
        "export",
        "forget",
        "labels",
        "list_errors",
        "match",
        "matchers",
        "patch",
        "plan",
        "reconcile",
        "register",
        "releases",
        "seal",
        "verify",
        "withhold",
        "write_report",
    ]
    for name in matchbound.__all__:
        assert getattr(matchbound, name) is not None
    with pytest.raises(AttributeError, match="has no attribute 'nothing'"):
        matchbound.nothing  # noqa: B018


def test_compiled_without_a_cache(monkeypatch):
    """As in a container with nothing to write to."""
    import numba

    from matchbound.compiled import compiled

    def njit(**options):
        if "cache" in options:
            raise RuntimeError("cannot cache function: no locator available")
        return lambda function: function

    monkeypatch.setattr(numba, "njit", njit)
    assert compiled(lambda x: x + 1)(-1) == 0


def test_public_names_of_bounds():
    assert sorted(matchbound.bounds.__all__) == [
        "BOUNDS",
        "Sample",
        "hypergeometric_lower",
        "hypergeometric_upper",
        "lower",
        "ratio_lower",
        "sequence",
        "upper",
    ]


def test_the_sdist_has_what_is_needed_and_nothing_else(tmp_path):
    """No tests, benchmarks or notes of developers: whoever wants them has the repository."""
    build = pytest.importorskip("hatchling.build", reason="hatchling, which builds it, is missing")
    root = Path(matchbound.__file__).parents[2]
    code = f"from hatchling.build import build_sdist; print(build_sdist({str(tmp_path)!r}))"
    done = subprocess.run([sys.executable, "-c", code], cwd=root, capture_output=True, text=True)
    assert build is not None
    with tarfile.open(tmp_path / done.stdout.split()[-1]) as archive:
        names = {name.split("/", 1)[1] for name in archive.getnames()}
        size = sum(member.size for member in archive.getmembers())
    tops = {name.split("/")[0] for name in names}
    assert tops <= {
        *("src", "docs", "README.md", "LICENSE", "CHANGELOG.md", "SECURITY.md"),
        *("pyproject.toml", "PKG-INFO", ".gitignore"),
    }
    assert {"src/matchbound/__init__.py", "README.md", "LICENSE", "docs/ledger.md"} <= names
    assert {
        f"src/matchbound/schemas/{name}.json" for name in ("certificate", "draw", "ledger")
    } <= names
    assert not [name for name in names if "__pycache__" in name or name.endswith(".ipynb")]
    assert size < 4 << 20


def test_the_demo_is_written_over_no_audit(tmp_path, capsys):
    audit = make_audit(tmp_path)
    before = contents(audit)
    assert run("demo", "--out", audit, "--force") == 2
    assert "out must be a new folder or that of an earlier demo" in capsys.readouterr().err
    assert contents(audit) == before
