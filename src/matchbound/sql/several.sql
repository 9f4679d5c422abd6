-- The nodes with several rows in a table, and how many.
select x, count(*) as n
from {a}
group by x
having count(*) > 1
