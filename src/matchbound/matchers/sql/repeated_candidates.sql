-- The first pair that stands in several rows, and in how many.
select x, y, count(*) as n
from candidates
group by x, y
having count(*) > 1
order by x, y
limit 1
