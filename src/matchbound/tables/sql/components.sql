-- Every node and its cluster. The roots of whole components have no label, nor have nodes that are
-- linked with themselves alone.
select node, root as cluster
from {labels}
union all
select distinct root as node, root as cluster
from {labels}
union all
select distinct a as node, a as cluster
from {links} l
where a = b
    and not exists (select 1 from {labels} n where n.node = l.a)
    and not exists (select 1 from {labels} r where r.root = l.a)
