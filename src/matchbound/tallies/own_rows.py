"""Whether every labelled match is a row of the holdout matcher's own table, accepted or not."""

from collections.abc import Iterable

from matchbound.engines import Engine, keep
from matchbound.tables import Clusters, Output, keep_rows_of
from matchbound.tallies.loaded import Setting
from matchbound.theorems import METRICS


class OwnRows:
    """The labelled matches that are in no holdout matcher's table so far: the table `elsewhere`.

    They are kept when the first algorithm has been tallied, and only if a metric counts missed
    matches. Rows count at any score and with any verdict: who looked through them saw them all.
    """

    def __init__(self, con: Engine, setting: Setting) -> None:
        self._con, self._setting = con, setting
        self._matters = any(METRICS[name].counts_missed for name in setting.choices.metrics)
        self._some: bool | None = None  # whether there is a labelled match, once that is known

    @property
    def are_all(self) -> bool:
        """Whether there is a labelled match, and none is elsewhere."""
        return bool(self._some) and not self._is_left()

    def strike(self, outputs: Iterable[Output]) -> None:
        """Strike out what the holdout matcher's table has, once `holdout` is loaded and tallied."""
        if self._matters and self._some is None:
            form = "clusters" if isinstance(self._setting.truth, Clusters) else "pairs"
            keep(self._con, "elsewhere", f"tallies/labelled_{form}")
            self._some = self._is_left()
        for output in outputs:
            if output.role == "holdout" and self._some:
                self._strike(output)

    def _strike(self, output: Output) -> None:
        """Strike out what its clusters link, and its rows, of which labelled nodes' are read."""
        con, matching = self._con, self._setting.matching
        if output.is_clusters:
            keep(con, "elsewhere", "tallies/elsewhere_clusters", a=output.role)
        if not isinstance(output.form, Clusters) and self._is_left():
            nodes = "select x from elsewhere"
            keep_rows_of(con, output.source, "own_rows", output.form, matching, nodes)
            keep(con, "elsewhere", "tallies/elsewhere_pairs")

    def _is_left(self) -> bool:
        return bool(self._con.rows("select x from elsewhere limit 1"))
