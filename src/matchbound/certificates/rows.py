"""The rows of a certificate's inputs, digested from the files where they are now."""

from collections import Counter
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from matchbound.certificates.certificate import Certificate
from matchbound.engines import Engine, connect
from matchbound.errors import EngineError, MatchboundError
from matchbound.files import scratch
from matchbound.tables import (
    Clusters,
    Matching,
    Reading,
    Rows,
    Source,
    digest_of_rows,
    form_of_labels,
    id_column,
    open_source,
    part_column,
    recognise,
    rows_of_ids,
    rows_of_labels,
    rows_of_matches,
)


def rows_at(
    certificate: Certificate, name: str, path: Path, matching: Matching | None
) -> str | None:
    """Digest the rows of a file as the input of this name is read; None if it cannot be read.

    `matching` is the draw's, if it is at hand.
    """
    try:
        with connect() as con:
            roles = {one.name: one.role for one in certificate.inputs.outputs}
            source = open_source(con, roles.get(name, name), path, hashed=False)
            return digest_of_rows(con, source, _rows(source, certificate, matching))
    except EngineError:
        raise
    except (MatchboundError, KeyError, TypeError):
        return None


def only_adds(certificate: Certificate, then: bytes, path: Path) -> bool:
    """Whether a file of labels has what it had then, and more about other nodes alone."""
    columns = certificate.inputs.of_role("holdout")[0].reading.columns
    try:
        with connect() as con, scratch(path.name, then) as before:
            old, new = (_labels(con, file, columns) for file in (before, path))
    except EngineError:
        raise
    except (MatchboundError, KeyError, TypeError):
        return False
    known = {node for nodes, _ in old for node in nodes}
    return Counter(row for _, row in old) == Counter(
        row for nodes, row in new if not known.isdisjoint(nodes)
    )


def _labels(con: Engine, path: Path, columns: Mapping[str, str]) -> list[tuple[set[Any], Any]]:
    """Each row of a file of labels, and what it is about: nodes, or a cluster."""
    source = open_source(con, "labels", path, hashed=False)
    form, names = form_of_labels(source, columns), list(source.columns)
    about: list[list[str | None]]
    if isinstance(form, Clusters):
        about = [[form.cluster], [form.id, form.source]]
    elif form.either_way:
        about = [[form.x, form.x_source], [form.y, form.y_source]]
    else:
        about = [[form.x, form.x_source]]
    places = [[names.index(name) for name in some if name is not None] for some in about]
    rows = con.rows(f"select cast(columns(*) as varchar) from {source.scan}")
    return [({tuple(row[i] for i in some) for some in places}, row) for row in rows]


def _rows(source: Source, certificate: Certificate, drawn: Matching | None) -> Rows:
    inputs, role = certificate.inputs, source.argument
    population, is_drawn = inputs.population, inputs.draw is not None
    matching = drawn or population.matching or Matching()
    columns = inputs.of_role("holdout")[0].reading.columns
    if role in ("population", "population_now"):
        return rows_of_ids(source, id_column(source, population.id), matching.source)
    if role in ("within", "changed"):
        return rows_of_ids(source, part_column(source, population.id), matching.source)
    if role == "trained_on" and not is_drawn:
        return rows_of_ids(source, id_column(source, None, "x"), matching.source)
    if role == "trained_on":
        return rows_of_labels(source, recognise(source, {}))
    if role == "labels":
        return rows_of_labels(source, form_of_labels(source, columns))
    return rows_of_matches(source, Reading(columns).form(source), unordered=matching.dedupe)
