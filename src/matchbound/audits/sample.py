"""From a population to the nodes to label: D to train on, S to validate on, S' to compare on."""

import secrets
from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from matchbound.audits.commit import enter, preview
from matchbound.audits.draw import Draw
from matchbound.audits.request import requested
from matchbound.audits.training import Phase, phase_in
from matchbound.engines import Progress, connect
from matchbound.files import hashing_once, is_file


@hashing_once()
def draw(
    population: Any,
    *,
    labels: int | None = None,
    train: int = 0,
    seed: str | None = None,
    id: str | None = None,
    holdout: Any = None,
    threshold: float | None = None,
    columns: Mapping[str, str] | None = None,
    anytime: bool = False,
    allowance: float | None = None,
    trained_on: Any = None,
    dedupe: bool = False,
    link: bool = False,
    source: str | None = None,
    out: Any = None,
    force: bool = False,
    engine: Any = "duckdb",
    memory: str | None = None,
    temp: Any = None,
    progress: Progress = lambda _: None,
    say: Callable[[str], None] = lambda _: None,
    **choices: Any,
) -> Draw:
    """Draw `labels` nodes to validate on and `train` to train on, independently of each other.

    Each is the beginning of an order of all nodes by a keyed SHA-256 of the id, so that a larger
    draw with the same seed begins with the smaller. A node may be in both and is labelled once.
    `train` without `labels` draws training nodes alone; a later draw of `labels` into the same
    folder `out`, or one with the nodes of `trained_on`, which are labelled, draws from the others.

    With `out` the draw is entered into that folder's ledger: the holdout matcher and the choices
    before the seed is made, the draw before a file shows its nodes.

    `dedupe` says that the population is matched with itself, `link` that with another table, whose
    ids may be the same; `source` names the population where matches carry sources. `holdout`, with
    its threshold and columns, puts a holdout matcher on record. The other arguments are `Choices`.
    """
    with connect(engine, memory, temp) as con:
        request = requested(
            con,
            population,
            labels=labels,
            train=train,
            seed=seed,
            id=id,
            holdout=holdout,
            threshold=threshold,
            columns=columns,
            anytime=anytime,
            allowance=allowance,
            trained_on=trained_on,
            dedupe=dedupe,
            link=link,
            source=source,
            phase=phase_in(out, train, trained_on, _validates(labels, choices)),
            known_labels=_known_labels(out, trained_on),
            progress=progress,
            **choices,
        )
        if out is not None:
            return enter(Path(out), request, force=force, say=say)
        return request.make(secrets.token_hex(16) if seed is None else seed)


def dry_run(
    population: Any,
    *,
    out: Any,
    force: bool = False,
    engine: Any = "duckdb",
    memory: str | None = None,
    temp: Any = None,
    **given: Any,
) -> list[str]:
    """Check what `draw` checks, and return what it says; make no seed and no file."""
    second = _validates(given.get("labels"), given)
    phase = phase_in(out, given.get("train") or 0, given.get("trained_on"), second)
    with connect(engine, memory, temp) as con:
        known = _known_labels(out, given.get("trained_on"))
        request = requested(con, population, phase=phase, known_labels=known, **given)
        return preview(Path(out), request, force=force)


def redraw(
    before: Mapping[str, Any],
    population: Any,
    *,
    labels: int | None,
    trained_on: Any = None,
    engine: Any = "duckdb",
    memory: str | None = None,
    temp: Any = None,
    **given: Any,
) -> Draw:
    """Make a draw again by its seeds; `before` is the content of its draw.json."""
    is_second = before["train_seed"] is not None
    with connect(engine, memory, temp) as con:
        request = requested(
            con,
            population,
            labels=labels,
            train=0 if is_second or trained_on is not None else before["train"],
            seed=before["seed"],
            id=before["population"]["id"],
            trained_on=trained_on,
            phase=Phase.of(before) if is_second else None,
            **before["matching"],
            **before["choices"],
            **given,
        )
        return replace(request.make(before["seed"]), seed_given=before["seed_given"])


def _known_labels(out: Any, trained_on: Any) -> Any:
    """The training nodes' labels, where they were there before the seed of the others."""
    if trained_on is not None or out is None:
        return trained_on
    path = Path(out) / "labels.csv"
    return path if is_file(path) else None


def _validates(labels: int | None, given: Mapping[str, Any]) -> bool:
    """Whether validation nodes are asked for."""
    return labels is not None or bool(given.get("until"))
