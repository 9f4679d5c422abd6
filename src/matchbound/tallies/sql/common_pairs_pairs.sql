-- How many matches each node has in both.
select a.x, count(*) as n
from {a} a
join {b} b on a.x = b.x and a.y = b.y
group by a.x
