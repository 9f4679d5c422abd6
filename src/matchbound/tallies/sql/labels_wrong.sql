-- Labels that contradict each other or the sample, one row a kind.
select 'not drawn' as problem, min(l.x) as x, count(distinct l.x) as nodes
from labels l
anti join sample s on l.x = s.id
union all
select 'both' as problem, min(x) as x, count(*) as nodes
from (select x from labels group by x having count(y) > 0 and count(y) < count(*)) b
union all
select 'twice' as problem, min(x) as x, count(distinct x) as nodes
from (select x from labels group by x, y having count(*) > 1) t
union all
select 'several' as problem, min(x) as x, count(*) as nodes
from (select x from labels group by x having count(y) > 1) s
union all
select 'unlabelled' as problem, min(s.id) as x, count(*) as nodes
from due s
anti join labels l on s.id = l.x
