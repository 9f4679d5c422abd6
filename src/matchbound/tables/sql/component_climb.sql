-- Replace each root that is not known to be one by its own root; a node without a row is a root.
select node, root, is_root
from {roots}
where is_root
union all
select r.node, coalesce(up.root, r.root) as root, up.node is null or up.is_root as is_root
from {roots} r
left join {roots} up on up.node = r.root
where not r.is_root
