-- Each drawn node, its places in D and in S, and its h, t, ht, c, ct and hc; t, ht and ct are null if
-- nobody verified it. The sample is text; matches may be whole numbers.
with drawn as (
    select
        id,
        train,
        validation,
        case when cast(try_cast(id as {x}) as string) = id then try_cast(id as {x}) end as node
    from sample
)
select
    s.id,
    s.train,
    s.validation,
    coalesce(n.h, 0) as h,
    case when l.x is not null then coalesce(t.n, 0) end as t,
    case when l.x is not null then coalesce(a.n, 0) end as ht,
    coalesce(n.c, 0) as c,
    case when l.x is not null then coalesce(b.n, 0) end as ct,
    coalesce(n.hc, 0) as hc
from drawn s
left join {nodes} n on n.x = s.node
left join (select distinct x from labels) l on l.x = s.id
left join count_true t on t.x = s.id
left join right_holdout a on a.x = s.id
left join right_{second} b on b.x = s.id
