"""A draw: the nodes to label and everything fixed before their labels are seen, as files."""

import csv
import io
import secrets
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING

from matchbound.audits.folder import (
    LABELS,
    OLD_DRAW,
    OLD_LEDGER,
    is_written,
    last_draw,
    refuse_labels,
    refuse_unfinished,
)
from matchbound.audits.inputs import Population, TableRef, Within
from matchbound.audits.journal import NAME as JOURNAL
from matchbound.audits.journal import Opening, read_journal
from matchbound.audits.ledger import NAME as LEDGER
from matchbound.audits.ledger import Transaction, of_version1, transaction
from matchbound.audits.places import NAME as PLACES
from matchbound.audits.places import recorded, whole_paths
from matchbound.audits.shelf import certificate_files
from matchbound.audits.written import Written
from matchbound.engines import Engine
from matchbound.errors import InputError, MatchboundError, UnfinishedError
from matchbound.files import (
    LONG_LIMIT,
    alone,
    csv_text,
    digest_of_text,
    is_file,
    read_json,
    read_text,
    refuse_existing,
    remove,
    write_whole,
)
from matchbound.reprs import brief
from matchbound.tables import (
    Digest,
    Matching,
    Recorded,
    Row,
    Source,
    digest_of_ids,
    id_column,
    is_same_table,
)
from matchbound.theorems import Choices

if TYPE_CHECKING:
    from os import PathLike

FILES = ("train.csv", "sample.csv", "gap.csv", "draw.json")
"""The files of a draw, in the order in which they are written: draw.json comes last."""
PARTS = (*FILES, LABELS, LEDGER, JOURNAL, PLACES, OLD_LEDGER, OLD_DRAW)
"""The files of an audit folder that no result may be written over."""


def evidence_in(folder: Path) -> list[Path]:
    """The files that no page and no seal may be written over, even if forced.

    They are the folder's own, its certificates, and the tables that were read for it.
    """
    own = [folder / name for name in (*PARTS, "certificate.json")]
    return [*own, *certificate_files(folder), *map(Path, whole_paths(folder))]


