-- How many of a matcher's pairs each labelled node has verified.
select l.x, count(*) as n
from truth l
join {a} m on m.x = l.node and m.y = l.match
group by l.x
