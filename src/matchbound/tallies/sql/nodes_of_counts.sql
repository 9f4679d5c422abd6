-- For each node with a match: h, c and hc, from counts.
select
    coalesce(h.x, c.x) as x,
    coalesce(h.n, 0) as h,
    coalesce(c.n, 0) as c,
    coalesce(b.n, 0) as hc
from count_holdout h
full outer join count_complete c on h.x = c.x
left join count_both b on b.x = coalesce(h.x, c.x)
