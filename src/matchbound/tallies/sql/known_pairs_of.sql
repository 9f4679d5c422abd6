-- The pairs of labelled nodes in a table of pairs.
select m.x, m.y
from {a} m
semi join known k on k.x = m.x
