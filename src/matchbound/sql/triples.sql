-- Each sampled node's place in D and in S, and its h, t and ht; t and ht are null if unlabelled.
-- Labels and sample are text; matches may be whole numbers. A text that is not how its number is
-- written ('007') equals none.
with truth as (
    select
        x,
        y,
        case when cast(try_cast(x as {x}) as string) = x then try_cast(x as {x}) end as node,
        case when cast(try_cast(y as {y}) as string) = y then try_cast(y as {y}) end as match
    from labels
),
drawn as (
    select
        id,
        train,
        validation,
        case when cast(try_cast(id as {x}) as string) = id then try_cast(id as {x}) end as node
    from sample
)
select
    s.train,
    s.validation,
    coalesce(n.h, 0) as h,
    t.t,
    case when t.t is not null then coalesce(b.ht, 0) end as ht
from drawn s
left join nodes n on n.x = s.node
left join (select x, count(y) as t from truth group by x) t on t.x = s.id
left join (
    select l.x, count(*) as ht
    from truth l
    join holdout h on h.x = l.node and h.y = l.match
    group by l.x
) b on b.x = s.id
