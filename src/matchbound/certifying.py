"""From an audit folder, or from labels that a person brings, to a certificate."""

import hashlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from matchbound.certificates import Certificate, issue
from matchbound.choices import Choices
from matchbound.counting import count, load_sample
from matchbound.engine import connect
from matchbound.errors import InputError
from matchbound.files import digest_of_file, is_folder
from matchbound.forms import Clusters, Form, Pairs, recognise
from matchbound.matching import Matching
from matchbound.sampling import Draw, Progress, Row, hash_of, join_orders, key_of, population_of
from matchbound.sources import Source, key_kind, open_source
from matchbound.tables import (
    check_threshold,
    id_column,
    read_ids,
    read_labels,
    read_matches,
)
from matchbound.tallies import Tally

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

DRAWN = "matchbound drew the labelled nodes uniformly at random, and kept the choices."
BROUGHT = (
    "Not checked: the labelled nodes are a uniform random sample of the population, and the nodes "
    "trained on a uniform random part of them."
)
FIXED = (
    "Not checked: the choices, the holdout matcher and its threshold were fixed before the "
    "validation labels were seen."
)
ALL_TRUE = "Every labelled node's labels hold all of its true matches, and no others."
HOLDOUT = "The holdout matcher was developed with no labels but the training nodes'."
ANYTHING = "The complete matcher may have been developed with anything, these labels included."
ONE_TO_ONE = "The user promised that a node has at most one true match."
DISJOINT = (
    "Not checked: in clusters without sources, ids of the population are never the other table's."
)
PUBLIC_SEED = "labels brought along"  # known to all: an order that nobody chose


@dataclass(frozen=True)
class Setting:
    """What the labels are of, wherever they come from."""

    size: int
    kind: str  # of the population's ids, as loaded
    sample: Sequence[Row]
    choices: Choices
    inputs: Mapping[str, Any]
    origin: str
    matching: Matching


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
    columns: Mapping[str, str] | None = None,
    dedupe: bool = False,
    link: bool = False,
    source: str | None = None,
    memory: str | None = None,
    progress: Progress = lambda _: None,
    **choices: Any,
) -> Certificate:
    """Bound the complete matcher's precision and recall, or the holdout's if there is no other.

    `audit` is the folder of a draw, or a `Draw`; its choices hold. Without one, give `population`,
    `labels` and `assume_uniform=True`, the nodes in `trained_on`, and the choices by name.
    `unlabelled="worst"` counts drawn nodes without a label as the worst case.
    """
    _check_matchers(holdout, complete, unlabelled)
    fixed = {
        "id": id,
        "trained_on": trained_on,
        "assume_uniform": assume_uniform or None,
        **choices,
    }
    fixed |= {"dedupe": dedupe or None, "link": link or None, "source": source}
    if audit is not None:
        _check_audit(audit, labels, fixed)
    else:
        _check_brought(population, labels, assume_uniform)
    given = {"holdout": holdout} | ({} if complete is None else {"complete": complete})
    with connect(memory) as con:
        matchers = {name: open_source(con, name, table) for name, table in given.items()}
        forms = {name: recognise(table, columns or {}) for name, table in matchers.items()}
        threshold = check_threshold(threshold, forms.values())
        truth = open_source(con, "labels", Path(audit) / "labels.csv" if labels is None else labels)
        truth_form = recognise(truth, _named_in_labels(truth, columns or {}))
        xs, ys = _native_columns(matchers, forms, truth_form)
        progress("reading the population and the labels")
        if audit is not None:
            setting = _as_drawn(con, audit, population, xs, ys)
            load_sample(con, setting.sample)
            read_labels(con, truth, truth_form, setting.matching)
        else:
            _check_names_nodes(truth_form)
            chosen, matching = Choices.from_dict(choices), Matching(dedupe, link, source)
            read = partial(read_labels, con, truth, truth_form, matching)
            setting = _as_brought(con, population, id, trained_on, chosen, matching, read)
        kinds = setting.kind, key_kind(*ys) if ys else "string"
        if setting.matching.dedupe:
            kinds = setting.kind, setting.kind
        inputs = {**setting.inputs, "labels": truth.as_dict()}
        for name, table in matchers.items():
            progress(f"reading {name}")
            rows = read_matches(con, table, name, forms[name], setting.matching, threshold, kinds)
            inputs[name] = table.as_dict(
                rows=rows, threshold=threshold, columns=dict(columns or {})
            )
            if not (setting.matching.dedupe or setting.matching.is_link):
                _refuse_doubt(con, name)
        progress("counting")
        tally = count(
            con,
            size=setting.size,
            sample=setting.sample,
            complete=complete is not None,
            one_to_one=setting.choices.one_to_one,
            unlabelled=unlabelled,
            kinds=kinds,
            forms={
                name: "clusters" if isinstance(form, Clusters) else "pairs"
                for name, form in {**forms, "labels": truth_form}.items()
            },
            dedupe=setting.matching.dedupe,
        )
    progress("bounding")
    return issue(
        tally,
        setting.choices,
        complete=complete is not None,
        inputs=inputs,
        assumptions=_assumed(tally, setting, complete is not None, [*forms.values(), truth_form]),
    )


