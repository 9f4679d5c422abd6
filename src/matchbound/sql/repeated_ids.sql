select id, count(*) as times
from {table}
group by id
having count(*) > 1
order by id
limit 1
