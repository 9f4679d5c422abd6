-- Each sampled node's place in D and in S, and its h, t and ht, from counts.
select
    s.train,
    s.validation,
    coalesce(n.h, 0) as h,
    case when l.x is not null then coalesce(t.n, 0) end as t,
    case when l.x is not null then coalesce(b.n, 0) end as ht
from sample s
left join cluster_nodes n on n.x = s.id
left join (select distinct x from labels) l on l.x = s.id
left join count_true t on t.x = s.id
left join count_right b on b.x = s.id