def _native_columns(
    sources: Mapping[str, Source], forms: Mapping[str, Form], truth: Form
) -> tuple[list[tuple[Source, str]], list[tuple[Source, str]]]:
    """The columns of x and of y, if ids may be compared as they are: none of them if not."""
    plain = isinstance(truth, Pairs) and all(
        isinstance(form, Pairs) and form.x_source is None for form in forms.values()
    )
    if not plain:
        return [], []
    pairs = [(sources[name], form) for name, form in forms.items() if isinstance(form, Pairs)]
    return [(table, form.x) for table, form in pairs], [(table, form.y) for table, form in pairs]


def _named_in_labels(truth: Source, columns: Mapping[str, str]) -> dict[str, str]:
    """The names that hold for labels too: all those of ids, or none."""
    named = {role: name for role, name in columns.items() if role != "score"}
    ids = [name for role, name in named.items() if role != "source"]
    if not ids or not all(truth.column(name) for name in ids):
        return {}
    if "source" in named and not truth.column(named["source"], f"{named['source']}_l"):
        del named["source"]
    return named


def _refuse_doubt(con: "DuckDBPyConnection", name: str) -> None:
    """Ids of y among the population's: is one table matched with itself?"""
    rows = con.execute(
        f"select y from {name} where cast(y as string) in "
        "(select cast(id as string) from population) limit 1"
    ).fetchall()
    for (y,) in rows:
        raise InputError(
            f"dedupe or link must be said, because y = {str(y)!r} of {name} is an id of the "
            "population too, got neither. Draw with --dedupe if the population was matched with "
            "itself, else with --link."
        )


def _check_names_nodes(form: Form) -> None:
    if isinstance(form, Clusters) or form.either_way:
        raise InputError(
            "labels must say which nodes were labelled where there is no draw, got pairs in either "
            "order or clusters. Give columns x and y."
        )


def _as_drawn(
    con: "DuckDBPyConnection",
    audit: Any,
    population: Any,
    xs: Sequence[tuple[Source, str]],
    ys: Sequence[tuple[Source, str]],
) -> Setting:
    draw = audit if isinstance(audit, Draw) else Draw.load(audit)
    source = open_source(con, "population", population_of(draw, audit, population))
    if source.digest != draw.population["digest"]:
        raise InputError(
            f"population must be what was drawn from, got {source.path or 'a table'!r}, which has "
            "changed since. Restore it, or draw again."
        )
    column = id_column(source, draw.population["id"])
    compared = [*xs, *(ys if draw.matching.dedupe else [])]
    kind = key_kind((source, column), *compared) if compared else "string"
    origin = draw.matching.source
    if origin is not None or source.column("source_dataset"):
        kind = "string"
    size = read_ids(con, source, "population", column, kind, checked=True, origin=origin)
    path = None if isinstance(audit, Draw) else Path(audit) / "draw.json"
    drawn = {
        "path": None if path is None else str(path),
        "digest": draw.as_dict()["digest"] if path is None else digest_of_file(path),
    }
    inputs = {"population": source.as_dict(size=size, id=draw.population["id"]), "draw": drawn}
    return Setting(size, kind, draw.sample, draw.choices, inputs, DRAWN, draw.matching)


