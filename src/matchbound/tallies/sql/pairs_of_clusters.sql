-- Clusters as pairs; within one table from either side.
select m.x, o.x as y, cast(null as double) as score
from holdout m
join holdout o on o.cluster = m.cluster and o.is_y and o.x <> m.x
where m.is_x
