-- How many pairs of each node lie inside a cluster.
select p.x, count(*) as n
from {a} p
join {b} i on i.x = p.x
join {b} j on j.x = p.y and j.cluster = i.cluster
where i.is_x and j.is_y
group by p.x
