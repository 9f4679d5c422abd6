-- For each node with a match: how many the holdout matcher found, the complete one, and both.
select
    coalesce(h.x, c.x) as x,
    count(h.y) as h,
    count(c.y) as c,
    count(case when h.y = c.y then 1 end) as hc
from holdout h
full outer join {complete} c on h.x = c.x and h.y = c.y
group by coalesce(h.x, c.x)
