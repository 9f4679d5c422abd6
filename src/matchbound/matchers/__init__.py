"""Matchers of two networks' nodes and of two tables' records, which start from known matches."""

from matchbound.matchers.bayes import bayes
from matchbound.matchers.board import Board
from matchbound.matchers.convex import convex
from matchbound.matchers.edges import graph
from matchbound.matchers.expand import expand
from matchbound.matchers.graphs import Graph
from matchbound.matchers.hubs import hubs
from matchbound.matchers.matches import Found, Matches
from matchbound.matchers.matches import check_name as check_name
from matchbound.matchers.matches import joined as joined
from matchbound.matchers.matches import named as named
from matchbound.matchers.matches import write_batches as write_batches
from matchbound.matchers.path import path
from matchbound.matchers.percolation import percolation
from matchbound.matchers.program import Matcher as Matcher
from matchbound.matchers.program import matches_csv as matches_csv
from matchbound.matchers.program import matches_table as matches_table
from matchbound.matchers.reconciliation import MATCHERS, reconcile
from matchbound.matchers.records.match import ScoredPairs, match
from matchbound.matchers.seeds import in_both as in_both
from matchbound.matchers.seeds import read_seeds as read_seeds
from matchbound.matchers.soft import soft
from matchbound.matchers.soft import soft_memory as soft_memory
from matchbound.matchers.witness import degrees_down as degrees_down
from matchbound.matchers.witness import witness

__all__ = [
    "MATCHERS",
    "Board",
    "Found",
    "Graph",
    "Matches",
    "ScoredPairs",
    "bayes",
    "convex",
    "expand",
    "graph",
    "hubs",
    "match",
    "path",
    "percolation",
    "reconcile",
    "soft",
    "witness",
]
