"""Check a holdout matcher's output early: refuse what `certify` would refuse later."""

from pathlib import Path

from matchbound.engines import Engine, keep
from matchbound.tables import Clusters, Matching, Output, count_rows, read_matches
from matchbound.tallies.closed import check_clusters_closed
from matchbound.tallies.pairs import compare_pairs, refuse_unknown
from matchbound.tallies.parts import refuse_doubt
from matchbound.tallies.within import count_others
from matchbound.theorems import Choices


def check_on_population(
    con: Engine,
    output: Output,
    choices: Choices,
    matching: Matching,
    kinds: tuple[str, str],
    *,
    in_part: bool = False,
) -> str:
    """Load and check an output as `certify` does; return its description in words.

    The table `population` must be loaded. Keeps the nodes with a match as the table `matched`.
    `in_part`: it is a part, and matches of other nodes will be left out.
    """
    source, form, least = output.source, output.form, output.reading.threshold
    rows = read_matches(con, source, "holdout", form, matching, least, kinds)
    is_clusters = isinstance(form, Clusters)
    if not (matching.dedupe or matching.is_link):
        refuse_doubt(con, "holdout", "holdout")
    keep_matched(con, is_clusters, matching.dedupe)
    if is_clusters:
        refuse_unknown(con, "counted")
    else:
        compare_pairs(con, False, kinds[0])
        rows //= 2 if matching.dedupe else 1  # each pair is loaded both ways
    check_clusters_closed(con, choices, [output])
    what = "records in clusters" if is_clusters else "pairs"
    scores = "" if least is None else f" with a score from {least:g} on"
    where = "a table" if source.path is None else Path(source.path).name
    words = f"{where}, {rows} {what}{scores}; it matches {count_rows(con, 'matched')} nodes"
    if not in_part:
        return words
    others = count_others(con, "holdout", is_clusters=is_clusters, dedupe=matching.dedupe)
    return f"{words} of the part; its {others} matches of other nodes are left out"


def keep_matched(con: Engine, is_clusters: bool, dedupe: bool) -> None:
    """Keep the nodes that the holdout matcher matched as the table `matched`."""
    form, itself = "clusters" if is_clusters else "pairs", 1 if dedupe else 0
    keep(con, "counted", f"tables/count_{form}", a="holdout", itself=itself)
    con.keep(
        "matched", "select x as id from counted where n > 0 and x in (select id from population)"
    )