def _as_brought(
    con: "DuckDBPyConnection",
    population: Any,
    id: str | None,
    trained_on: Any,
    choices: Choices,
    matching: Matching,
    read: Callable[[], None],
) -> Setting:
    source = open_source(con, "population", population)
    column = id_column(source, id)
    size = read_ids(con, source, "population", column, origin=matching.source)
    read()
    inputs: dict[str, Any] = {"population": source.as_dict(size=size, id=id, **matching.as_dict())}
    labelled = _ids(con, "select distinct x as id from labels")
    if not labelled:
        raise InputError("labels must be of at least one node, got none. Check the file.")
    unknown = _ids(con, "select distinct x as id from labels anti join population on x = id")
    if unknown:
        raise InputError(
            f"labels must be of nodes of the population, got {unknown[0]!r}, which is not in it. "
            "Give the population that the labelled nodes were drawn from."
        )
    trained: list[str] = []
    if trained_on is not None:
        used = open_source(con, "trained_on", trained_on)
        read_ids(con, used, "trained", id_column(used, None, "x"), origin=matching.source)
        inputs["trained_on"] = used.as_dict()
        trained = _ids(con, "select id from trained")
        strange = sorted(set(trained) - set(labelled))
        if strange:
            raise InputError(
                f"trained_on must hold labelled nodes, got {strange[0]!r} without a label. "
                "Give all labels, those trained on included."
            )
    sample = _arrange(labelled, trained, size, choices.theorem)
    unused = set(labelled) - {node for node, _, _ in sample}
    con.executemany("delete from labels where x = ?", [[node] for node in sorted(unused)] or [[""]])
    return Setting(size, "string", sample, choices, inputs, BROUGHT, matching)


def _arrange(
    labelled: Sequence[str], trained: Sequence[str], size: int, theorem: str
) -> tuple[Row, ...]:
    """D and S, each in an order by a public key, which more labels do not reshuffle.

    `sharp` validates on L − D. `paper` draws S from L as if independently of D: i nodes of D and
    the rest of L − D, i hypergeometric (the paper's section 6), by a key that only the labelled set
    decides.
    """
    import numpy as np

    def ordered(label: str, seed: str, some: Sequence[str]) -> list[str]:
        key = key_of(label, seed)
        return sorted(some, key=lambda node: hash_of(key, node))

    in_train = set(trained)
    chosen: Sequence[str] = [node for node in labelled if node not in in_train]
    if theorem == "paper":
        nodes = "".join(f"{len(node)}:{node}" for node in sorted(labelled))
        seed = hashlib.sha256(nodes.encode()).hexdigest()
        rng = np.random.default_rng(int(key_of("intersection", seed), 16))
        draws = len(chosen)
        both = int(rng.hypergeometric(len(trained), size - len(trained), draws))
        chosen = [
            *ordered("from D", seed, trained)[:both],
            *ordered("from L", seed, chosen)[: draws - both],
        ]
    return join_orders(
        ordered("train", PUBLIC_SEED, trained), ordered("validation", PUBLIC_SEED, chosen)
    )


def _assumed(
    tally: Tally, setting: Setting, complete: bool, forms: Sequence[Form]
) -> tuple[str, ...]:
    nodes = (*tally.train, *tally.fresh)
    unlabelled = sum(t is None for _, t, _ in nodes)
    sourceless = any(isinstance(form, Clusters) and form.source is None for form in forms)
    worst = f"{unlabelled} drawn nodes have no label and count as the worst case."
    return (
        setting.origin,
        FIXED,
        ALL_TRUE,
        HOLDOUT,
        *([ANYTHING] if complete else []),
        *([ONE_TO_ONE] if setting.choices.one_to_one else []),
        *([DISJOINT] if sourceless and setting.matching.is_link else []),
        *([worst] if unlabelled else []),
    )


def _check_matchers(holdout: Any, complete: Any, unlabelled: str) -> None:
    if holdout is None:
        alone = "complete alone" if complete is not None else "neither matcher"
        raise InputError(
            f"holdout must be given, got {alone}: labels that may have trained a matcher cannot "
            "test it. Give a matcher developed without the validation labels as holdout; if the "
            "labels trained nothing, that is your matcher itself."
        )
    if unlabelled not in ("refuse", "worst"):
        raise InputError(f"unlabelled must be refuse or worst, got {unlabelled!r}. Choose one.")


def _check_audit(audit: Any, labels: Any, fixed: Mapping[str, Any]) -> None:
    for name, value in fixed.items():
        if value is not None:
            raise InputError(
                f"{name} must be left out with an audit folder, got {value!r}: such things are "
                "fixed at the draw. Drop it, or draw again."
            )
    if isinstance(audit, Draw):
        if labels is None:
            raise InputError("labels must be given with a Draw, got None. Give a table or a path.")
    elif not is_folder(Path(audit)):
        raise InputError(
            f"audit must be a folder, got {str(audit)!r}, which is none. "
            "Give the folder that `matchbound draw --out` wrote."
        )


def _check_brought(population: Any, labels: Any, assume_uniform: bool) -> None:
    if population is None or labels is None or not assume_uniform:
        raise InputError(
            "audit must be given, or else population, labels and assume_uniform, got neither. "
            "Give the folder of a draw, or say that your labels are a uniform sample."
        )


def _ids(con: "DuckDBPyConnection", select: str) -> list[str]:
    return [node for (node,) in con.execute(f"{select} order by id").fetchall()]
