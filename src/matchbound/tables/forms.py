"""Recognise by a table's columns which tool wrote it, so that nobody has to rename columns."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from matchbound.errors import AssumptionError, InputError

if TYPE_CHECKING:
    from matchbound.tables.sources import Source

COLUMN_ROLES = ("x", "y", "score", "source", "id", "cluster", "verdict", "ignore")
VERDICTS = ("clerical_match_score", "label", "predicted", "predicted_label")  # 1 yes, 0 no
PERSON = VERDICTS[:2]  # columns of a person's verdicts; the others are a matcher's
SCORES = ("match_probability", "score")  # columns read as scores; others must be named by the user
CLUSTERS = ("cluster_id", "z_cluster", "cluster", "cluster id")  # Splink's, zingg's, dedupe's


@dataclass(frozen=True)
class Pairs:
    """Each row is a pair. It counts where the column `positive`, if there is one, is ½ or more."""

    x: str
    y: str
    score: str | None = None
    x_source: str | None = None
    y_source: str | None = None
    positive: str | None = None
    either_way: bool = False  # x and y may stand in either order


@dataclass(frozen=True)
class Clusters:
    """Each row is a record; records of the same cluster match each other."""

    id: str
    cluster: str
    source: str | None = None


Form = Pairs | Clusters


def is_clusters(form: Form) -> bool:
    return isinstance(form, Clusters)


def recognise(source: "Source", columns: Mapping[str, str]) -> Form:
    """The form of a matcher's output or of labels; `columns` are names by the user, by role."""
    _refuse_active_learning(source)
    check_columns(columns)
    named = {role: name for role, name in columns.items() if role != "ignore"}
    if named.keys() & {"x", "y", "id", "cluster"}:
        form = _form_by_columns(source, named)
    else:
        form = _with_columns(source, _form_by_tool(source), named)
    unnamed = set(source.columns) - ignored(source, columns)
    _refuse_ignored(source, form, unnamed)
    return _with_verdict(source, form, unnamed)


def ignored(source: "Source", columns: Mapping[str, str]) -> set[str]:
    """The columns of a table that the user says decide nothing."""
    text = columns.get("ignore", "")
    names = [text] if source.column(text) else text.split(",")
    return {column for column in map(source.column, names) if column is not None}


def columns_read(form: Form) -> set[str]:
    """The columns that a form reads."""
    return {column for column in vars(form).values() if isinstance(column, str)}


def possible_forms(source: "Source") -> list[Form]:
    """The forms that a table may have by its columns' names alone."""
    return [form for form in _candidates(source) if form is not None]


def _form_by_tool(source: "Source") -> Form:
    forms = possible_forms(source)
    if len(forms) > 1:
        raise InputError(
            f"{source.argument} must have one reading, got {' and '.join(map(_described, forms))}. "
            "Name the columns: --columns x=…,y=… or --columns id=…,cluster=…."
        )
    if not forms:
        raise InputError(
            f"{source.argument} must have columns x and y, or those of a tool that matchbound "
            f"knows, got {source.listed}. "
            "Name the columns: --columns x=…,y=… or --columns id=…,cluster=…."
        )
    return forms[0]


def _refuse_ignored(source: "Source", form: Form, others: set[str]) -> None:
    """Refuse to ignore a column that is read; `others` are the columns that are not ignored."""
    for column in sorted(columns_read(form) - others):
        raise InputError(
            f"columns must not ignore what is read of {source.argument}, got {column!r}. Drop the "
            "column from the table, or name another in its place."
        )


