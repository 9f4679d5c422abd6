-- The nodes of a round and of all later ones, each with the last root that it leads to.
select node, root
from {labels}
union all
select r.node, coalesce(l.root, r.root) as root
from {roots} r
left join {labels} l on l.node = r.root
