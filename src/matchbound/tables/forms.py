"""Which tool wrote a table, told by its columns: nobody renames a column for us."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from matchbound.errors import AssumptionError, InputError

if TYPE_CHECKING:
    from matchbound.tables.sources import Source

COLUMN_ROLES = ("x", "y", "score", "source", "id", "cluster")
VERDICTS = ("clerical_match_score", "label", "predicted", "predicted_label")  # 1 yes, 0 no
PERSON = VERDICTS[:2]  # what a person says of a pair; the others are a matcher's
SCORES = ("match_probability", "score")  # what is read as one; others must be named
OTHER_SCORES = ("match_weight", "match_score", "probability", "confidence", "similarity", "weight")
OTHER_VERDICTS = ("match", "is_match", "matched", "verdict", "prediction", "decision", "correct")


@dataclass(frozen=True)
class Pairs:
    """A row a pair; `positive` is a column that must be at least ½ for the pair to count."""

    x: str
    y: str
    score: str | None = None
    x_source: str | None = None
    y_source: str | None = None
    positive: str | None = None
    either_way: bool = False  # x and y may stand in either order


@dataclass(frozen=True)
class Clusters:
    """A row a record; records of one cluster match each other."""

    id: str
    cluster: str
    source: str | None = None


Form = Pairs | Clusters


def recognise(source: "Source", named: Mapping[str, str]) -> Form:
    """The form of a matcher's output or of labels; `named` are columns named by the user."""
    _refuse_active_learning(source)
    _check_named(named)
    if named.keys() & {"x", "y", "id", "cluster"}:
        form = _as_named(source, named)
    else:
        form = _with_names(source, _recognised(source), named)
    _refuse_unread(source, form)
    return _with_verdict(source, form)


def _recognised(source: "Source") -> Form:
    found = [form for form in _candidates(source) if form is not None]
    if len(found) > 1:
        raise InputError(
            f"{source.argument} must have one reading, got {' and '.join(map(_described, found))}. "
            "Name the columns: --columns x=…,y=… or --columns id=…,cluster=…."
        )
    if not found:
        raise InputError(
            f"{source.argument} must have columns x and y, or those of a tool that matchbound "
            f"knows, got {', '.join(map(repr, source.columns))}. "
            "Name the columns: --columns x=…,y=… or --columns id=…,cluster=…."
        )
    return found[0]


def _refuse_unread(source: "Source", form: Form) -> None:
    """A column that may say which rows count, under a name that is not read."""
    if isinstance(form, Clusters):
        return
    unread = [*OTHER_VERDICTS]
    if source.argument == "labels":
        unread += [*SCORES, *OTHER_SCORES]
    elif form.score is None and form.positive is None:
        unread += OTHER_SCORES
    known = (form.x, form.y, form.score, form.positive)
    for column in map(source.column, unread):
        if column is not None and column not in known:
            raise InputError(
                f"{source.argument} must not have a column that may say which pairs count without "
                f"being read, got {column!r}. Drop it; or name a score with --columns score=…, and "
                "write a person's verdicts as 1 and 0 into a column 'label'."
            )


def _with_verdict(source: "Source", form: Form) -> Form:
    """A person's verdict is for labels, a matcher's for matches; never one for the other."""
    if isinstance(form, Clusters):
        return form
    verdicts = [name for name in map(source.column, VERDICTS) if name is not None]
    if source.argument == "labels":
        fitting = [name for name in map(source.column, PERSON) if name is not None]
        good = verdicts == fitting and len(fitting) <= 1 and not (fitting and form.score)
    elif form.positive is None:  # matches, and every row is one
        good, fitting = not verdicts, []
    else:
        good, fitting = verdicts == [form.positive], [form.positive]
    if not good:
        raise InputError(
            f"{source.argument} must not mix matches, verdicts and scores, got columns "
            f"{', '.join(verdicts + ([form.score] if form.score else []))}. "
            "Keep the rows that are meant, and drop these columns."
        )
    return replace(form, positive=fitting[0] if fitting else None)


