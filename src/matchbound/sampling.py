"""From a population to the nodes to label: D to train on, S to validate on, S' to compare on."""

import hashlib
import math
import operator
import secrets
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from matchbound.choices import Choices
from matchbound.draws import Draw, join_orders
from matchbound.engines import Engine, connect, keep, lend, query
from matchbound.errors import InputError
from matchbound.forms import Clusters, recognise
from matchbound.matching import Matching
from matchbound.scores import check_scored, first_threshold
from matchbound.sources import open_source
from matchbound.standing import matcher
from matchbound.tables import id_column, kind_of_ids, read_ids, read_matches

Progress = Callable[[str], None]


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
    dedupe: bool = False,
    link: bool = False,
    source: str | None = None,
    engine: Any = "duckdb",
    memory: str | None = None,
    temp: Any = None,
    progress: Progress = lambda _: None,
    **choices: Any,
) -> Draw:
    """Draw `labels` nodes to validate on and `train` to train on, independently of each other.

    Each is the beginning of an order of all nodes by a keyed SHA-256 of the id, so that a larger
    draw with the same seed begins with the smaller. A node may be in both and is labelled once.
    `dedupe` says that the population is matched with itself, `link` that with another table, whose
    ids may be the same; `source` names the population where matches carry sources. `holdout`, with
    its threshold and columns, puts a holdout matcher on record. The other arguments are `Choices`.
    """
    matching = Matching(dedupe, link, source)
    fixed = chosen(_implied(choices, holdout), anytime, allowance)
    matching.check_future(fixed.future)
    depends = fixed.among or fixed.counted == "precision"
    seed = secrets.token_hex(16) if seed is None else _check_seed(seed)
    with connect(engine, memory, temp) as con:
        progress("reading the population")
        table = open_source(con, "population", population)
        column = id_column(table, id)
        kind = "string" if depends or source is not None else kind_of_ids(table, column)
        size = read_ids(con, table, "population", column, kind, origin=source)
        train = _check_count("train", train, 0, size)
        _check_count("gap", fixed.gap, 0, size)
        registered = _register(con, holdout, threshold, columns, fixed, matching)
        progress("drawing")
        trained = _first(con, seed, "train", train, size)
        validated = _validated(con, seed, labels, size, trained, fixed)
        compared = _first(con, seed, "gap", fixed.gap, size)
    return Draw(
        table.as_dict(size=size, id=id),
        seed,
        len(validated),
        train,
        fixed,
        join_orders(trained, validated),
        matching,
        tuple(compared),
        registered[0] if depends else None,
        registered,
    )


def _implied(choices: Mapping[str, Any], holdout: Any) -> dict[str, Any]:
    """What other arguments say of choices: the names of several matchers, and precision alone."""
    implied: dict[str, Any] = {}
    if isinstance(holdout, Mapping):
        implied["algorithms"] = tuple(holdout)
    if choices.get("among"):
        implied["metrics"] = ("precision",)
    return implied | dict(choices)


def chosen(
    choices: Mapping[str, Any], anytime: bool = False, allowance: float | None = None
) -> Choices:
    """Choices by name, with those that follow from others."""
    if anytime:
        if choices.get("bound", "auto") not in ("auto", "anytime"):
            raise InputError(
                f"bound must be left out with anytime, got {choices['bound']!r}. Drop one of them."
            )
        choices = {**choices, "bound": "anytime"}
    wanted = choices.get("choose_threshold")
    if allowance is not None:
        choices = {**choices, "allowance": allowance}
    elif "allowance" not in choices and isinstance(wanted, Mapping) and wanted.get("precision"):
        choices = {**choices, "allowance": round((1 - wanted["precision"]) / 10, 6)}
    return Choices.from_dict(choices)


def _register(
    con: Engine,
    holdout: Any,
    threshold: float | None,
    columns: Mapping[str, str] | None,
    choices: Choices,
    matching: Matching,
) -> tuple[Mapping[str, Any], ...]:
    """What goes on record; the table `matched` has the nodes with a match, if the draw needs it."""
    if holdout is None:
        if threshold is not None or columns:
            raise InputError(
                "threshold and columns must come with a holdout matcher, got them alone. "
                "Give it too, or give them to certify."
            )
        if choices.among or choices.counted == "precision":
            raise InputError(
                "holdout must be given where the draw counts or takes its matches, got None. "
                "Give the holdout matcher's output."
            )
        return ()
    found = []
    for name, given in named(holdout, choices, "holdout").items():
        source = open_source(con, "holdout", given)
        form = recognise(source, columns or {})
        least = first_threshold(choices, threshold, [form])
        check_scored(form, least)
        if choices.among or choices.counted == "precision":
            read_matches(con, source, "holdout", form, matching, least)
            keep_matched(con, isinstance(form, Clusters), matching.dedupe)
        facts = source.as_dict(threshold=least, columns=dict(columns or {}))
        found.append(matcher(name, facts))
    return tuple(found)


