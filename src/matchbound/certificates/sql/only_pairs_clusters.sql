-- The pairs of checked nodes that a table of pairs has and clusters lack.
select p.x, p.y
from {a} p
semi join checked c on c.x = p.x
left join {b} i on i.x = p.x and i.is_x
left join {b} j on j.x = p.y and j.is_y
where p.y is not null and not coalesce(i.cluster = j.cluster, false)
