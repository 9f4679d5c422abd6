-- The nodes outside D whose clusters have matches for them, the cluster, and whether the node is in S.
select h.x, h.cluster as y, s.id is not null as is_drawn
from holdout h
semi join (select cluster from holdout where is_y) m on m.cluster = h.cluster
left join sample s on s.id = cast(h.x as string)
where h.is_x and s.train is null
