-- The checked nodes with errors: their places in S, and their wrong and missed matches.
select
    c.x,
    c.place,
    coalesce(f.n, 0) - coalesce(b.n, 0) as wrong,
    coalesce(t.n, 0) - coalesce(b.n, 0) as missed
from checked c
left join count_found f on f.x = c.x
left join count_true t on t.x = c.x
left join count_both b on b.x = c.x
where coalesce(f.n, 0) <> coalesce(b.n, 0) or coalesce(t.n, 0) <> coalesce(b.n, 0)
