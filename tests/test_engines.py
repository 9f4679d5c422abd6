"""Every engine gives the same: draws, certificates and refusals, on Spark as on DuckDB."""

import pytest

import engine_cases
from sparks import UNPLANNED, needs_spark, spark

pytestmark = [needs_spark, pytest.mark.xdist_group("spark")]
MASTERS = {"local[2]": UNPLANNED, "local-cluster[2,1,1024]": {}}


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("tables")
    engine_cases.write_inputs(folder)
    return folder


@pytest.fixture(scope="module", params=MASTERS)
def session(request, tmp_path_factory):
    with spark(request.param, tmp_path_factory.mktemp("w"), **MASTERS[request.param]) as session:
        yield session


def as_values(result):
    return result.as_dict() if hasattr(result, "as_dict") else result


@pytest.mark.parametrize("case", engine_cases.CASES)
def test_same_on_both(case, folder, session):
    assert as_values(case(folder, session)) == as_values(case(folder, "duckdb"))


def test_same_refusals(folder, session):
    said = engine_cases.refused(folder, "duckdb")
    assert all(one.startswith(("InputError", "AssumptionError")) for one in said)
    assert engine_cases.refused(folder, session) == said
