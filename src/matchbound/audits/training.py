"""Training nodes from before the seed of S: drawn alone, or nodes that a person had labelled."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from matchbound.audits.draw import join_orders
from matchbound.audits.folder import LABELS, written_in
from matchbound.audits.inputs import Within
from matchbound.audits.part import digest_of_part
from matchbound.audits.wishes import Wishes
from matchbound.audits.written import Written
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
    is_same_table,
    load_drawn,
    open_source,
    read_labels,
    recognise,
    rows_of_labels,
)
from matchbound.theorems import Choices


@dataclass(frozen=True)
class Phase:
    """The draw of D alone: what its nodes follow from, and what the second draw must repeat."""

    seed: str
    train: int
    digest: Digest
    id: str | None
    matching: Matching
    within: Within | None
    folder: Path | None

    @staticmethod
    def of(written: Written, folder: Path | None = None) -> "Phase":
        """From draw.json in a folder, of D alone or of a draw that D came before."""
        population = written.population
        seed = written.train_seed if written.labels else written.seed
        assert seed is not None
        by = population.digest, population.id, written.matching, written.within
        return Phase(seed, written.train, *by, folder)

    def part(self, within: Any) -> Any:
        """The part to draw from: the one that was given, else the first draw's, if it had one."""
        if within is None and self.within is not None:
            return self.within.found(self.folder)
        return within

    def check_part(self, con: Engine, source: Source | None) -> None:
        """Refuse a part that is not the first draw's, as `part` returned it."""
        if source is None:
            return
        fixed = None if self.within is None else self.within.digest
        now = digest_of_part(con, source, self.id, self.matching, *([fixed] if fixed else []))
        if not is_same_table(fixed, now):
            way_out = "Drop it" if fixed is None else "Restore it"
            raise InputError(
                "within must be as it was when the training nodes were drawn, got "
                f"{source.path or 'a table'!r}. {way_out}, or draw the training nodes again."
            )

    def check(self, con: Engine, source: Source, id: str | None, matching: Matching) -> None:
        """Refuse a population, an id column or a matching that is not the first draw's."""
        column = id_column(source, self.id)
        digest = digest_of_ids(con, source, column, self.matching.source, [self.digest])
        if not digest.is_same(self.digest, read_alike=True):
            raise InputError(
                f"population must be what the training nodes were drawn from, got "
                f"{source.path or 'a table'!r}, which has changed since. Restore it."
            )
        for name, value, fixed in (("id", id, self.id), *self._matched(matching)):
            if value and value != fixed:
                raise InputError(
                    f"{name} must be as it was when the training nodes were drawn, got {value!r}. "
                    "Drop it."
                )

    def _matched(self, matching: Matching) -> list[tuple[str, Any, Any]]:
        fixed = self.matching.as_dict()
        return [(name, value, fixed[name]) for name, value in matching.as_dict().items()]


def phase_in(out: Any, wishes: Wishes) -> Phase | None:
    """The first phase that is in a folder, for a draw of validation nodes alone."""
    written = None if out is None else written_in(Path(out))
    if not wishes.validates or wishes.trained_on is not None or written is None:
        return None
    if written.labels and written.train_seed is None:
        return None
    if wishes.train and not written.labels:
        raise InputError(
            f"train must be left out where training nodes were drawn already, got {wishes.train}. "
            "Drop it: they are those in train.csv."
        )
    return None if wishes.train else Phase.of(written, Path(out))


def labels_in(out: Any, wishes: Wishes) -> Any:
    """The training nodes' labels, where they were there before the seed of the others."""
    if wishes.trained_on is not None or out is None:
        return wishes.trained_on
    path = Path(out) / LABELS
    return path if is_file(path) else None


def check_second(choices: Choices) -> None:
    """Refuse choices that are not proved for S drawn from X − D."""
    if choices.theorem == "paper" or choices.future:
        what = "future" if choices.future else "theorem paper"
        raise InputError(
            f"{what} must be left out where the training nodes were there before, got it: it is "
            "not proved for validation nodes drawn from the others. Drop it, or draw both at once."
        )


def labelled_nodes(con: Engine, source: Source, matching: Matching) -> tuple[list[str], Digest]:
    """The nodes of labels from before the seed, in the order of their ids, and their digest.

    Of labels of nodes outside the part that is drawn from, no node is taken.
    """
    form = recognise(source, {})
    if isinstance(form, Clusters) or form.either_way:
        raise InputError(
            "trained_on must say which nodes were labelled, got pairs in either order or clusters. "
            "Give columns x and y."
        )
    read_labels(con, source, form, matching)
    drawn_from = "select distinct x from labels semi join population on x = id order by x"
    nodes = [node for (node,) in con.rows(drawn_from)]
    unknown = con.rows("select min(x) from labels anti join everyone on x = id")[0][0]
    if unknown is not None or not nodes:
        got = "none of those to draw from" if unknown is None else f"{unknown!r}, which is not one"
        raise InputError(
            f"trained_on must hold labels of nodes of the population, got {got}. Check the file."
        )
    return nodes, digest_of(con, source, rows_of_labels(source, form))


def refuse_other_labels(
    con: Engine, folder: Path, trained: Sequence[str], matching: Matching
) -> None:
    """Refuse a folder whose labels.csv has labels of nodes that are not in D."""
    path = folder / LABELS
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
    stranger = con.rows("select min(l.x) from labels l anti join sample s on s.id = l.x")[0][0]
    if stranger is not None:
        raise InputError(
            f"labels.csv must hold the training nodes' labels alone, got {stranger!r}, which is "
            "not one of them. Move the others away: nodes to validate on are drawn before their "
            "labels."
        )


def without_trained(con: Engine, trained: Sequence[str], tables: Sequence[str]) -> None:
    """Take D's nodes out of tables of ids. `everyone` may lack them then, so check before."""
    lend(con, "trained", {"id": trained})
    for table in tables:
        con.keep(table, f"select t.id from {table} t anti join trained d on d.id = t.id")
