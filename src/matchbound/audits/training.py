"""D where it was there before the seed of S: drawn alone, or labels that a person had."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from matchbound.audits.draw import join_orders
from matchbound.audits.folder import draw_record
from matchbound.engines import Engine, lend
from matchbound.errors import InputError
from matchbound.files import is_file
from matchbound.tables import (
    Clusters,
    Digest,
    Matching,
    Row,
    Source,
    digest_of,
    digest_of_ids,
    id_column,
    load_drawn,
    open_source,
    read_labels,
    recognise,
    rows_of_labels,
)
from matchbound.theorems import Choices


@dataclass(frozen=True)
class Phase:
    """D drawn alone: what fixes its nodes, and all that it fixed for the second phase."""

    seed: str
    train: int
    digest: Digest
    id: str | None
    matching: Matching

    @staticmethod
    def of(record: Mapping[str, Any]) -> "Phase":
        """From the content of draw.json, of D alone or of a draw that D came before."""
        population = record["population"]
        seed = record["train_seed"] if record["labels"] else record["seed"]
        matching = Matching(**record["matching"])
        digest = Digest.of(population["digest"])
        return Phase(seed, record["train"], digest, population["id"], matching)

    def check(self, con: Engine, source: Source, id: str | None, matching: Matching) -> None:
        """Refuse what the first phase fixed otherwise."""
        column = id_column(source, self.id)
        digest = digest_of_ids(con, source, column, self.matching.source, [self.digest])
        if not digest.is_same(self.digest, read_alike=True):
            raise InputError(
                f"population must be what the training nodes were drawn from, got "
                f"{source.path or 'a table'!r}, which has changed since. Restore it."
            )
        for name, given, fixed in (("id", id, self.id), *self._matched(matching)):
            if given and given != fixed:
                raise InputError(
                    f"{name} must be as it was when the training nodes were drawn, got {given!r}. "
                    "Drop it."
                )

    def _matched(self, matching: Matching) -> list[tuple[str, Any, Any]]:
        fixed = self.matching.as_dict()
        return [(name, given, fixed[name]) for name, given in matching.as_dict().items()]


def phase_in(out: Any, train: int, trained_on: Any, draws: bool) -> Phase | None:
    """The first phase that is in a folder, for a draw of validation nodes alone."""
    record = None if out is None else draw_record(Path(out))
    if not draws or trained_on is not None or record is None:
        return None
    if record["labels"] and record["train_seed"] is None:
        return None
    if train and not record["labels"]:
        raise InputError(
            f"train must be left out where training nodes were drawn already, got {train}. Drop "
            "it: they are those in train.csv."
        )
    return None if train else Phase.of(record)


def check_second(choices: Choices) -> None:
    """Refuse what is not proved for S drawn from X − D."""
    if choices.theorem == "paper" or choices.future:
        what = "future" if choices.future else "theorem paper"
        raise InputError(
            f"{what} must be left out where the training nodes were there before, got it: it is "
            "not proved for validation nodes drawn from the others. Drop it, or draw both at once."
        )


def labelled_nodes(con: Engine, source: Source, matching: Matching) -> tuple[list[str], Digest]:
    """The nodes of labels that were there before the seed, in the order of their ids."""
    form = recognise(source, {})
    if isinstance(form, Clusters) or form.either_way:
        raise InputError(
            "trained_on must say which nodes were labelled, got pairs in either order or clusters. "
            "Give columns x and y."
        )
    read_labels(con, source, form, matching)
    nodes = [node for (node,) in con.rows("select distinct x from labels order by x")]
    unknown = con.rows("select min(x) from labels anti join population on x = id")[0][0]
    if unknown is not None or not nodes:
        got = "none" if unknown is None else f"{unknown!r}, which is not one"
        raise InputError(
            f"trained_on must hold labels of nodes of the population, got {got}. Check the file."
        )
    return nodes, digest_of(con, source, rows_of_labels(source, form))


def refuse_other_labels(
    con: Engine, folder: Path, trained: Sequence[str], matching: Matching
) -> None:
    """Refuse a folder whose labels.csv has labels of nodes that are not in D."""
    path = folder / "labels.csv"
    if not is_file(path):
        return
    sample: Sequence[Row] = join_orders(trained, [])
    load_drawn(con, sample)
    source = open_source(con, "labels", path)
    form = recognise(source, {})
    if isinstance(form, Clusters):
        raise InputError(
            "labels.csv must hold the training nodes' labels alone, got clusters. Move it away."
        )
    read_labels(con, source, form, matching)
    other = con.rows("select min(l.x) from labels l anti join sample s on s.id = l.x")[0][0]
    if other is not None:
        raise InputError(
            f"labels.csv must hold the training nodes' labels alone, got {other!r}, which is not "
            "one of them. Move the others away: nodes to validate on are drawn before their labels."
        )


def without_trained(con: Engine, trained: Sequence[str], tables: Sequence[str]) -> None:
    """Take D's nodes out of tables of ids."""
    import pyarrow as pa

    lend(con, "trained", {"id": pa.array(trained, pa.string())})
    for table in tables:
        con.keep(table, f"select t.id from {table} t anti join trained d on d.id = t.id")
