-- Every edge between two nodes once, seen from either end.
select a, b
from {given}
where a <> b
union
select b, a
from {given}
where a <> b
