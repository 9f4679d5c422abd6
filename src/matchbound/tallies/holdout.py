"""Check a holdout matcher's output early: refuse what `certify` would refuse later."""

from pathlib import Path

from matchbound.engines import Engine, keep
from matchbound.errors import AssumptionError
from matchbound.tables import Matching, Output, Pairs, count_rows, pairs_linked, read_matches
from matchbound.tallies.closed import check_closable, check_clusters_closed
from matchbound.tallies.pairs import compare_pairs, refuse_unknown
from matchbound.tallies.parts import refuse_doubt
from matchbound.tallies.unclosed import pairs_more
from matchbound.tallies.within import count_others
from matchbound.theorems import METRICS, Choices, refuse_several


def check_on_population(
    con: Engine,
    output: Output,
    choices: Choices,
    matching: Matching,
    kinds: tuple[str, str],
    *,
    in_part: bool = False,
) -> str:
    """Load and check an output as `certify` does; return a sentence on what it is.

    The table `population` must be loaded. Keeps the nodes with a match as the table `matched`.
    `in_part`: it is a part, and matches of other nodes will not be counted.
    """
    source, form, least = output.source, output.form, output.reading.threshold
    check_closable(choices, [output])
    is_clusters = output.is_clusters
    given = con, source, "holdout", form, matching, least, kinds
    rows = read_matches(*given, closed=output.is_closed)
    if not (matching.dedupe or matching.is_link):
        refuse_doubt(con, "holdout", "holdout", is_clusters=is_clusters)
    keep_matched(con, is_clusters, matching.dedupe)
    _refuse_several(con, choices)
    if is_clusters:
        refuse_unknown(con, "counted")
    else:
        compare_pairs(con, False, kinds[0])
    check_clusters_closed(con, choices, [output])
    _refuse_unmatched(con, choices)
    rows //= 2 if matching.dedupe and not is_clusters else 1  # each pair is loaded both ways
    what = "pairs" if isinstance(form, Pairs) else "records in clusters"
    scores = "" if least is None else f" with a score from {least:g} on"
    where = "a table" if source.path is None else Path(source.path).name
    more = _more_in_words(con, output, matching, kinds[0])
    name = f"Holdout matcher {output.algorithm}".strip()
    matched = f"it matches {count_rows(con, 'matched')} nodes"
    if in_part:
        others = count_others(con, "holdout", is_clusters, matching.dedupe)
        matched += f" of the part; its {others} matches of other nodes are left out"
    return f"{name}: {where}, {rows} {what}{scores}{more}; {matched}."


def _refuse_several(con: Engine, choices: Choices) -> None:
    """Refuse several matches at a node, if at most one was promised."""
    ((most,),) = con.rows(
        "select coalesce(max(c.n), 0) from counted c semi join population p on p.id = c.x"
    )
    if choices.at_most_one_match and most > 1:
        refuse_several(int(most))


def _refuse_unmatched(con: Engine, choices: Choices) -> None:
    """Refuse a matcher without a match, if a metric is a mean over the nodes that it matches."""
    needs_some = any(METRICS[metric].members == "matched" for metric in choices.metrics)
    if needs_some and not count_rows(con, "matched"):
        raise AssumptionError(
            f"holdout must match some node, got 0 of {count_rows(con, 'population')}. Give a "
            "matcher that finds something, or a lower threshold."
        )


def _more_in_words(con: Engine, output: Output, matching: Matching, kind: str) -> str:
    """What clusters add to the pairs, where pairs were given."""
    if output.is_closed:
        linked = pairs_linked(con, "holdout", matching.dedupe)
        return f", whose clusters link {linked} pairs"
    if output.is_clusters or not matching.dedupe:
        return ""
    more = pairs_more(con, "holdout", kind)
    if not more:
        return ""
    return (
        f", taken as pairs (their clusters would link {more} more: give --clusters if clusters are "
        "what you deploy)"
    )


def keep_matched(con: Engine, is_clusters: bool, dedupe: bool) -> None:
    """Keep the nodes that the holdout matcher matched as the table `matched`."""
    form, itself = "clusters" if is_clusters else "pairs", 1 if dedupe else 0
    keep(con, "counted", f"tables/count_{form}", a="holdout", itself=itself)
    con.keep(
        "matched", "select x as id from counted where n > 0 and x in (select id from population)"
    )
