"""The other tools themselves, for a few draws; each is imported at use."""

import os
import re
import tempfile
import warnings
from functools import cache
from math import log2

import numpy as np

from support.replicates import SHARED, read
from support.rivals import LINKED_FROM, Matching, in_order, load

# Splink.


@cache
def splink_linker(name):
    """The linker with the trained model whose predictions ../shared has."""
    from splink import Linker
    from splink.backends.duckdb import DuckDBAPI

    db = DuckDBAPI()
    deduped = (SHARED / name / "records.parquet").exists()
    sides = {"records": "records"} if deduped else {"left": "df_left", "right": "df_right"}
    tables = [
        db.register(_prepared(name, side), dataset_display_name=shown)
        for side, shown in sides.items()
    ]
    linker = Linker(tables, str(SHARED / name / "splink" / "model.json"), log_level="ERROR")
    return linker, db, [read(name, f"{side}.parquet")["id"].to_pylist() for side in sides]


def _prepared(name, side):
    table = read(name, f"{side}.parquet").to_pandas().rename(columns={"id": "unique_id"})
    if name == "dblp_acm":
        words = table.title.map(lambda title: re.sub(r"[^\w]+", " ", title.lower()).strip())
        authors = table.authors.str.lower().str.strip()
        table["title"], table["title_pre"] = words, words.str[:12]
        table["authors"], table["author1"] = authors, authors.str.split(",").str[0].str.strip()
    return table


def splink_itself(name: str, matching: Matching, labelled: np.ndarray) -> tuple[float, float]:
    """Precision and recall in Splink's accuracy table, at the first score that is linked."""
    import pandas as pd

    linker, db, ids = splink_linker(name)
    numbered = [x for side in ids for x in side]
    labels = pd.DataFrame(
        {
            "unique_id_l": [numbered[x] for x in labelled[:, 0]],
            "unique_id_r": [numbered[y] for y in labelled[:, 1]],
            "clerical_match_score": matching.is_right(labelled).astype(float),
        }
    )
    if not matching.dedupe:
        labels = labels.assign(source_dataset_l="df_left", source_dataset_r="df_right")
    table = linker.table_management.register_labels_table(db.register(labels))
    rows = linker.evaluation.accuracy_analysis_from_labels_table(
        table, match_weight_round_to_nearest=None, output_type="table"
    ).as_record_list()
    return _at_threshold(rows)


def splink_from_column(name: str) -> tuple[float, float]:
    """The same with every record's entity in a column; of one table."""
    from splink import Linker
    from splink.backends.duckdb import DuckDBAPI

    entities = read(name, "truth.parquet").to_pandas().set_index("id").cluster
    records = _prepared(name, "records")
    records["entity"] = records.unique_id.map(entities)
    model = str(SHARED / name / "splink" / "model.json")
    linker = Linker([DuckDBAPI().register(records)], model, log_level="ERROR")
    table = linker.evaluation.accuracy_analysis_from_labels_column(
        "entity", match_weight_round_to_nearest=None, output_type="table"
    )
    return _at_threshold(table.as_record_list())


def _at_threshold(rows):
    linked = [r for r in rows if r["truth_threshold"] >= log2(LINKED_FROM / (1 - LINKED_FROM))]
    row = min(linked, key=lambda row: row["truth_threshold"])
    return row["precision"], row["recall"]


# er-evaluation.


def er_evaluation_itself(entities, clusters, places, weights):
    """By metric: the estimate and its standard deviation; `places` are the entities' ranks."""
    import pandas as pd

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        from er_evaluation.estimators import (
            pairwise_precision_estimator,
            pairwise_recall_estimator,
        )

        _, rank = np.unique(entities, return_inverse=True)
        sample = pd.Series(rank)[np.isin(rank, places)]
        given = pd.Series(clusters), sample, pd.Series(weights[places], index=places)
        return {
            "precision": pairwise_precision_estimator(*given),
            "recall": pairwise_recall_estimator(*given),
        }


def assert_same_estimate(ours, theirs):
    """er-evaluation's deviation is nan where rounding makes its square negative: it is 0."""
    (value, deviation), (their_value, their_deviation) = ours, theirs
    np.testing.assert_allclose(value, their_value, rtol=1e-9)
    given = np.nan_to_num(deviation), np.nan_to_num(their_deviation)
    np.testing.assert_allclose(*given, rtol=1e-9, atol=1e-7)


# goldenmatch.

FIELDS = {  # column, scorer, weight; and the columns of the passes
    "fake_1000": (
        (
            ("first_name", "jaro_winkler", 0.25),
            ("surname", "jaro_winkler", 0.25),
            ("dob", "levenshtein", 0.25),
            ("email", "jaro_winkler", 0.25),
        ),
        ("first_name", "surname", "dob", "email"),
    ),
    "chicago_childcare": (
        (
            ("Site name", "token_sort", 0.4),
            ("Address", "token_sort", 0.4),
            ("Zip", "exact", 0.1),
            ("Phone", "exact", 0.1),
        ),
        ("Zip", "Phone", "Address"),
    ),
}


def goldenmatch_bound(linked, others, right, missed):
    from goldenmatch.core.recall_certificate import audit_calibrated_bound

    found = audit_calibrated_bound(linked, others, *right, *missed)
    return found.recall, found.recall_lower


@cache
def goldenmatch_run(name: str):
    """Its matching, with the strata of its audit; its estimate without labels, and what that is of.

    The configuration is written as in its README: one weighted matchkey at 0.85, several passes.
    """
    with tempfile.TemporaryDirectory() as home:
        os.environ |= {"GOLDENMATCH_AUTOCONFIG_MEMORY": "0", "HOME": home}
        return _goldenmatch_run(name)


def _goldenmatch_run(name):
    import goldenmatch as gm
    import polars as pl
    from goldenmatch.core import recall_certificate as certificate
    from goldenmatch.core.pipeline import run_dedupe_df

    fields, passes = FIELDS[name]
    clean = ["lowercase", "strip"]
    key = gm.MatchkeyConfig(
        name="identity",
        type="weighted",
        threshold=0.85,
        fields=[
            gm.MatchkeyField(field=field, scorer=scorer, weight=weight, transforms=clean)
            for field, scorer, weight in fields
        ],
    )
    keys = [gm.BlockingKeyConfig(fields=[field], transforms=clean) for field in passes]
    blocking = gm.BlockingConfig(strategy="multi_pass", keys=keys[:1], passes=keys)
    config = gm.GoldenMatchConfig(matchkeys=[key], blocking=blocking)
    records = pl.from_arrow(read(name, "records.parquet")).drop("id")

    def pairs(matchkeys):
        run = run_dedupe_df(records, config.model_copy(update={"matchkeys": matchkeys}))
        return certificate.clusters_to_pairs(run["clusters"])

    def as_array(pairs):
        return in_order(np.array(sorted(pairs)).reshape(-1, 2))

    links = pairs([key])
    below = pairs([key.model_copy(update={"threshold": 0.85 * 0.6})])  # as --audit-out has it
    systems = certificate.build_decorrelated_systems([key])
    found = [pairs(system) for system in systems]
    base = load(name, None)
    matching = Matching(
        base.size, base.population, base.entities, as_array(links), as_array(links | below)
    )
    union = as_array(set().union(*found))
    recall = base.is_right(union).sum() / len(base.truth)
    return matching, certificate.estimate_recall(found).recall, recall
