"""The rows of a certificate's inputs, digested from the files where they are now."""

from pathlib import Path

from matchbound.certificates.certificate import Certificate
from matchbound.engines import connect
from matchbound.errors import EngineError, MatchboundError
from matchbound.tables import (
    Matching,
    Reading,
    Rows,
    Source,
    digest_of_rows,
    form_of_labels,
    id_column,
    open_source,
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


def _rows(source: Source, certificate: Certificate, drawn: Matching | None) -> Rows:
    inputs, role = certificate.inputs, source.argument
    population, is_drawn = inputs.population, inputs.draw is not None
    matching = drawn or population.matching or Matching()
    columns = inputs.of_role("holdout")[0].reading.columns
    if role == "population":
        return rows_of_ids(source, id_column(source, population.id), matching.source)
    if role == "trained_on" and not is_drawn:
        return rows_of_ids(source, id_column(source, None, "x"), matching.source)
    if role == "trained_on":
        return rows_of_labels(source, recognise(source, {}))
    if role == "labels":
        return rows_of_labels(source, form_of_labels(source, columns))
    return rows_of_matches(source, Reading(columns).form(source), unordered=matching.dedupe)
