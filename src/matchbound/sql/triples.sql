-- Each sampled node's place in D and in S, and its h, t and ht; t and ht are null if unlabelled.
select
    s.train,
    s.validation,
    coalesce(n.h, 0) as h,
    t.t,
    case when t.t is not null then coalesce(b.ht, 0) end as ht
from sample s
left join nodes n on n.x = s.id
left join (select x, count(y) as t from labels group by x) t on t.x = s.id
left join (
    select l.x, count(*) as ht
    from labels l
    join holdout h on h.x = l.x and h.y = l.y
    group by l.x
) b on b.x = s.id
