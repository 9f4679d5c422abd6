-- The nodes with several rows in a table, and how many.
select {id}, count(*) as n
from {a}
group by {id}
having count(*) > 1
