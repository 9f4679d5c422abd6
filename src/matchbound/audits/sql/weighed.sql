-- The nodes outside D, and how many matches each has by the holdout matcher.
select p.id, coalesce(c.n, 0) as h
from (select n.id from population n anti join trained t on t.id = n.id) p
left join counted c on c.x = p.id