def _with_verdict(source: "Source", form: Form, others: set[str]) -> Form:
    """Add the column of verdicts: a person's for labels, a matcher's for matches, no other."""
    if isinstance(form, Clusters):
        return form
    verdicts = [name for name in map(source.column, VERDICTS) if name in others]
    if source.argument == "labels":
        fitting = [name for name in map(source.column, PERSON) if name is not None]
        is_clear = verdicts == fitting and len(fitting) <= 1 and not (fitting and form.score)
    elif form.positive is None:  # matches without verdicts: every row is a match
        is_clear, fitting = not verdicts, []
    else:
        is_clear, fitting = set(verdicts) <= {form.positive}, [form.positive]
    if not is_clear:
        raise InputError(
            f"{source.argument} must not mix matches, verdicts and scores, got columns "
            f"{', '.join([*verdicts, *([form.score] if form.score else [])])}. "
            "Keep the rows that are meant, and drop these columns."
        )
    return replace(form, positive=fitting[0] if fitting else None)


def _candidates(source: "Source") -> Iterable[Form | None]:
    yield _plain(source)
    yield _left_and_right(source)
    yield _goldenmatch(source)
    yield _py_entitymatching(source)
    yield _clusters(source)
    yield _canonical(source)


def _plain(source: "Source") -> Form | None:
    x, y = source.column("x"), source.column("y")
    if not (x and y):
        return None
    return Pairs(x, y, source.column(*SCORES))


def _left_and_right(source: "Source") -> Form | None:
    """The form of Splink's predictions and labels, and of tables with id_l and id_r."""
    for name in ("unique_id", "id"):
        left, right = source.column(f"{name}_l"), source.column(f"{name}_r")
        if left and right:
            return Pairs(
                left,
                right,
                source.column(*SCORES),
                *_both_sources(source, "source_dataset_l", "source_dataset_r"),
                either_way=True,
            )
    if source.column("match_key") and _sides(source, "", "_l", "_r"):
        candidates = ", ".join(_sides(source, "", "_l", "_r"))
        raise InputError(
            f"{source.argument} must have columns unique_id_l and unique_id_r, or be told which "
            f"hold the ids, got {candidates}. Name them: --columns x=…_l,y=…_r,source=…."
        )
    return None


def _both_sources(source: "Source", left: str, right: str) -> tuple[str | None, str | None]:
    columns = source.column(left), source.column(right)
    if (columns[0] is None) != (columns[1] is None):
        raise InputError(
            f"{source.argument} must have both {left} and {right}, got one of them. Give both."
        )
    return columns


def _goldenmatch(source: "Source") -> Form | None:
    left, right, label = source.column("id_a"), source.column("id_b"), source.column("label")
    return Pairs(left, right, positive=label) if left and right and label else None


def _py_entitymatching(source: "Source") -> Form | None:
    keys = _sides(source, "ltable_", "", "") and [
        key
        for key in _sides(source, "ltable_", "", "")
        if source.column(f"rtable_{key}") is not None
    ]
    if not keys:
        return None
    if len(keys) > 1 and "id" not in keys:
        raise InputError(
            f"{source.argument} must have one key, got {', '.join(keys)}. "
            "Name the columns: --columns x=ltable_…,y=rtable_…."
        )
    key = "id" if "id" in keys else keys[0]
    label = source.require("predicted", "predicted_label", "label")
    return Pairs(source.require(f"ltable_{key}"), source.require(f"rtable_{key}"), positive=label)


def _clusters(source: "Source") -> Form | None:
    clusters = [name for name in map(source.column, CLUSTERS) if name is not None]
    record = source.column("unique_id", "id")
    if not clusters or record is None:
        return None
    if len(clusters) > 1:
        raise InputError(
            f"{source.argument} must have one column of clusters, got {', '.join(clusters)}. "
            "Name it: --columns id=…,cluster=…."
        )
    if source.column("unique_id") and source.column("id"):
        raise InputError(
            f"{source.argument} must have one column of ids, got unique_id and id. "
            "Name it: --columns id=…,cluster=…."
        )
    return Clusters(record, clusters[0], source.column("source_dataset"))


