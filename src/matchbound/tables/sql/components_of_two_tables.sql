-- The clusters of x, those of an x that shares no y among them; and each y in the cluster of its x.
select node as x, cluster, true as is_x, false as is_y
from components
union all
select distinct f.x, f.x as cluster, true as is_x, false as is_y
from component_of_y f
where not exists (select 1 from components c where c.node = f.x)
union all
select f.y as x, coalesce(c.cluster, f.x) as cluster, false as is_x, true as is_y
from component_of_y f
left join components c on c.node = f.x
