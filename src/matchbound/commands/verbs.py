"""The table of verbs, so that help can be shown without loading the verbs' modules."""

from typing import NamedTuple


class Verb(NamedTuple):
    """A verb. The module of this room that has its name has `add_arguments` and `run`."""

    name: str
    line: str
    """What it does, in one line of help."""
    ordinary: bool = False
    """Whether an ordinary audit needs it, so that bare `matchbound` shows it."""


VERBS = (
    Verb("demo", "the whole chain on data made for it", ordinary=True),
    Verb("example", "write small tables to try it on", ordinary=True),
    Verb("plan", "how many labels are needed, or what they give", ordinary=True),
    Verb("audit", "from a matcher's table to the records to label", ordinary=True),
    Verb("draw", "draw the records to label, with every choice", ordinary=True),
    Verb("label", "verify the drawn records' matches on a page", ordinary=True),
    Verb("certify", "bound a matcher's precision and recall", ordinary=True),
    Verb("verify", "compute a certificate again", ordinary=True),
    Verb("report", "write a certificate as a page", ordinary=True),
    Verb("releases", "list what each release certifies, and what room is left", ordinary=True),
    Verb("register", "put a holdout matcher on record"),
    Verb("errors", "list a matcher's wrong and missed matches at the labelled records"),
    Verb("patch", "write the holdout matcher's matches with the labels over them"),
    Verb("withhold", "run a matcher without and with the validation labels, and certify it"),
    Verb("match", "match the records of two tables, or of one, by labels"),
    Verb("reconcile", "match the nodes of two networks"),
    Verb("seal", "write the ledger's digest to a file that others keep"),
    Verb("forget", "erase a person's ids from an audit folder"),
    Verb("export", "write what an auditor needs, without ids and the seed"),
    Verb("repair", "finish what a crash left unfinished; move a folder of version 0.1"),
    Verb("figures", "draw the paper's figures"),
)


def overview(*, every: bool) -> str:
    """The help of bare `matchbound`: its purpose, and the verbs of an ordinary audit, or all."""
    verbs = [verb for verb in VERBS if every or verb.ordinary]
    width = max(len(verb.name) for verb in verbs)
    more = "" if every else "\n`matchbound --help-all` shows all verbs."
    return "\n".join(
        [
            "usage: matchbound VERB [options]",
            "",
            "Certify matching: bounds on precision and recall, for any data and any matcher.",
            "",
            *(f"  {verb.name:{width}}  {verb.line}" for verb in verbs),
            "",
            f"`matchbound VERB --help` shows a verb's options.{more}",
            "Exit status: 0 done, 1 not certified or contradicted, 2 bad input, 3 inputs missing.",
        ]
    )
