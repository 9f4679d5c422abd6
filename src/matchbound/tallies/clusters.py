"""Count matches node by node, the matchers' and the true ones, in pairs or in clusters."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from matchbound.engines import Engine, keep, query
from matchbound.tables import keep_several
from matchbound.tallies.known import known_cells
from matchbound.tallies.loaded import Loaded
from matchbound.tallies.pairs import compare_pairs, refuse_repeats, refuse_unknown
from matchbound.theorems import Cell


@dataclass(frozen=True)
class Tables:
    """The loaded tables, with queries that fit their forms: pairs or clusters."""

    con: Engine
    loaded: Loaded

    @property
    def clusters(self) -> frozenset[str]:
        return self.loaded.clusters

    @property
    def kinds(self) -> tuple[str, str]:
        return self.loaded.kinds

    @property
    def second(self) -> str:
        """The table that the holdout matcher's is compared with: `complete`, or else its own."""
        return "complete" if self.loaded.complete else "holdout"

    @property
    def matchers(self) -> list[str]:
        return list(dict.fromkeys(("holdout", self.second)))

    @property
    def nodes(self) -> str:
        """The table of h, c and hc of each node that has a match."""
        return "cluster_nodes" if self.clusters else "nodes"

    def compare(self) -> None:
        """Count each node's matches by the matchers, its true matches, and those in common."""
        con, second = self.con, self.second
        if "labels" not in self.clusters:
            keep(con, "truth", "tallies/truth", x=self.kinds[0], y=self.kinds[1])
        self._count("count_true", "labels")
        if not self.clusters:
            compare_pairs(con, second == "complete", self.kinds[0])
            for name in self.matchers:
                keep(con, f"right_{name}", "tallies/right", a=name)
            return
        self._count("count_holdout", "holdout")
        self._count("count_complete", second)
        self._common("count_both", "holdout", second)
        keep(con, "cluster_nodes", "tallies/nodes_of_counts")
        for name in self.matchers:
            if name not in self.clusters:
                keep_several(con, "several", name, "x", "string")
                refuse_repeats(con, name, "several")
        refuse_unknown(con, "cluster_nodes")
        for name in self.matchers:
            self._common(f"right_{name}", "labels", name)

    def drawn_nodes(self) -> list[Any]:
        return query(
            self.con, "tallies/drawn_nodes", x=self.kinds[0], nodes=self.nodes, second=self.second
        )

    def known(self, labelled: Sequence[str], among: str | None = None) -> list[Cell]:
        """The cells of nodes with known pairs; `among` is a table of the only nodes that count."""
        tables = {"holdout": "holdout", "complete": self.second, "labels": "labels"}
        return known_cells(
            self.con,
            labelled,
            tables,
            sorted(self.clusters),
            nodes=self.nodes,
            kind=self.kinds[0],
            among=among or ("population" if self.loaded.has_others else None),
        )

    def _count(self, name: str, table: str) -> None:
        keep(self.con, name, f"tables/count_{self._form(table)}", a=table, itself=self._itself)

    def _common(self, name: str, first: str, second: str) -> None:
        a, b = sorted((first, second), key=self._form, reverse=True)  # pairs before clusters
        forms = f"{self._form(a)}_{self._form(b)}"
        keep(self.con, name, f"tallies/common_{forms}", a=a, b=b, itself=self._itself)

    def _form(self, table: str) -> str:
        return "clusters" if table in self.clusters else "pairs"

    @property
    def _itself(self) -> int:
        """How many of a cluster's records are not a node's matches: the node itself, if X = Y."""
        return 1 if self.loaded.dedupe else 0
