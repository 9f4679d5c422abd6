"""Collective matching: pairs are classified by whom their records occur with, too, in rounds."""

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from matchbound.errors import InputError
from matchbound.matchers.records.agglomeration import Merge, Pairs, agglomerate, clusters_of
from matchbound.matchers.records.candidates import Candidates
from matchbound.matchers.records.classifier import held_out, probabilities
from matchbound.matchers.records.closure import scored_by_merges
from matchbound.matchers.records.features import Features
from matchbound.matchers.records.fields import Field, Tables
from matchbound.matchers.records.labelled import Labelled
from matchbound.matchers.records.links import Ints, Links, text_labels
from matchbound.matchers.records.relations import CLUSTER, OWN

Floats = NDArray[np.float32]
ROUNDS = 4
THRESHOLD = 0.5  # mean probability from which clusters are merged
LEAST = 0.1  # of clusters that are merged for their scores alone


def collective(features: Features, labelled: Labelled, links: Links) -> tuple[Candidates, Floats]:
    """Candidates and their scores, by features of the records and of whom they occur with.

    In the first round records are the same neighbour if their texts are equal; from then on, if
    they are in one cluster. Clusters are those of `agglomerate` with alpha 0 and the classifier's
    probabilities, until they are as before, at most four times. Labelled pairs get the
    probabilities of a classifier that was not trained on their entity, so that neighbours in
    training are as uncertain as elsewhere. Records of one group are never matched. A score is the
    mean probability at which two records came into one cluster.
    """
    features = _apart(features, links)
    ends = links.ends(features.candidates)
    first = _rarities(features) | _by_text(features, links, ends)
    features = replace(features, others=first)
    entities, before = _entities(labelled, links), np.empty(0, np.int64)
    for _ in range(ROUNDS):
        probability = held_out(features, labelled, entities)
        clusters = clusters_of(links.count, _merges(ends, probability, links, THRESHOLD))
        if np.array_equal(before, clusters):
            break
        before = clusters
        features = replace(features, others=first | _by_cluster(clusters, links, ends))
    return _scored(features, probabilities(features, labelled), links)


def refuse_contradicted(links: Links, labelled: Labelled, tables: Tables) -> None:
    """Refuse links of records that labels match.

    Not for `withhold`: whoever corrects links by validation labels develops the holdout by them.
    """
    columns = labelled.columns
    x, y = labelled.matches // columns, labelled.matches % columns
    together = np.flatnonzero(~links.apart(x, y + links.offset))
    if len(together):
        pair = tables.left[int(x[together[0]])].as_py(), tables.right[int(y[together[0]])].as_py()
        raise InputError(
            f"links must be of records that do not match each other, got {pair[0]!r} and "
            f"{pair[1]!r} in one group, which labels match. Remove one of them from it."
        )


def _apart(features: Features, links: Links) -> Features:
    """Without the candidates that share a group."""
    candidates = features.candidates
    return features.of(_kept(candidates, links.apart(*links.ends(candidates))))


def _kept(candidates: Candidates, rows: NDArray[np.bool_]) -> Candidates:
    x, y = candidates.x[rows], candidates.y[rows]
    return Candidates(x, y, candidates.cosine3[rows], candidates.cosine4[rows])


def _entities(labelled: Labelled, links: Links) -> Ints:
    """A number for each record, the same for those that labels match."""
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import connected_components

    columns, shape = labelled.columns, (links.count, links.count)
    ends = labelled.matches // columns, labelled.matches % columns + links.offset
    matches = coo_array((np.ones(len(ends[0]), np.int8), ends), shape=shape)
    return np.asarray(connected_components(matches, directed=False)[1], np.int64)


def _rarities(features: Features) -> dict[str, Floats]:
    """How many records have the two texts of a field, as logarithms: of the rarer, the other."""
    columns = {}
    for field in features.tables.fields:
        counts = np.append(np.log(_frequencies(field, features.tables.is_dedupe)), np.nan)
        pair = counts[field.left[features.candidates.x]], counts[field.right[features.candidates.y]]
        columns[f"{field.name}: rarer"] = np.minimum(*pair).astype(np.float32)
        columns[f"{field.name}: commoner"] = np.maximum(*pair).astype(np.float32)
    return columns


def _frequencies(field: Field, is_dedupe: bool) -> NDArray[np.int64]:
    sides = [field.left] if is_dedupe else [field.left, field.right]
    texts = np.concatenate(sides)
    return np.bincount(texts[texts >= 0], minlength=len(field.texts))


def _by_text(features: Features, links: Links, ends: tuple[Ints, Ints]) -> dict[str, Floats]:
    relations = links.neighbours.labelled(text_labels(features.tables)).own(*ends)
    return {f"texts: {name}": relations[:, i] for i, name in enumerate(OWN)}


def _by_cluster(clusters: Ints, links: Links, ends: tuple[Ints, Ints]) -> dict[str, Floats]:
    labels = np.unique(clusters, return_inverse=True)[1]
    relations = links.neighbours.labelled(labels)
    columns = np.hstack([relations.own(*ends), relations.towards_clusters(*ends)])
    return {f"clusters: {name}": columns[:, i] for i, name in enumerate((*OWN, *CLUSTER))}


def _merges(ends: tuple[Ints, Ints], scores: Floats, links: Links, least: float) -> list[Merge]:
    """Agglomerate by scores alone; only pairs that high scores connect can end in one cluster."""
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import connected_components

    x, y = ends
    high, shape = scores >= least, (links.count, links.count)
    part = connected_components(coo_array((scores[high], (x[high], y[high])), shape=shape))[1]
    near = part[x] == part[y]
    pairs = Pairs(x[near], y[near], scores[near].astype(np.float64))
    return agglomerate(links.count, pairs, links.groups, alpha=0.0, threshold=least)


def _scored(features: Features, scores: Floats, links: Links) -> tuple[Candidates, Floats]:
    """The candidates, and all pairs of records in one cluster, with their scores."""
    merges = _merges(links.ends(features.candidates), scores, links, LEAST)
    return scored_by_merges(features, links, merges, THRESHOLD)
