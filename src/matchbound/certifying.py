"""From an audit folder, or from labels that a person brings, to a certificate."""

import hashlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from matchbound.certificates import Certificate, issue
from matchbound.choices import Choices
from matchbound.counting import count
from matchbound.engine import connect
from matchbound.errors import InputError
from matchbound.files import digest_of_file
from matchbound.sampling import Draw, Row, hash_of, join_orders, key_of
from matchbound.tables import (
    Source,
    id_column,
    key_kind,
    open_source,
    pair_columns,
    read_ids,
    read_labels,
    read_pairs,
)

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

Progress = Callable[[str], None]

ALL_TRUE = "Every labelled node's labels hold all of its true matches, and no others."
HOLDOUT = "The holdout matcher was developed with no labels but the training nodes'."
ANYTHING = "The complete matcher may have been developed with anything, these labels included."
DRAWN = "matchbound drew the labelled nodes uniformly at random, before any label was seen."
BROUGHT = (
    "Assumed by the user, not checked: the labelled nodes are a uniform random sample of the "
    "population, and the nodes trained on are a uniform random part of them."
)
FIXED = (
    "Assumed by the user, not checked: metrics, delta, theorem, bound and guesses were chosen, and "
    "the holdout matcher and its threshold fixed, before the validation labels were seen."
)
ONE_TO_ONE = "The user promised that a node has at most one true match."


@dataclass(frozen=True)
class Setting:
    """What the labels are of, wherever they come from."""

    size: int
    kind: str  # of the population's ids, as loaded
    sample: Sequence[Row]
    choices: Choices
    inputs: Mapping[str, Any]
    assumptions: tuple[str, ...]


def certify(
    audit: Any = None,
    *,
    holdout: Any = None,
    complete: Any = None,
    labels: Any = None,
    threshold: float | None = None,
    unlabelled: str = "refuse",
    population: Any = None,
    id: str | None = None,
    trained_on: Any = None,
    assume_uniform: bool = False,
    memory: str | None = None,
    progress: Progress = lambda _: None,
    **choices: Any,
) -> Certificate:
    """Bound the complete matcher's precision and recall, or the holdout's if there is no other.

    `audit` is the folder of a draw, or a `Draw`; its choices hold. Without one, give `population`,
    `labels` and `assume_uniform=True`, the nodes in `trained_on`, and the choices by name.
    `unlabelled="worst"` counts drawn nodes without a label as the worst case.
    """
    _check_call(audit, holdout, complete, labels, unlabelled, trained_on, assume_uniform, choices)
    given = {"holdout": holdout} | ({} if complete is None else {"complete": complete})
    with connect(memory) as con:
        progress("reading labels")
        truth = open_source(con, "labels", _labels_of(audit) if labels is None else labels)
        read_labels(con, truth)
        matchers = {name: open_source(con, name, table) for name, table in given.items()}
        columns = {name: pair_columns(source) for name, source in matchers.items()}
        xs = [(source, columns[name][0]) for name, source in matchers.items()]
        ys = [(source, columns[name][1]) for name, source in matchers.items()]
        progress("reading the population")
        if audit is not None:
            setting = _as_drawn(con, audit, population, xs)
        else:
            setting = _as_brought(con, population, id, trained_on, Choices(**choices))
        kinds = setting.kind, key_kind(*ys)
        inputs = {**setting.inputs, "labels": truth.as_dict()}
        for name, source in matchers.items():
            progress(f"reading {name}")
            pairs = read_pairs(con, source, name, threshold, kinds)
            inputs[name] = source.as_dict(pairs=pairs, threshold=threshold)
        progress("counting")
        tally = count(
            con,
            size=setting.size,
            sample=setting.sample,
            complete=complete is not None,
            one_to_one=setting.choices.one_to_one,
            unlabelled=unlabelled,
            kinds=kinds,
        )
    progress("bounding")
    return issue(
        tally,
        setting.choices,
        complete=complete is not None,
        inputs=inputs,
        assumptions=setting.assumptions + _assumed(tally, setting.choices, complete is not None),
    )


def _as_drawn(
    con: "DuckDBPyConnection", audit: Any, population: Any, xs: Sequence[tuple[Source, str]]
) -> Setting:
    draw = audit if isinstance(audit, Draw) else Draw.load(audit)
    given = draw.population["path"] if population is None else population
    if given is None:
        raise InputError(
            "population must be given again, because it was drawn from a table in memory, "
            "got None. Give the same table."
        )
    source = open_source(con, "population", given)
    if source.digest != draw.population["digest"]:
        raise InputError(
            f"population must be what was drawn from, got {source.path or 'a table'!r}, which has "
            "changed since. Restore it, or draw again."
        )
    column = id_column(source, draw.population["id"])
    kind = key_kind((source, column), *xs)
    size = read_ids(con, source, "population", column, kind, checked=True)
    inputs: dict[str, Any] = {"population": source.as_dict(size=size, id=draw.population["id"])}
    if not isinstance(audit, Draw):
        path = Path(audit) / "draw.json"
        inputs["draw"] = {"path": str(path), "digest": digest_of_file(path)}
    return Setting(size, kind, draw.sample, draw.choices, inputs, (DRAWN,))


