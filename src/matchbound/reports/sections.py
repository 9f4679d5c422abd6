"""The page's sections on details: costs, differences, label errors, tallies, how to verify."""

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from html import escape
from typing import TYPE_CHECKING

from matchbound.tables import Digest
from matchbound.theorems import (
    WHOLE,
    Cell,
    Guarantee,
    Tally,
    guarantees,
    survives,
    why_not_computable,
    with_errors,
)

if TYPE_CHECKING:
    from matchbound.certificates import Certificate

WRONG = (1, 2, 5, 10)  # numbers of wrong labels that the table on label errors shows
MOST = 40  # kinds of nodes that a table shows


def table(head: Sequence[str], rows: Iterable[Sequence[object]], caption: str) -> str:
    """An HTML table with escaped text.

    On a narrow screen, the style puts each cell of a wide table on a line of its own.
    """
    cells = [[str(cell) for cell in row] for row in rows]
    longest = max((len(cell) for row in [head, *cells] for cell in row), default=0)
    wide = ' class="wide"' if len(head) > 4 or longest > 30 else ""
    top = "".join(f'<th scope="col">{escape(cell)}</th>' for cell in head)
    body = "".join("<tr>" + "".join(map(_cell, head, row)) + "</tr>" for row in cells)
    return (
        f"<table{wide}><caption>{escape(caption)}</caption>"
        f"<thead><tr>{top}</tr></thead><tbody>{body}</tbody></table>"
    )


def _cell(head: str, text: str) -> str:
    return f'<td data-head="{escape(head)}">{escape(text)}</td>'


def costs(certificate: "Certificate") -> str:
    """Show how much few labels, and then the gap, lower the bound from the sample's mean."""
    if not certificate.guarantees or certificate.threshold is not None:
        return ""
    choices = certificate.choices
    alone = guarantees(certificate.tallies, choices, complete=False)
    rows = []
    for g, holdout in zip(certificate.guarantees, alone, strict=True):
        if g.estimate is None:
            continue
        labels = abs(g.estimate - holdout.value)
        gap = f"{_lost(holdout, g):.4f}" if g.algorithm == "complete" else "none"
        rows.append([g.subject, f"{g.estimate:.4f}", f"{labels:.4f}", gap, g.text])
    gap_or_more = "cost of the gap" if certificate.growth is None else "cost of gap and change"
    head = ["", "sample mean", "cost of few labels", gap_or_more, "bound"]
    return (
        "<section><h2>What each term costs</h2><p>More labels make the first cost smaller; a "
        "complete matcher that differs less from the holdout matcher, the second.</p>"
        f"{table(head, rows, 'From the mean to the bound')}</section>"
    )


def differences(certificate: "Certificate") -> str:
    """Show at how many nodes the matchers agree, and how they differ at the others."""
    if not certificate.has_complete:
        return ""
    blocks = []
    for part, tally in certificate.tallies.items():
        rows = [
            ["compared", _nodes(tally, lambda _: True)],
            ["the same matches, or none", _nodes(tally, lambda n: n.h == n.c == n.hc)],
            ["a match dropped", _nodes(tally, lambda n: n.hc < n.h)],
            ["a match added", _nodes(tally, lambda n: n.hc < n.c)],
            ["matched by holdout alone", _nodes(tally, lambda n: n.h > 0 == n.c)],
            ["matched by complete alone", _nodes(tally, lambda n: n.c > 0 == n.h)],
        ]
        name = "Nodes" if part == WHOLE else f"Nodes, {part}"
        blocks.append(table(["", "nodes"], [[a, f"{n:,}"] for a, n in rows], name))
    return f"<section><h2>Where the matchers differ</h2>{''.join(blocks)}</section>"


def _lost(holdout: Guarantee, complete: Guarantee) -> float:
    """How much worse the complete matcher's bound is; below 0 if it is better."""
    lost = holdout.value - complete.value
    return lost if complete.side == "lower" else -lost


