-- How many matches each node has: those of its cluster that may be y, without itself.
select m.x, s.n - {itself} as n
from {a} m
join (select cluster, count(*) as n from {a} where is_y group by cluster) s
    on s.cluster = m.cluster
where m.is_x and s.n > {itself}
