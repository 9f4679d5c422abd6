-- The links between roots. A node without a row is its own root.
select a, b
from (
    select coalesce(s.root, l.a) as a, coalesce(t.root, l.b) as b
    from {links} l
    left join {roots} s on s.node = l.a
    left join {roots} t on t.node = l.b
) contracted
where a <> b
