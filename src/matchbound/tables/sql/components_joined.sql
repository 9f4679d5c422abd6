-- The clusters before, where links have joined some of them, and the nodes that are new.
select k.node, coalesce(c.cluster, k.cluster) as cluster
from {before} k
left join {components} c on c.node = k.cluster
union all
select c.node, c.cluster
from {components} c
where not exists (select 1 from {before} k where k.node = c.node)
