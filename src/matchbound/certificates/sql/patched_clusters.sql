-- Clusters with the labels over them: the entities that labels show, labelled nodes without a match,
-- and what is left of the matcher's clusters.
with placed as (
    select x, 'labels ' || cluster as cluster, is_x, is_y
    from entities
    union all
    select k.x, 'alone ' || k.x as cluster, true as is_x, {both} as is_y
    from known k
    anti join (select x from entities where is_x) e on e.x = k.x
)
select x, cluster, is_x, is_y
from placed
union all
select h.x, 'holdout ' || h.cluster as cluster, h.is_x, h.is_y
from holdout h
anti join placed p on p.x = h.x and p.is_y = h.is_y
