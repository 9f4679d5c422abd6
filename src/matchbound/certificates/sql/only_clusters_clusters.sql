-- Pairs of checked nodes that clusters have and other clusters lack: at least {most} of each node that
-- has so many, else all. A cluster is cut into cells, by the other clusters. A node passes over one
-- cell, so it is enough to keep a few records of each cell, and twice as many of them all.
with cells as (
    select
        m.cluster,
        o.cluster as other,
        m.x,
        row_number() over (partition by m.cluster, o.cluster order by m.x) as place
    from {a} m
    semi join (select k.cluster from {a} k semi join checked c on c.x = k.x) d
        on d.cluster = m.cluster
    left join {b} o on o.x = m.x and o.is_y
    where m.is_y
),
members as (
    select cluster, other, x, row_number() over (partition by cluster order by place, x) as place
    from cells
    where place <= {most} + 1
)
select m.x, o.x as y
from {a} m
join checked c on c.x = m.x
left join {b} i on i.x = m.x and i.is_x
join members o on o.cluster = m.cluster and o.place <= 2 * ({most} + 1)
where m.is_x and (o.x <> m.x or not m.is_y) and not coalesce(o.other = i.cluster, false)
