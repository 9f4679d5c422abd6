-- How many nodes have each h, c and hc.
select h, c, hc, count(*) as nodes
from {table}
group by h, c, hc
order by h, c, hc
