-- The labelled matches of drawn nodes: the other records of their clusters.
select l.x, m.x as y
from labels l
semi join due d on d.id = l.x
join labels m on m.cluster = l.cluster
where l.is_x and m.is_y and l.x <> m.x