def _validated(
    con: Engine,
    seed: str,
    labels: int | None,
    size: int,
    trained: Sequence[str],
    choices: Choices,
) -> list[str]:
    if choices.counted == "precision":
        if labels is not None:
            raise InputError(
                f"labels must be left out with until precision, got {labels}: the holdout matcher "
                "tells how many it takes. Drop it."
            )
        import pyarrow as pa

        lend(con, "trained", {"id": pa.array(trained, pa.string())})
        wanted = choices.until["precision"]
        ((most,),) = con.rows("select count(*) from matched anti join trained using (id)")
        if wanted > most:
            raise InputError(
                f"until must be at most the {most} nodes that the holdout matcher matches outside "
                f"the training nodes, got precision={wanted}. Choose fewer."
            )
        key = key_of("validation", seed)
        return [node for (node,) in query(con, "draw_until", key=key, count=wanted)]
    if choices.among:
        ((matched,),) = con.rows("select count(*) from matched")
        labels = _check_count("labels", labels, 1, matched, "the number of matched nodes")
        return _first(con, seed, "validation", labels, matched, "matched")
    labels = _check_count("labels", labels, choices.until.get("recall", 1), size)
    return _first(con, seed, "validation", labels, size)


def named(given: Any, choices: Choices, argument: str) -> dict[str, Any]:
    """A matcher's output, or those of several algorithms by the names that the draw fixed."""
    if not choices.algorithms:
        if isinstance(given, Mapping):
            raise InputError(
                f"{argument} must be one table, because no algorithms were named at the draw, got "
                f"{', '.join(map(str, given))}. Give one, or draw with --algorithm."
            )
        return {"": given}
    if not isinstance(given, Mapping) or set(given) != set(choices.algorithms):
        got = ", ".join(map(str, given)) if isinstance(given, Mapping) else "one table"
        raise InputError(
            f"{argument} must be given for each of {', '.join(choices.algorithms)}, got {got}. "
            "Give name=FILE for each."
        )
    return {name: given[name] for name in choices.algorithms}


def keep_matched(con: Engine, is_clusters: bool, dedupe: bool) -> None:
    """The nodes that the holdout matcher matched, as the table `matched`."""
    form, itself = "clusters" if is_clusters else "pairs", 1 if dedupe else 0
    keep(con, "counted", f"count_{form}", a="holdout", itself=itself)
    con.keep(
        "matched", "select x as id from counted where n > 0 and x in (select id from population)"
    )


def _check_seed(seed: str) -> str:
    try:
        seed.encode()
    except (UnicodeEncodeError, AttributeError):
        raise InputError(f"seed must be text, got {seed!r}. Give letters and digits.") from None
    return seed


def _check_count(
    argument: str, count: Any, least: int, size: int, what: str = "the population's size"
) -> int:
    try:
        number = -1 if isinstance(count, bool) else operator.index(count)
    except TypeError:
        number = -1
    if not least <= number <= size:
        raise InputError(
            f"{argument} must be a whole number from {least} to {what}, {size}; "
            f"got {count!r}. Choose one in that range."
        )
    return number


def key_of(label: str, seed: str) -> str:
    """A key of fixed length for each use of a seed."""
    return hashlib.sha256(f"matchbound 1 {label} {seed}".encode()).hexdigest()


def hash_of(key: str, node: str) -> str:
    """What draw.sql orders by."""
    return hashlib.sha256(f"{key}{node}".encode()).hexdigest()


def _first(
    con: Engine,
    seed: str,
    label: str,
    count: int,
    size: int,
    table: str = "population",
) -> list[str]:
    if not count:
        return []
    key = key_of(label, seed)
    for cut in (_cut(count, size), "g"):  # every digit is below g
        rows = query(con, "draw", key=key, count=count, cut=cut, table=table)
        if len(rows) == count:
            break
    return [node for (node,) in rows]


def _cut(count: int, size: int) -> str:
    """A hash, as hexadecimal digits, that at least `count` of `size` are most likely below."""
    wanted = count + 6 * math.isqrt(count) + 20
    return f"{2**64 * wanted // size:016x}" if wanted < size else "g"