def _nodes(tally: Tally, has: Callable[[Cell], bool]) -> int:
    return sum(cell.nodes for cell in tally.everywhere if has(cell))


def errors(certificate: "Certificate", targets: Mapping[str, float]) -> str:
    """Show what wrong labels would do to the bounds."""
    if not certificate.guarantees or certificate.exploratory:
        return ""
    heading = "<h2>If labels were wrong</h2>"
    tallied = (certificate.tallies, certificate.choices)
    why = why_not_computable(certificate.guarantees, *tallied)
    if certificate.growth is not None:
        why = "it is told for the population that was drawn from alone"
    if why:
        return f"<section>{heading}<p>Not told: {escape(why)}.</p></section>"
    estimated = [g for g in certificate.guarantees if g.estimate is not None]
    survival = "".join(
        _survival(g, targets[g.metric], survives(g, *tallied, targets[g.metric]))
        for g in estimated
        if g.metric in targets
    )
    head = ["wrong labels", *(g.subject for g in estimated)]
    rows = [
        [wrong, *(_if_wrong(with_errors(g, *tallied, wrong)) for g in estimated)] for wrong in WRONG
    ]
    shown = table(head, rows, "Bounds if so many validation labels were wrong")
    return f"<section>{heading}{survival}{shown}</section>"


def _if_wrong(g: Guarantee | None) -> str:
    return "nothing is left" if g is None else g.text


def _survival(g: Guarantee, target: float, most: int | None) -> str:
    if most is None:
        return f"<p>The target {target:g} for {escape(g.subject)} is not reached.</p>"
    return (
        f"<p>The target {target:g} for {escape(g.subject)} survives <b>{most}</b> wrong labels.</p>"
    )


def verification(certificate: "Certificate") -> str:
    inputs = [
        [name, source.path or "in memory", *_digests(source.digest)]
        for name, source in certificate.inputs.tables.items()
    ]
    digest = certificate.as_dict()["digest"]
    shown = table(["input", "file", *DIGESTS], inputs, "What it was computed from")
    return (
        "<section><h2>How to verify it</h2><p>With the audit folder: <code>matchbound verify "
        "AUDIT</code>; with <code>certificate.json</code> alone, that file. It recomputes every "
        "number from the tallies, and the tallies from the inputs where they are at hand.</p>"
        f"<p>Digest of the certificate: <code>{escape(digest)}</code></p>{shown}</section>"
    )


DIGESTS = ("SHA-256 of the file", "SHA-256 of its rows")


def _digests(digest: Digest) -> list[str]:
    return [digest.bytes or "no file", digest.rows or "not computed"]


def tallies(certificate: "Certificate") -> str:
    blocks = []
    for part, tally in certificate.tallies.items():
        where = "" if part == WHOLE else f", {part}"
        labels = Counter(tally.validation).most_common()
        rows = [
            ["not labelled" if cell is None else cell for cell in label] + [f"{n:,}"]
            for label, n in labels[:MOST]
        ]
        head = ["found by holdout", "true", "both", "found by complete", "true of these"]
        head += ["found by both matchers", "validation nodes"]
        blocks.append(table(head, rows, f"Validation nodes by their matches{where}{_rest(labels)}"))
        cells = sorted(tally.everywhere, key=lambda cell: -cell.nodes)
        counts = [[cell.h, cell.c, cell.hc, f"{cell.nodes:,}"] for cell in cells[:MOST]]
        head = ["found by holdout", "found by complete", "both", "nodes"]
        blocks.append(table(head, counts, f"Compared nodes by their matches{where}{_rest(cells)}"))
    return f"<section><h2>Tallies</h2>{''.join(blocks)}</section>"


def _rest(rows: Sequence[object]) -> str:
    return f" (the {MOST} most frequent of {len(rows)} kinds)" if len(rows) > MOST else ""