def _candidates(source: "Source") -> Iterable[Form | None]:
    yield _plain(source)
    yield _left_and_right(source)
    yield _goldenmatch(source)
    yield _py_entitymatching(source)
    yield _clusters(source)


def _plain(source: "Source") -> Form | None:
    x, y = source.column("x"), source.column("y")
    if not (x and y):
        return None
    return Pairs(x, y, source.column(*SCORES))


def _left_and_right(source: "Source") -> Form | None:
    """Splink's predictions and labels, and plain id_l, id_r."""
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
    found = source.column(left), source.column(right)
    if (found[0] is None) != (found[1] is None):
        raise InputError(
            f"{source.argument} must have both {left} and {right}, got one of them. Give both."
        )
    return found


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
    named = [source.column(name) for name in ("cluster_id", "z_cluster", "cluster")]
    several = [name for name in named if name is not None]
    record = source.column("unique_id", "id")
    if not several or record is None:
        return None
    if len(several) > 1:
        raise InputError(
            f"{source.argument} must have one column of clusters, got {', '.join(several)}. "
            "Name it: --columns id=…,cluster=…."
        )
    cluster = several[0]
    if source.column("unique_id") and source.column("id"):
        raise InputError(
            f"{source.argument} must have one column of ids, got unique_id and id. "
            "Name it: --columns id=…,cluster=…."
        )
    return Clusters(record, cluster, source.column("source_dataset"))


def _sides(source: "Source", prefix: str, left: str, right: str) -> list[str]:
    """Names that stand on both sides: `name_l` and `name_r`, or what follows a prefix."""
    lowered = {column.lower() for column in source.columns}
    if prefix:
        return [name.removeprefix(prefix) for name in lowered if name.startswith(prefix)]
    return [
        column[: -len(left)]
        for column in source.columns
        if column.endswith(left) and (column[: -len(left)] + right).lower() in lowered
    ]


def _as_named(source: "Source", named: Mapping[str, str]) -> Form:
    if "cluster" in named:
        origin = named.get("source")
        return Clusters(
            _existing(source, named.get("id", "id")),
            _existing(source, named["cluster"]),
            source.column("source_dataset") if origin is None else _existing(source, origin),
        )
    if "id" in named:
        raise InputError("columns must name a cluster with an id, got an id alone. Name both.")
    x, y = _existing(source, named.get("x", "x")), _existing(source, named.get("y", "y"))
    return _with_names(source, Pairs(x, y, source.column(*SCORES)), named)


def _with_names(source: "Source", form: Form, named: Mapping[str, str]) -> Form:
    """The form with the score and the sources that were named."""
    if isinstance(form, Clusters):
        if not named:
            return form
        raise InputError(
            f"columns must name id and cluster where {source.argument} has clusters, "
            f"got {', '.join(named)} alone. Name those too."
        )
    origin = named.get("source", "source_dataset")
    left, right = _both_sources(source, f"{origin}_l", f"{origin}_r")
    if "source" in named and left is None:
        raise InputError(
            f"columns must name columns of {source.argument}, got source={origin!r} without "
            f"{origin}_l and {origin}_r. Choose among {', '.join(map(repr, source.columns))}."
        )
    score = _existing(source, named["score"]) if "score" in named else form.score
    return replace(form, score=score, x_source=left, y_source=right)


def _check_named(named: Mapping[str, str]) -> None:
    good = isinstance(named, Mapping) and all(
        role in COLUMN_ROLES and isinstance(name, str) for role, name in named.items()
    )
    if not good or len(set(named.values())) < len(named):
        raise InputError(
            f"columns must name a column for each role among {', '.join(COLUMN_ROLES)}, "
            f"got {named!r}. Give for example x=left_id,y=right_id."
        )


def _existing(source: "Source", column: str) -> str:
    found = source.column(column.lower())
    if found is None:
        raise InputError(
            f"columns must name columns of {source.argument}, got {column!r}. "
            f"Choose among {', '.join(map(repr, source.columns))}."
        )
    return found


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
