-- Sampled nodes without a cluster, or with several true matches.
select 'unlabelled' as problem, min(s.id) as x, count(*) as nodes
from due s
anti join labels l on s.id = l.x
union all
select 'several' as problem, min(s.id) as x, count(*) as nodes
from sample s
join count_true t on t.x = s.id
where t.n > 1
