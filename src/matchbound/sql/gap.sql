-- How many nodes have each h, c and hc.
select h, c, hc, count(*) as nodes
from nodes
group by h, c, hc
order by h, c, hc
