-- The pairs of checked nodes that one table of pairs has and another lacks.
select p.x, p.y
from {a} p
semi join checked c on c.x = p.x
anti join {b} o on o.x = p.x and o.y = p.y
where p.y is not null
