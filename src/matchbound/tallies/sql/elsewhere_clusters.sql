-- The labelled matches that a matcher's clusters do not link.
select e.x, e.y
from elsewhere e
left join (select cast(x as string) as x, cluster from {a} where is_x) i on i.x = e.x
left join (select cast(x as string) as x, cluster from {a} where is_y) j
    on j.x = e.y and j.cluster = i.cluster
where j.x is null
