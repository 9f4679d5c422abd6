-- A pair that is there twice, among the nodes of another table.
select x, y, count(*) as times
from {table}
where x in (select x from {among})
group by x, y
having count(*) > 1
order by x, y
limit 1
