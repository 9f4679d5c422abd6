"""A draw entered into its folder: matcher and choices first, then a seed, then the nodes."""

import secrets
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from pathlib import Path
from typing import Any

from matchbound.audits.draw import FILES, Draw
from matchbound.audits.folder import is_written, last_draw, written_in
from matchbound.audits.journal import is_sealed
from matchbound.audits.ledger import (
    NAME,
    Entry,
    Ledger,
    since_draw,
    sound_ledger,
    transaction,
)
from matchbound.audits.remembered import Remembered
from matchbound.audits.standing import draws_cost
from matchbound.errors import InputError
from matchbound.files import alone, is_file, refuse_existing, refuse_open_page
from matchbound.tables import Digest, Recorded, is_same_table
from matchbound.theorems import at_least, percent


@dataclass(frozen=True)
class Request:
    """A draw that was checked and has no nodes yet.

    `facts` is all that is fixed before the seed, as the ledger has it, and `lines` the same in
    words. `make` draws with a seed. `check_labels` refuses a folder that holds labels of nodes
    which are still to be drawn. `paths` are those of the tables that were read, and `tables` are
    those whose roles later verbs need.
    """

    facts: Entry
    registered: Sequence[Recorded]
    lines: Sequence[str]
    make: Callable[[str], Draw]
    check_labels: Callable[[Path], None]
    paths: Sequence[str | None] = ()
    tables: Sequence[Remembered] = ()

    def on_record(self, salted: Callable[[Digest], Digest]) -> "Request":
        """The same request, with the digest of labels as it is put on record."""
        digest = Digest.if_any(self.facts["trained_on"])
        labels = None if digest is None else salted(digest).as_dict()
        return replace(self, facts={**self.facts, "trained_on": labels})

    @property
    def seed(self) -> str | None:
        """The seed that the user gave, if any."""
        seed: str | None = self.facts["seed"]
        return seed

    @property
    def continues_phase(self) -> bool:
        """Whether D was drawn before, into the same folder."""
        return self.facts["train_seed"] is not None

    @property
    def delta(self) -> Fraction:
        """The δ of a fresh draw; training nodes alone cost nothing."""
        return (
            Fraction(repr(self.facts["choices"]["delta"])) if self.facts["choices"] else Fraction()
        )


@dataclass(frozen=True)
class Decision:
    """Whether a request continues the folder's last draw, with its seed, or makes a fresh one."""

    words: str
    continues: Entry | None = None
    grown: bool = False
    unfinished: bool = False


def decide(folder: Path, entries: Sequence[Entry], request: Request) -> Decision:
    """Keep the seed only where nothing that the nodes or the bounds depend on has changed."""
    last = last_draw(entries)
    unfinished = last is not None and not is_written(folder, last)
    fresh = Decision(_price(entries, request), unfinished=unfinished)
    if last is None or "choices" not in last or _labels_seen(entries) or is_sealed(last["seed"]):
        return fresh
    before = entries[last["choices"] - 1]
    changed = {
        name for name, value in request.facts.items() if not _is_same(name, before.get(name), value)
    }
    if not changed:
        words = "Nothing has changed since that draw: the seed stays, and this costs nothing."
        return Decision(words, last, unfinished=unfinished)
    if changed == {"labels"} and (request.facts["labels"] or 0) > (before["labels"] or 0) > 0:
        words = f"The seed stays, and this costs nothing. {GROWN}"
        return Decision(words, last, grown=True, unfinished=unfinished)
    return fresh


def _is_same(name: str, before: Any, now: Any) -> bool:
    """Whether a fact is as it was; tables and matchers' outputs are compared by their rows."""
    if name == "within":  # its size follows from its rows
        before, now = (None if one is None else one["digest"] for one in (before, now))
    if name in ("population", "trained_on", "within"):
        return is_same_table(Digest.if_any(before), Digest.if_any(now))
    if name == "holdout":
        one, other = ([Recorded.of(record) for record in records] for records in (before, now))
        return len(one) == len(other) and all(map(Recorded.is_same, one, other))
    return bool(before == now)


GROWN = (
    "Not checked: when the sample was made larger, nobody had seen labels of validation nodes, or "
    "chose the size by which nodes were drawn."
)


def _labels_seen(entries: Sequence[Entry]) -> bool:
    return any(entry["kind"] in ("label", "labels") for entry in since_draw(entries))