def _canonical(source: "Source") -> Form | None:
    """The form of the entity map in dedupe's examples: a record, and the one that stands for it."""
    record, canonical = source.column("donor_id"), source.column("canon_id")
    return Clusters(record, canonical) if record and canonical else None


def _sides(source: "Source", prefix: str, left: str, right: str) -> list[str]:
    """The names that both sides have, as in `name_l` and `name_r`; or those after a prefix."""
    lowered = {column.lower() for column in source.columns}
    if prefix:
        return [name.removeprefix(prefix) for name in lowered if name.startswith(prefix)]
    return [
        column[: -len(left)]
        for column in source.columns
        if column.endswith(left) and (column[: -len(left)] + right).lower() in lowered
    ]


def _form_by_columns(source: "Source", columns: Mapping[str, str]) -> Form:
    """The form whose ids are in the columns that the user named."""
    if "cluster" in columns:
        _refuse_verdict_of_clusters(source, columns)
        origin = columns.get("source")
        return Clusters(
            _existing(source, columns.get("id", "id")),
            _existing(source, columns["cluster"]),
            source.column("source_dataset") if origin is None else _existing(source, origin),
        )
    if "id" in columns:
        raise InputError("columns must name a cluster with an id, got an id alone. Name both.")
    x, y = _existing(source, columns.get("x", "x")), _existing(source, columns.get("y", "y"))
    return _with_columns(source, Pairs(x, y, source.column(*SCORES)), columns)


def _refuse_verdict_of_clusters(source: "Source", columns: Mapping[str, str]) -> None:
    if "verdict" in columns:
        raise InputError(
            f"columns must name no verdict where {source.argument} has clusters, got "
            f"{columns['verdict']!r}. Keep the records that are meant, and drop it."
        )


def _with_columns(source: "Source", form: Form, columns: Mapping[str, str]) -> Form:
    """Add the columns of scores, verdicts and sources that the user named.

    A verdict decides alone, unless a score is named with it.
    """
    if isinstance(form, Clusters):
        if not columns:
            return form
        raise InputError(
            f"columns must name id and cluster where {source.argument} has clusters, "
            f"got {', '.join(columns)} alone. Name those too."
        )
    origin = columns.get("source", "source_dataset")
    left, right = _both_sources(source, f"{origin}_l", f"{origin}_r")
    if "source" in columns and left is None:
        raise InputError(
            f"columns must name columns of {source.argument}, got source={origin!r} without "
            f"{origin}_l and {origin}_r. Choose among {source.listed}."
        )
    form = replace(form, x_source=left, y_source=right)
    if "verdict" in columns:
        form = replace(form, positive=_existing(source, columns["verdict"]), score=None)
    if "score" in columns:
        form = replace(form, score=_existing(source, columns["score"]))
    return form


def check_columns(columns: Mapping[str, str]) -> None:
    are_names = isinstance(columns, Mapping) and all(
        role in COLUMN_ROLES and isinstance(name, str) for role, name in columns.items()
    )
    if not are_names or len(set(columns.values())) < len(columns):
        raise InputError(
            f"columns must name a column for each role among {', '.join(COLUMN_ROLES)}, "
            f"got {columns!r}. Give for example x=left_id,y=right_id."
        )


def _existing(source: "Source", name: str) -> str:
    column = source.column(name.lower())
    if column is None:
        raise InputError(
            f"columns must name columns of {source.argument}, got {name!r}. "
            f"Choose among {source.listed}."
        )
    return column


def _refuse_active_learning(source: "Source") -> None:
    if source.column("z_ismatch"):
        raise AssumptionError(
            f"{source.argument} must be a random sample, got zingg's marked pairs: active learning "
            "chose them because they are hard, so they say nothing of the others. "
            "Draw nodes with `matchbound draw` and verify their matches."
        )


def _described(form: Form) -> str:
    if isinstance(form, Clusters):
        return f"clusters ({form.id}, {form.cluster})"
    return f"pairs ({form.x}, {form.y})"
