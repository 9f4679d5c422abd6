-- Each y, and a node x of its component: the cluster that y had before, or else its least x.
select f.y, coalesce(k.cluster, f.x) as x
from (select y, min(x) as x from {pairs} p group by y) f
left join {before} k on k.y = f.y
union all
select k.y, k.cluster as x
from {before} k
where not exists (select 1 from {pairs} p where p.y = k.y)
