"""`match`: match the records of two tables, or of one with itself, by labels."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from numbers import Real
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from matchbound.errors import EngineError, InputError
from matchbound.matchers.columns import read_columns
from matchbound.matchers.matches import Matches, write_batches
from matchbound.matchers.records.assignment import one_to_one as assigned
from matchbound.matchers.records.candidates import TOP, Candidates, measured, nearest
from matchbound.matchers.records.chains import with_chains
from matchbound.matchers.records.classifier import probabilities
from matchbound.matchers.records.collective import collective, refuse_contradicted
from matchbound.matchers.records.features import Features, features_of
from matchbound.matchers.records.fields import Tables, read_tables
from matchbound.matchers.records.labelled import Labelled, positions, read_labelled
from matchbound.matchers.records.links import Links, read_links
from matchbound.matchers.records.unlabelled import ALPHA, unlabelled

if TYPE_CHECKING:
    from os import PathLike

Floats = NDArray[np.float32]
THRESHOLD = 0.5
TOP_LINKED = 30  # candidates of a record with links, which common names need
ROUNDS = 2  # in which candidates of candidates are added


class ScoredPairs(Matches):
    """A table with columns x, y and score, the probability that the pair is a match."""

    def __str__(self) -> str:
        count = int(np.count_nonzero(self.table["score"].to_numpy() >= THRESHOLD))
        others = len(self) - count
        return f"{count} matches" + (f" and {others} other candidates." if others else ".")

    @property
    def doubt(self) -> str:
        """Empty: scores are probabilities, and tell doubt themselves."""
        return ""

    def save(self, path: "str | PathLike[str]", *, force: bool = False) -> None:
        """Write a file: CSV or Parquet, by the ending of its name."""
        names, batches = self.table.column_names, self.table.to_batches(max_chunksize=1 << 16)
        write_batches(
            Path(path), lambda: iter(batches or _no_rows(self.table)), force=force, columns=names
        )


def match(
    left: Any,
    right: Any = None,
    *,
    labels: Any = None,
    id: str | None = None,
    right_id: str | None = None,
    columns: Sequence[str] | Mapping[str, str] | None = None,
    candidates: Any = None,
    links: Any = None,
    alpha: float | None = None,
    one_to_one: bool = False,
    all_scores: bool = False,
) -> ScoredPairs:
    """Match the records of two tables, or of one with itself, by a classifier over pairs.

    `labels` are nodes of `left` with all their matches, as columns x and y or as pairs; y is empty
    where x has no match. `columns` are the fields to compare, names or left names to right names;
    without it those that both tables have. `candidates` are pairs x, y to choose from, if not the
    nearest by text. `links` are records that occur together, as columns record and group or as
    pairs x, y: then pairs are classified by those that their records occur with, too, and records
    of one group are never matched. Links without labels match by agglomeration, whose `alpha`
    (default ½) is the weight of links beside texts. `one_to_one` matches each record at most once.
    `all_scores` keeps the candidates that are no matches, too: matches have a score of at least ½.
    """
    require_packages()
    _check_alpha(alpha, labels, links)
    tables = read_tables(left, right, id=id, right_id=right_id, columns=columns)
    labelled = None if labels is None else read_labelled(labels, tables)
    linked = None if links is None else read_links(links, tables)
    if linked is not None and labelled is not None:
        refuse_contradicted(linked, labelled, tables)
    pool = Pool.of(tables, candidates, linked)
    return pool.matches(labelled, alpha=alpha, one_to_one=one_to_one, all_scores=all_scores)


def _check_alpha(alpha: Any, labels: Any, links: Any) -> None:
    if labels is None and links is None:
        raise InputError("labels must be given, got None. Give labelled nodes, or links.")
    if alpha is None:
        return
    if labels is not None:
        raise InputError(
            f"alpha must be left out with labels, got {alpha!r}: they decide what links are worth. "
            "Drop one of them."
        )
    if isinstance(alpha, bool) or not isinstance(alpha, Real) or not 0 <= float(alpha) <= 1:
        raise InputError(
            f"alpha must be a number from 0 to 1, got {alpha!r}. Give for example 0.5."
        )


def require_packages() -> None:
    try:
        import rapidfuzz  # noqa: F401
        import sklearn  # noqa: F401
    except ImportError:
        raise EngineError(
            "match needs scikit-learn and rapidfuzz. Run: pip install 'matchbound[match]'."
        ) from None


@dataclass(frozen=True)
class Pool:
    """Candidates and their features, from which any labels choose: they depend on none."""

    features: Features
    is_given: bool
    links: Links | None = None

    @staticmethod
    def of(tables: Tables, candidates: Any = None, links: Links | None = None) -> "Pool":
        if candidates is not None:
            return Pool(features_of(tables, _given(candidates, tables)), True, links)
        right = None if tables.is_dedupe else tables.right_texts
        top = TOP if links is None else TOP_LINKED
        return Pool(features_of(tables, nearest(tables.left_texts, right, top=top)), False, links)

    def matches(
        self,
        labelled: Labelled | None,
        *,
        alpha: float | None = None,
        one_to_one: bool = False,
        all_scores: bool = False,
    ) -> ScoredPairs:
        """What a classifier of these labels matches; without labels, what links do."""
        tables = self.features.tables
        if labelled is not None:
            found, scores = self._scored(labelled)
        else:
            assert self.links is not None, "without labels there are links"
            weight = ALPHA if alpha is None else alpha
            found, scores = unlabelled(self.features, self.links, weight)
        if one_to_one:
            scores = assigned(scores, found, tables)
        return named(tables, found, scores, 0.0 if all_scores else THRESHOLD)

    def _scored(self, labelled: Labelled) -> tuple[Candidates, Floats]:
        features = self.features
        if self.links is not None:
            return collective(features, labelled, self.links)
        scores = probabilities(features, labelled)
        for _ in range(ROUNDS if features.tables.is_dedupe and not self.is_given else 0):
            candidates = with_chains(features, scores)
            if len(candidates) == len(features.candidates):
                break
            features = features.of(candidates)
            scores = probabilities(features, labelled)
        return features.candidates, scores


def named(tables: Tables, candidates: Candidates, scores: Floats, least: float) -> ScoredPairs:
    """The pairs from a score on with the records' ids, in order of x and y."""
    import pyarrow as pa

    rounded = np.round(scores.astype(np.float64), 6)
    rows = np.flatnonzero(rounded >= least)
    return ScoredPairs(
        pa.table(
            {
                "x": tables.left.take(pa.array(candidates.x[rows])),
                "y": tables.right.take(pa.array(candidates.y[rows])),
                "score": rounded[rows],
            }
        )
    )


def _no_rows(table: Any) -> list[Any]:
    """A batch without rows, so that a file has the columns."""
    import pyarrow as pa

    return [pa.RecordBatch.from_pylist([], table.schema)]


def _given(candidates: Any, tables: Tables) -> Candidates:
    """Read the user's candidates."""

    columns = read_columns(candidates, "candidates", ("x", "y"), or_first=False)
    x, y = (column.cast(tables.left.type) for column in columns)
    if x.null_count or y.null_count or not len(x):
        raise InputError(
            "candidates must be pairs x, y with an id in each, got "
            f"{x.null_count + y.null_count} empty among {len(x)} rows. Fill or remove these."
        )
    i = positions(x, tables.left, "candidates", "x", "left").astype(np.int32)
    j = positions(y, tables.right, "candidates", "y", "right").astype(np.int32)
    if tables.is_dedupe and bool((i == j).any()):
        raise InputError("candidates must be of two records each, got one with itself. Remove it.")
    return measured(i, j, tables.left_texts, None if tables.is_dedupe else tables.right_texts)
