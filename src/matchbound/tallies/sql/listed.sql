-- For each node with several matches, or with one that only one matcher found: how many the holdout
-- matcher found, the complete one, and both.
with told as (
    select x from several
    union
    select x from differing
)
select
    coalesce(h.x, c.x) as x,
    count(h.y) as h,
    count(c.y) as c,
    count(case when h.y = c.y then 1 end) as hc
from (select m.x, m.y from holdout m semi join told t on t.x = m.x) h
full outer join (select m.x, m.y from complete m semi join told t on t.x = m.x) c
    on h.x = c.x and h.y = c.y
group by coalesce(h.x, c.x)