def _price(entries: Sequence[Entry], request: Request) -> str:
    if not request.delta:
        return "Nodes to train on cost no probability."
    cost = draws_cost([*entries, *_to_be_entered(entries, request)])
    delta, sure = f"δ = {float(request.delta):g}", percent(at_least(1 - cost))
    if cost == request.delta:
        return f"This draw costs {delta}: its certificates hold with probability at least {sure}."
    return (
        f"This draw costs {delta}, and other draws or matchers are on record in this folder: all "
        f"its certificates together hold with probability at least {sure}."
    )


def _to_be_entered(entries: Sequence[Entry], request: Request) -> list[Entry]:
    """The entries of a fresh draw that its price depends on."""
    number = len(entries)
    facts: list[Entry] = [
        {"kind": "register", "holdout": holdout.as_dict()} for holdout in request.registered
    ]
    choices = request.facts["choices"]
    several = max(len(choices["algorithms"]), 1)
    drawn = {"draw": "", "seed": "", "labels": 1, "delta": choices["delta"], "several": several}
    facts.append({"kind": "draw", **drawn})
    return [{"entry": number + i, **fact} for i, fact in enumerate(facts, start=1)]


def preview(folder: Path, request: Request, *, force: bool) -> list[str]:
    """The lines that `enter` would print; nothing is written."""
    _refuse_file(folder)
    refuse_open_page(folder)
    ledger = sound_ledger(folder) if is_file(folder / NAME) else Ledger()
    entries, request = ledger.entries, request.on_record(ledger.journal.salted)
    decision = decide(folder, entries, request)
    _check_folder(folder, entries, request, decision, force)
    return [*request.lines, decision.words]


def enter(
    folder: Path,
    request: Request,
    *,
    force: bool,
    say: Callable[[str], None],
    announce: Callable[[Entry], None] | None = None,
) -> Draw:
    """Put matcher and choices on record, make the seed, put the draw on record, write its files.

    The draw's entry is on disk before any file shows a drawn node. A draw that is on record and was
    interrupted is finished with its seed. `announce` gets the entry of the choices, before there is
    a seed; the entry then stays, whatever fails later.
    """
    _refuse_file(folder)
    with transaction(folder, begins=True) as ledger, alone(folder):
        request = request.on_record(ledger.salted)
        decision = decide(folder, ledger.entries, request)
        _check_folder(folder, ledger.entries, request, decision, force)
        before = decision.continues
        more: dict[str, object] = {}
        if before is None or decision.grown:
            for holdout in () if decision.grown else request.registered:
                ledger.add("register", holdout=holdout.as_dict(), validation=0)
            choices = ledger.add("choices", **request.facts)
            more["choices"] = choices["entry"]
            ledger.commit(final=announce is not None)
            if announce is not None:
                announce(choices)
        seed = before["seed"] if before is not None else request.seed or secrets.token_hex(16)
        drawn = request.make(seed)
        if is_file(folder / "sample.csv") and (before is not None or request.continues_phase):
            drawn = drawn.erased_as_in(folder)
        drawn = drawn.on_record(ledger)
        if before is not None:
            more |= {"choices": before["choices"]} | more
            more |= {"extends": before["draw"]} | ({"grown": True} if decision.grown else {})
        if before is None or before["draw"] != drawn.digest:
            drawn.enter(ledger, **more)
        ledger.remember(request.paths, request.tables)
        drawn.write_entered(ledger)
    for line in (*request.lines, decision.words):
        say(line)
    return drawn


def _refuse_file(folder: Path) -> None:
    try:
        is_file = folder.exists() and not folder.is_dir()
    except (OSError, ValueError) as error:  # as for a name that is too long
        raise InputError(
            f"out must be a path of a folder, got {str(folder)!r} ({error}). Choose another place."
        ) from None
    if is_file:
        raise InputError(
            f"out must be a folder, got {str(folder)!r}, a file. Choose another place."
        )


def _check_folder(
    folder: Path, entries: Sequence[Entry], request: Request, decision: Decision, force: bool
) -> None:
    request.check_labels(folder)
    if request.facts["trained_on"] is not None and any(e["kind"] == "label" for e in entries):
        raise InputError(
            "trained_on must come with a folder in which nothing was labelled on the page, got "
            f"{str(folder)!r}. Draw into another folder."
        )
    if decision.unfinished and decision.continues is None and not force:
        raise InputError(
            f"out must not hold a draw that was interrupted, got {str(folder)!r}. Repeat that "
            "`draw` with the same arguments, which finishes it; or make another, which costs its δ "
            "again, with --force."
        )
    written, train_seed = written_in(folder), request.facts["train_seed"]
    if train_seed is not None and written is not None and written.seed == train_seed:
        return  # the draw of D alone that this one continues
    refuse_existing([folder / name for name in FILES], force or decision.unfinished)