@dataclass(frozen=True)
class Draw:
    """The nodes to label, and everything that is fixed before their labels are seen.

    `gap` are the nodes of S', on which the matchers are compared if not on all nodes. `holdout` is
    the holdout matcher's output that decided which nodes are drawn, if one did; `registered` are
    the outputs to put on record. `labels` is 0 where D alone was drawn. Where S was drawn from
    X − D later, D came from `train_seed`, or from the labels `trained_on`. `within` is the part of
    the population that all nodes were drawn from, if it was a part. A draw that was read from a
    `folder` belongs to that folder's ledger. draw.json has a commitment to the nodes, with
    the `salt`; `sealed_nodes` is that commitment where the salt was erased. `seed_salt` is that of
    the seed's commitment: with it in draw.json, nobody can guess a seed by that file's digest.
    """

    population: Population
    seed: str
    labels: int
    train: int
    choices: Choices
    sample: tuple[Row, ...]
    matching: Matching
    gap: tuple[str, ...] = ()
    holdout: Recorded | None = None
    registered: tuple[Recorded, ...] = ()
    seed_given: bool = False
    train_seed: str | None = None
    trained_on: TableRef | None = None
    within: Within | None = None
    folder: Path | None = field(default=None, compare=False)
    salt: str = field(default_factory=lambda: secrets.token_hex(16), compare=False, repr=False)
    seed_salt: str = field(default_factory=lambda: secrets.token_hex(16), compare=False, repr=False)
    sealed_nodes: str | None = field(default=None, compare=False)

    @property
    def size(self) -> int:
        """How many nodes there are to draw from."""
        return self.population.size if self.within is None else self.within.size

    @property
    def trained(self) -> list[str]:
        """D, in its own order."""
        return [x for _, x in sorted((i, x) for x, i, _ in self.sample if i is not None)]

    @property
    def validated(self) -> list[str]:
        """S, in its own order."""
        return [x for _, x in sorted((i, x) for x, _, i in self.sample if i is not None)]

    @property
    def in_order(self) -> list[Row]:
        """The drawn nodes in the order of labelling: D, then the other nodes of S.

        D comes first so that a holdout matcher can be developed and registered before there is any
        validation label, and because an anytime draw may be stopped anywhere in S.
        """
        trained = sorted((row for row in self.sample if row[1] is not None), key=_in_train)
        others = sorted((row for row in self.sample if row[1] is None), key=_in_validation)
        return [*trained, *others]

    @property
    def digest(self) -> str:
        return self.written.digest

    @property
    def is_second(self) -> bool:
        """Whether S was drawn from X − D, when D was there already."""
        return self.train_seed is not None or self.trained_on is not None

    def save(self, folder: "str | PathLike[str]", *, force: bool = False) -> None:
        """Enter a draw made in memory into a folder's ledger, then write its files."""
        place = Path(folder)
        with transaction(place, begins=True) as ledger, alone(place):
            refuse_labels(place)
            refuse_existing([place / name for name in FILES], force)
            last, drawn = last_draw(ledger.entries), self.on_record(ledger)
            if last is None or last["draw"] != drawn.digest:
                drawn.enter(ledger)
                for holdout in self.registered:
                    ledger.add("register", holdout=holdout.as_dict(), validation=0)
            ledger.remember([self.population.path, _path(self.within)])
            drawn.write_entered(ledger)

    def extend(self, folder: "str | PathLike[str]") -> None:
        """Enter and write a larger draw over a smaller one, labels or not: both are anytime."""
        place = Path(folder)
        with transaction(place) as ledger, alone(place):
            drawn = self.erased_as_in(place).on_record(ledger)
            last = last_draw(ledger.entries)
            written = last is not None and is_written(place, last)
            if last is None or not (written or last["draw"] == drawn.digest):
                raise InputError(
                    "audit must hold the draw that is last in its ledger, got another or none in "
                    f"{str(place)!r}. Restore draw.json and sample.csv, or repeat the `draw` that "
                    "was interrupted."
                )
            if written and last["draw"] != drawn.digest:
                drawn._check_extends(place, Draw.load(place))
                more = {"choices": last["choices"]} if "choices" in last else {}
                drawn.enter(ledger, extends=last["draw"], **more)
            drawn.write_entered(ledger)

    def erased_as_in(self, place: Path) -> "Draw":
        """The same draw without the ids that the folder's files, which it continues, lack."""
        way_out = "Restore it."
        before = read_sample(place / "sample.csv", way_out)
        gap = read_gap(place / "gap.csv", way_out) if is_file(place / "gap.csv") else ()
        trained, validated = ({row[i] for row in before if not row[0]} - {None} for i in (1, 2))
        sample = tuple(
            ("" if train in trained or validation in validated else node, train, validation)
            for node, train, validation in self.sample
        )
        kept = gap if len(gap) == len(self.gap) else self.gap
        blank = ("" if not one else node for node, one in zip(self.gap, kept, strict=True))
        return replace(self, sample=sample, gap=tuple(blank))

    def on_record(self, ledger: Transaction) -> "Draw":
        """The same draw as this ledger's folder has it.

        Tables are named as seen from there, a digest of labels is salted, and nodes that are on
        record have the salt that they have there.
        """
        population, labels = self.population, self.trained_on
        path = recorded(population.path, ledger.folder)
        known = ledger.journal.holding("nodes", self.node_digests)
        known_seed = ledger.journal.holding("seed", self.seed)
        return replace(
            self,
            population=replace(population, path=path),
            trained_on=None if labels is None else labels.on_record(ledger.salted, ledger.folder),
            within=None if self.within is None else self.within.on_record(None, ledger.folder),
            salt=self.salt if known is None else known.salt,
            seed_salt=self.seed_salt if known_seed is None else known_seed.salt,
        )

    def enter(self, ledger: Transaction, **more: object) -> None:
        """Add the entry of this draw, as `on_record` returned it."""
        if ledger.journal.holding("nodes", self.node_digests) is None:
            ledger.put(self._opening)
        if ledger.journal.holding("seed", self.seed) is None:
            ledger.put(Opening(self.seed_salt, "seed", self.seed))
        ledger.add("draw", **self.facts(), **more)

    @property
    def node_digests(self) -> dict[str, str]:
        """The digests of sample.csv and gap.csv, which the commitment to the nodes is about."""
        csvs = {"sample": self._sample_csv(), "gap": self._gap_csv()}
        return {name: digest_of_text(text) for name, text in csvs.items()}

    @property
    def _opening(self) -> Opening:
        return Opening(self.salt, "nodes", self.node_digests)

    def write_entered(self, ledger: Transaction) -> None:
        """Commit the draw's entry for good, then write its files: none shows a node before that."""
        ledger.commit(final=True)
        self._write(ledger.folder)

    def _check_extends(self, place: Path, before: "Draw") -> None:
        if self.labels <= before.labels:
            raise InputError(
                f"labels must be more than the {before.labels} that were drawn, got {self.labels}. "
                "Give a larger number."
            )
        if not (before.choices.is_anytime and self._begins_with(before)):
            raise InputError(
                f"extend must continue an anytime draw with its seed and choices, got another in "
                f"{str(place)!r}. Draw afresh into another folder."
            )

    def _begins_with(self, before: "Draw") -> bool:
        return (
            self._kept() == before._kept()
            and is_same_table(self.population.digest, before.population.digest)
            and is_same_table(_digest(self.trained_on), _digest(before.trained_on))
            and is_same_table(_digest(self.within), _digest(before.within))
            and self.validated[: before.labels] == before.validated
        )

    def _kept(self) -> tuple[object, ...]:
        """What stays as it is when the draw is made larger."""
        of_population = self.population.size, self.population.id
        seeds = self.seed, self.train_seed
        return *seeds, self.train, self.choices.as_dict(), self.matching, *of_population

    def facts(self) -> dict[str, object]:
        """The facts of the draw's entry in the ledger; `several` algorithms share its δ."""
        return {
            "draw": self.digest,
            "seed": self.seed,
            "nodes": {"sealed": self.sealed_nodes} if self.sealed_nodes else self.node_digests,
            "seed_given": self.seed_given,
            "labels": self.labels,
            "train": self.train,
            "delta": self.choices.delta,
            "several": max(len(self.choices.algorithms), 1),
            "second": self.is_second,
        }

    def _write(self, place: Path) -> None:
        """Write the files of a draw that is on record, and remove those of an earlier one."""
        texts = {
            "train.csv": csv_text(["id"], [(node,) for node in self.trained]) if self.train else "",
            "sample.csv": self._sample_csv(),
            "gap.csv": self._gap_csv() if self.gap else "",
            "draw.json": self.written.text,
        }
        try:
            write_whole({place / name: texts[name] for name in FILES if texts[name]}, force=True)
            for name in FILES:
                if not texts[name]:
                    remove(place / name)
        except (MatchboundError, OSError) as error:
            why = f"{error.strerror}." if isinstance(error, OSError) else str(error)
            raise UnfinishedError(
                f"the draw is on record, but {why} Then repeat the command: it goes on with the "
                "same seed."
            ) from None

    @property
    def written(self) -> Written:
        """The content of draw.json."""
        return Written(
            self.population,
            self.within,
            self.seed,
            self.seed_salt,
            self.seed_given,
            self.train_seed,
            self.trained_on,
            self.labels,
            self.train,
            self.choices,
            self.matching,
            self.holdout,
            self.sealed_nodes or self._opening.commitment,
        )

    @staticmethod
    def load(folder: "str | PathLike[str]") -> "Draw":
        """Read a draw from its folder; refuse files that were changed."""
        place = Path(folder)
        way_out = "Give the folder that `matchbound draw --out` wrote."
        if not is_file(place / "draw.json"):
            refuse_unfinished(place)
        text = read_text(place / "draw.json", "audit", way_out)
        if '"sample_digest":' in text:
            raise of_version1()
        try:
            sample = read_sample(place / "sample.csv", way_out)
            record = read_json(text)
            written = Written.of(record)
            draw = Draw(
                written.population,
                written.seed,
                written.labels,
                written.train,
                written.choices,
                sample,
                written.matching,
                read_gap(place / "gap.csv", way_out) if written.choices.gap else (),
                written.holdout,
                seed_given=written.seed_given,
                train_seed=written.train_seed,
                trained_on=written.trained_on,
                within=written.within,
                seed_salt=written.seed_salt,
            )
            opening = read_journal(place).get(written.nodes)
            if opening is None:
                draw = replace(draw, sealed_nodes=written.nodes)
            else:
                draw = replace(draw, salt=opening.salt)
            changed = draw.written.as_dict() != record
        except MatchboundError:
            raise
        except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
            raise InputError(
                f"audit must hold a draw.json as drawn, got one that cannot be read ({error}). "
                "Restore it, or draw again into another folder."
            ) from None
        if changed:
            refuse_unfinished(place)
            raise InputError(
                "audit must hold draw.json and sample.csv as drawn, got them changed in "
                f"{str(place)!r}. Restore them, or draw again into another folder."
            )
        return replace(draw, folder=place)

    def _sample_csv(self) -> str:
        return csv_text(["id", "train", "validation"], self.sample)

    def _gap_csv(self) -> str:
        return csv_text(["id"], [(node,) for node in self.gap])

    def __repr__(self) -> str:
        return brief(self, str(self))

    def __str__(self) -> str:
        of_part = "" if self.within is None else f", a part of {self.population.size}"
        if not self.labels:
            return f"{nodes(self.train)} to train on out of {self.size}{of_part}."
        until = "".join(f", until {k} of them count for {m}" for m, k in self.choices.until.items())
        weigh = f", by weight for {self.choices.weigh}" if self.choices.weigh else ""
        gap = f" Compare the matchers on {nodes(len(self.gap))} in gap.csv." if self.gap else ""
        head = f"{nodes(len(self.sample))} to label out of {self.size}{of_part}"
        if not self.train:
            return f"{head}{until}{weigh}.{gap}"
        overlap = self.labels + self.train - len(self.sample)
        both = f", {overlap} of them in both" if overlap else ""
        validate = f"{self.labels} to validate on{until}{weigh}"
        return f"{head}: {validate}, {self.train} to train on{both}.{gap}"


