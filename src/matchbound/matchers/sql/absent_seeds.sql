-- Seeds of which one side is no node of its network, in the order in which they were given.
-- A text that is not how its number is written ('007') is none.
select s.{column}
from seeds s
anti join {nodes} n on cast(n.node as string) = s.{column}
order by s.place
