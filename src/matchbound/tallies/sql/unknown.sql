-- Ids of a table that are not in the population.
select {column}
from {table} t
anti join everyone p on t.{column} = p.id
order by {column}
limit 1