def nodes(number: int) -> str:
    return "1 node" if number == 1 else f"{number} nodes"


def digest_as_drawn(con: Engine, draw: Draw, source: Source) -> Digest | None:
    """Digest a population; None if it is not the one that was drawn from."""
    column, drawn = id_column(source, draw.population.id), draw.population.digest
    digest = digest_of_ids(con, source, column, draw.matching.source, [drawn])
    return digest if digest.is_same(drawn, read_alike=True) else None


def _in_train(row: Row) -> int:
    return row[1] or 0


def _in_validation(row: Row) -> int:
    return row[2] or 0


def _path(table: TableRef | None) -> str | None:
    return None if table is None else table.path


def _digest(table: TableRef | None) -> Digest | None:
    return None if table is None else table.digest


def join_orders(trained: Sequence[str], validated: Sequence[str]) -> tuple[Row, ...]:
    """The nodes of S in their order, then the other nodes of D in theirs, with both places."""
    in_train = {node: place for place, node in enumerate(trained, start=1)}
    in_validation = {node: place for place, node in enumerate(validated, start=1)}
    nodes = [*validated, *(node for node in trained if node not in in_validation)]
    return tuple((node, in_train.get(node), in_validation.get(node)) for node in nodes)


def read_gap(path: Path, way_out: str) -> tuple[str, ...]:
    text = read_text(path, "audit", way_out, LONG_LIMIT)
    return tuple(node for (node,) in list(csv.reader(io.StringIO(text, newline="")))[1:])


def read_sample(path: Path, way_out: str) -> tuple[Row, ...]:
    text = read_text(path, "audit", way_out, LONG_LIMIT)
    try:
        return tuple(
            (node, int(train) if train else None, int(validation) if validation else None)
            for node, train, validation in list(csv.reader(io.StringIO(text, newline="")))[1:]
        )
    except (ValueError, csv.Error):
        raise InputError(
            "audit must hold draw.json and sample.csv as drawn, got them changed in "
            f"{str(path.parent)!r}. Restore them, or draw again into another folder."
        ) from None
