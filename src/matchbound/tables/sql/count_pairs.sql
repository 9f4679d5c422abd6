-- How many matches each node has.
select x, count(y) as n
from {a}
group by x
