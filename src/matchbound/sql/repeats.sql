-- A pair that is there twice; only nodes with several matches can have one.
select x, y, count(*) as times
from {table}
where x in (select x from nodes where {count} > 1)
group by x, y
having count(*) > 1
order by x, y
limit 1
