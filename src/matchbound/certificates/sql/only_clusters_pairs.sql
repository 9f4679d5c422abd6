-- Pairs of checked nodes that clusters have and a table of pairs lacks: at least {most} of each node
-- that has so many, else all. A node passes over itself and the pairs that the other table has.
with passed_over as (
    select p.x, count(p.y) + 1 as n
    from {b} p
    semi join checked c on c.x = p.x
    group by p.x
),
members as (
    select m.cluster, m.x, row_number() over (partition by m.cluster order by m.x) as place
    from {a} m
    semi join (select k.cluster from {a} k semi join checked c on c.x = k.x) d
        on d.cluster = m.cluster
    where m.is_y
)
select m.x, o.x as y
from {a} m
join checked c on c.x = m.x
left join passed_over p on p.x = m.x
join members o on o.cluster = m.cluster and o.place <= {most} + coalesce(p.n, 1)
anti join {b} b on b.x = m.x and b.y = o.x
where m.is_x and (o.x <> m.x or not m.is_y)
