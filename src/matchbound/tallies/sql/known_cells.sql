-- How many nodes outside L have each h, c and hc, and of their pairs with nodes of L: both found and
-- true, both found and false, lost and false, won and true, found by neither and true. `counted` has
-- for each node how many nodes of L it has in tables and in what they share.
with shared as (
    select
        x,
        cast(sum(case when what = 'h' then n else 0 end) as bigint) as h,
        cast(sum(case when what = 't' then n else 0 end) as bigint) as t,
        cast(sum(case when what = 'hc' then n else 0 end) as bigint) as hc,
        cast(sum(case when what = 'ht' then n else 0 end) as bigint) as ht,
        cast(sum(case when what = 'ct' then n else 0 end) as bigint) as ct,
        cast(sum(case when what = 'hct' then n else 0 end) as bigint) as hct
    from ({counted}) counted
    group by x
)
select h, c, hc, count(*) as nodes, both_true, both_false, lost_false, won_true, missed
from (
    select
        coalesce(n.h, 0) as h,
        coalesce(n.c, 0) as c,
        coalesce(n.hc, 0) as hc,
        s.hct as both_true,
        s.hc - s.hct as both_false,
        s.h - s.hc - s.ht + s.hct as lost_false,
        s.ct - s.hct as won_true,
        s.t - s.ht - s.ct + s.hct as missed
    from (select a.* from shared a anti join known k on k.x = a.x) s
    left join {nodes} n on n.x = s.x
) told
group by h, c, hc, both_true, both_false, lost_false, won_true, missed
