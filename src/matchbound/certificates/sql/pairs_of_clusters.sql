-- Clusters as pairs; within one table from either side.
select m.x, o.x as y, {score} as score
from {a} m
join {a} o on o.cluster = m.cluster and o.is_y and (o.x <> m.x or not m.is_y)
where m.is_x
