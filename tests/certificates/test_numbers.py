"""A certificate's numbers for other tools."""

import re
import sys
from dataclasses import astuple, fields, replace

import pytest

import matchbound as mb
from matchbound.errors import EngineError
from matchbound.theorems import Guarantee, Threshold
from support.audits import make_audit
from support.scored_audits import audit_of

MLFLOW = re.compile(r"^[/\w.\- :]*$")
"""What MLflow takes as the name of a metric (mlflow.utils.validation)."""


@pytest.fixture(scope="module")
def certificate(tmp_path_factory):
    folder = tmp_path_factory.mktemp("numbers") / "base"
    metrics = [word for name in ("precision", "error-rate") for word in ("--metric", name)]
    audit = make_audit(folder, *metrics)
    return mb.certify(audit, holdout=folder / "holdout.csv")


def test_a_flat_dict(certificate):
    precision, error_rate = certificate.guarantees
    assert certificate.as_metrics() == {
        "precision_lower": precision.value,
        "precision_estimate": precision.estimate,
        "error_rate_upper": error_rate.value,
        "error_rate_estimate": error_rate.estimate,
        "labels": 120.0,
        "train": 60.0,
        "size": 400.0,
        "delta": 0.05,
        "probability": 0.95,
    }
    assert all(type(number) is float for number in certificate.as_metrics().values())


def test_bands_and_algorithms_have_safe_names(tmp_path):
    options = ["--bands", "0.5,0.9", "--metric", "precision"]
    options += [word for name in ("net", "nèt", "网络") for word in ("--algorithm", name)]
    audit, *_ = audit_of(tmp_path / "scored", *options)
    table = tmp_path / "scored" / "holdout.csv"
    metrics = mb.certify(audit, holdout=dict.fromkeys(("net", "nèt", "网络"), table)).as_metrics()
    bounds = [name for name in metrics if name.startswith("precision_lower")]
    assert bounds == [
        "precision_lower_net",
        "precision_lower_net_0.5_0.9",
        "precision_lower_net_0.9_inf",
        "precision_lower_n_t",
        "precision_lower_n_t_0.5_0.9",
        "precision_lower_n_t_0.9_inf",
        "precision_lower_part",
        "precision_lower_0.5_0.9",
        "precision_lower_0.9_inf",
    ]
    assert all(map(MLFLOW.fullmatch, metrics))


def test_names_that_look_alike_are_told_apart(certificate):
    precision = certificate.guarantees[0]
    parts = [
        replace(precision, part=part, value=i / 10) for i, part in enumerate(("a-b", "a b", "a/b"))
    ]
    metrics = replace(certificate, guarantees=tuple(parts)).as_metrics()
    names = ("precision_lower_a-b", "precision_lower_a_b", "precision_lower_a_b_2")
    assert [metrics[name] for name in names] == [0.0, 0.1, 0.2]


def test_a_chosen_threshold_is_a_number_and_in_no_name(tmp_path):
    options = ["--choose-threshold", "precision=0.5", "--candidates", "0.7,0.6,0.5"]
    audit, *_ = audit_of(tmp_path / "scored", *options)
    certificate = mb.certify(audit, holdout=tmp_path / "scored" / "holdout.csv")
    metrics = certificate.as_metrics()
    assert metrics["threshold"] == certificate.threshold.chosen
    assert metrics["precision_lower"] == certificate.value("precision")
    none = replace(certificate, guarantees=(), threshold=Threshold(None, ()))
    assert none.as_metrics().keys() == {"labels", "train", "size", "delta", "probability"}


def test_an_exploratory_certificate_has_no_bounds(certificate):
    explored = replace(certificate, exploratory=("delta",))
    assert explored.probability == explored.as_metrics()["probability"] == 0
    assert not [name for name in explored.as_metrics() if "lower" in name or "upper" in name]
    assert set(explored.to_frame()["probability"]) == {0.0}


def test_a_frame_with_a_row_a_guarantee(certificate):
    frame = certificate.to_frame()
    assert list(frame) == [*(field.name for field in fields(Guarantee)), "probability"]
    for row, guarantee in zip(frame.itertuples(index=False), certificate.guarantees, strict=True):
        assert tuple(row)[:8] == astuple(guarantee)[:8]
        assert row.probability == 0.95
    assert frame["among"].isna().all()
    empty = replace(certificate, guarantees=()).to_frame()
    assert (len(empty), list(empty)) == (0, list(frame))


def test_a_frame_without_pandas(certificate, monkeypatch):
    monkeypatch.setitem(sys.modules, "pandas", None)
    with pytest.raises(EngineError, match=r"to_frame needs pandas, which is not there\. Run: pip"):
        certificate.to_frame()
