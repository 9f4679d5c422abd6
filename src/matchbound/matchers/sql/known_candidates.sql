-- Candidates as pairs of nodes of both networks. They are text; nodes may be whole numbers.
select l.node as x, r.node as y
from candidates c
join left_nodes l on cast(l.node as string) = c.x
join right_nodes r on cast(r.node as string) = c.y
