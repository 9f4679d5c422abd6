"""From a matcher's file to a certificate in three commands: `audit`, labels, `certify`.

The certificate is the one that `draw`, `register` and `certify` give with every option spelled out.
"""

import json

import pyarrow.parquet as pq
import pytest

import matchbound as mb
from support.audits import read_csv, run, run_seeded, write_csv
from support.replicates import SHARED
from test_splink import cells

needs_data = pytest.mark.skipif(not SHARED.exists(), reason="needs the real data in ../shared")
LINK = ["--link", "--source", "df_left"]


def true_matches(name):
    """The true matches of each node, as sample.csv and labels write them."""
    truth = pq.read_table(SHARED / name / "truth.parquet").to_pylist()
    if "id_l" in truth[0]:
        return {f"df_left-__-{r['id_l']}": [f"df_right-__-{r['id_r']}"] for r in truth}
    members = {}
    for row in truth:
        members.setdefault(row["cluster"], []).append(row["id"])
    return {x: [y for y in ids if y != x] for ids in members.values() for x in ids}


def write_labels(audit, truth):
    nodes = [row[0] for row in read_csv(audit / "sample.csv")]
    rows = [[x, y] for x in nodes for y in truth.get(x) or [""]]
    write_csv(audit / "labels.csv", ["x", "y"], rows)


def certificate(audit, *options):
    """The certificate of a folder, without the digests that the time of an entry changes."""
    assert run_seeded("s", "certify", audit, *options) == 0
    record = json.loads((audit / "certificate.json").read_text())
    del record["digest"], record["ledger"]["head"], record["digests"]["ledger.head"]
    return record


def tables_of(name):
    folder = SHARED / name
    if (folder / "left.parquet").exists():
        return folder / "left.parquet", ["--against", folder / "right.parquet"], LINK
    return folder / "records.parquet", [], ["--dedupe"]


CASES = [
    pytest.param("dblp_acm", "predictions", 200, ["--threshold", 0.9], "--pairs"),
    pytest.param("fake_1000", "predictions", 80, ["--threshold", 0.95], "--clusters"),
    *(
        pytest.param(*case, marks=pytest.mark.slow)
        for case in [
            ("dblp_acm", "predictions", 200, ["--threshold", 0.9], "--clusters"),
            ("fake_1000", "predictions", 80, ["--threshold", 0.9], "--pairs"),
            ("fake_1000", "clusters_095", 80, [], None),
            ("febrl4", "predictions", 300, ["--threshold", 0.9], "--pairs"),
            ("febrl4", "predictions", 300, ["--threshold", 0.9], "--clusters"),
        ]
    ),
]


@needs_data
@pytest.mark.parametrize(("name", "file", "labels", "least", "deployed"), CASES)
def test_three_commands(tmp_path, name, file, labels, least, deployed):
    matches, truth = SHARED / name / "splink" / f"{file}.parquet", true_matches(name)
    records, against, matched = tables_of(name)
    short, full, late = (tmp_path / one for one in ("short", "full", "late"))
    how = [*least, *([deployed] if deployed else [])]
    given = ["--records", records, *against, "--labels", labels, *how, "--out", short]
    assert run_seeded("s", "audit", matches, *given) == 0
    write_labels(short, truth)
    understood = certificate(short)

    spelled = ["--id", "id", *matched, "--labels", labels]
    holdout = ["--holdout", matches, *how]
    assert run_seeded("s", "draw", records, *spelled, *holdout, "--out", full) == 0
    write_labels(full, truth)
    assert understood == certificate(full, *holdout)

    assert run_seeded("s", "draw", records, *spelled, "--out", late) == 0
    assert run_seeded("s", "register", late, *holdout) == 0
    write_labels(late, truth)
    registered = certificate(late, *holdout)  # it cannot say that the seed came after the matcher
    for part in ("tallies", "guarantees", "choices"):
        assert understood[part] == registered[part]
    assert run("verify", short) == 0


@pytest.mark.slow
def test_splink_s_own_run(tmp_path):
    """FEBRL 4 as the tutorial links it: predictions as they are, and as the file of them."""
    made = {}
    exec(compile(cells()[0], "splink.ipynb", "exec"), made)
    left, right, predictions = made["left"], made["right"], made["predictions"]
    truth = {f"febrl_a-__-{a}": [f"febrl_b-__-{b}"] for a, b in made["links"]}
    left.to_parquet(tmp_path / "left.parquet")
    right.to_parquet(tmp_path / "right.parquet")
    predictions.to_parquet(str(tmp_path / "predictions.parquet"))

    said, memory = [], tmp_path / "memory"
    how = {"threshold": 0.9, "clusters": False}
    draw = mb.audit(
        predictions, records=left, against=right, labels=500, **how, out=memory, say=said.append
    )
    assert draw.matching.source == "febrl_a"
    assert said[1] == (
        "Records: a table (source 'febrl_a', ids in 'unique_id'), matched with a table (source "
        "'febrl_b', ids in 'unique_id')."
    )
    write_labels(memory, truth)
    with pytest.raises(
        mb.InputError, match=r"^holdout must be given again where the folder does not"
    ):
        mb.certify(memory)
    in_memory = mb.certify(memory, holdout=predictions, population=left, **how)
    assert in_memory.ledger.seeded is not None

    matches, left_file = tmp_path / "predictions.parquet", tmp_path / "left.parquet"
    short, full, late = (tmp_path / one for one in ("files", "full", "late"))
    how = ["--threshold", 0.9, "--pairs"]
    tables = ["--records", left_file, "--against", tmp_path / "right.parquet"]
    assert run_seeded("s", "audit", matches, *tables, "--labels", 500, *how, "--out", short) == 0
    write_labels(short, truth)
    understood = certificate(short)
    certified = mb.Certificate.load(short / "certificate.json")
    assert certified.value("precision") > 0.98
    assert 0.94 < certified.value("recall") <= 0.9706
    spelled = ["--id", "unique_id", "--link", "--source", "febrl_a", "--labels", 500]
    holdout = ["--holdout", matches, *how]
    assert run_seeded("s", "draw", left_file, *spelled, *holdout, "--out", full) == 0
    write_labels(full, truth)
    assert understood == certificate(full, *holdout)
    assert run_seeded("s", "draw", left_file, *spelled, "--out", late) == 0
    assert run_seeded("s", "register", late, *holdout) == 0
    write_labels(late, truth)
    registered = certificate(late, *holdout)
    for part in ("tallies", "guarantees", "choices"):
        assert understood[part] == registered[part]
