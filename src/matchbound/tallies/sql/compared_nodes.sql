-- Of the nodes with a match, those that the matchers are compared on.
select n.h, n.c, n.hc
from {nodes} n
join compared g on g.id = cast(n.x as string)
