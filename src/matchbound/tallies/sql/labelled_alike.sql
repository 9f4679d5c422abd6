-- The pairs of labelled nodes that are each other's true matches, each once.
select distinct least(l.x, l.y) as x, greatest(l.x, l.y) as y
from labels l
semi join (select distinct x from labels) d on d.x = l.y