def _as_brought(
    con: "DuckDBPyConnection", population: Any, id: str | None, trained_on: Any, choices: Choices
) -> Setting:
    source = open_source(con, "population", population)
    size = read_ids(con, source, "population", id_column(source, id))
    inputs: dict[str, Any] = {"population": source.as_dict(size=size, id=id)}
    labelled = _ids(con, "select distinct x as id from labels")
    unknown = _ids(con, "select distinct x as id from labels anti join population on x = id")
    if unknown:
        raise InputError(
            f"labels must be of nodes of the population, got {unknown[0]!r}, which is not in it. "
            "Give the population that the labelled nodes were drawn from."
        )
    trained: list[str] = []
    if trained_on is not None:
        used = open_source(con, "trained_on", trained_on)
        read_ids(con, used, "trained", id_column(used, None))
        inputs["trained_on"] = used.as_dict()
        trained = _ids(con, "select id from trained")
        strange = sorted(set(trained) - set(labelled))
        if strange:
            raise InputError(
                f"trained_on must hold labelled nodes, got {strange[0]!r} without a label. "
                "Give all labels, those trained on included."
            )
    sample = _arrange(labelled, trained, size, choices.theorem)
    drawn = [node for node, _, _ in sample]
    con.execute("delete from labels where not list_contains(?, x)", [drawn]).fetchall()
    return Setting(size, "string", sample, choices, inputs, (BROUGHT, FIXED))


def _arrange(
    labelled: Sequence[str], trained: Sequence[str], size: int, theorem: str
) -> tuple[Row, ...]:
    """D, and S in an order that only the labelled set decides.

    `sharp` validates on L − D. `paper` draws S from L as if independently of D: i nodes of D and
    the rest of L − D, i hypergeometric (the paper's section 6).
    """
    import numpy as np

    nodes = "".join(f"{len(node)}:{node}" for node in sorted(labelled))
    seed = hashlib.sha256(nodes.encode()).hexdigest()

    def ordered(label: str, some: Sequence[str]) -> list[str]:
        key = key_of(label, seed)
        return sorted(some, key=lambda node: hash_of(key, node))

    in_train = set(trained)
    rest = [node for node in labelled if node not in in_train]
    if theorem == "sharp":
        return join_orders(ordered("train", trained), ordered("validation", rest))
    number = int(key_of("intersection", seed), 16)
    both = int(
        np.random.default_rng(number).hypergeometric(len(trained), size - len(trained), len(rest))
    )
    chosen = ordered("from D", trained)[:both] + ordered("from L", rest)[: len(rest) - both]
    return join_orders(ordered("train", trained), ordered("validation", chosen))


def _assumed(tally: Any, choices: Choices, complete: bool) -> tuple[str, ...]:
    unlabelled = sum(t is None for _, t, _ in (*tally.train, *tally.validation))
    return (
        ALL_TRUE,
        HOLDOUT,
        *([ANYTHING] if complete else []),
        *([ONE_TO_ONE] if choices.one_to_one else []),
        *(
            [f"{unlabelled} drawn nodes have no label and count as the worst case."]
            if unlabelled
            else []
        ),
    )


def _check_call(
    audit: Any,
    holdout: Any,
    complete: Any,
    labels: Any,
    unlabelled: str,
    trained_on: Any,
    assume_uniform: bool,
    choices: Mapping[str, Any],
) -> None:
    if holdout is None:
        alone = "complete alone" if complete is not None else "neither matcher"
        raise InputError(
            f"holdout must be given, got {alone}: labels that may have trained a matcher cannot "
            "test it. Give a matcher developed without the validation labels as holdout; if the "
            "labels trained nothing, that is your matcher itself."
        )
    if unlabelled not in ("refuse", "worst"):
        raise InputError(f"unlabelled must be refuse or worst, got {unlabelled!r}. Choose one.")
    if audit is not None:
        given = [*choices, *(["trained_on"] if trained_on is not None else [])]
        if assume_uniform or given:
            name = (given or ["assume_uniform"])[0]
            raise InputError(
                f"{name} must be left out with an audit folder, got one: it was fixed at the draw. "
                "Drop it, or draw again."
            )
    elif labels is None or not assume_uniform:
        raise InputError(
            "audit must be given, or else population, labels and assume_uniform, got neither. "
            "Give the folder of a draw, or say that your labels are a uniform sample."
        )


def _labels_of(audit: Any) -> Path:
    if isinstance(audit, Draw):
        raise InputError("labels must be given with a Draw, got None. Give a table or a path.")
    return Path(audit) / "labels.csv"


def _ids(con: "DuckDBPyConnection", select: str) -> list[str]:
    return [node for (node,) in con.execute(f"{select} order by id").fetchall()]
