-- How many matches each node has in both: its cell of two clusters, without itself.
with cells as (
    select a.cluster as first, b.cluster as second, count(*) as n
    from {a} a
    join {b} b on a.x = b.x
    where a.is_y and b.is_y
    group by a.cluster, b.cluster
)
select a.x, c.n - {itself} as n
from {a} a
join {b} b on a.x = b.x
join cells c on c.first = a.cluster and c.second = b.cluster
where a.is_x and b.is_x and c.n > {itself}
