-- Clusters with the labels over them: the entities that labels show, labelled nodes without a match,
-- and what is left of the matcher's clusters. Where labels take all of a cluster's records that may be
-- y, the others follow most of them: they were linked to nothing else.
with placed as (
    select x, 'labels ' || cluster as cluster, is_x, is_y
    from entities
    union all
    select k.x, 'alone ' || k.x as cluster, true as is_x, {both} as is_y
    from known k
    anti join (select x from entities where is_x) e on e.x = k.x
),
rest as (
    select h.x, h.cluster, h.is_x, h.is_y
    from holdout h
    anti join placed p on p.x = h.x and p.is_y = h.is_y
),
taken as (
    select
        h.cluster,
        p.cluster as by,
        row_number() over (partition by h.cluster order by count(*) desc, min(h.x)) as place
    from holdout h
    join placed p on p.x = h.x and p.is_y
    where h.is_y
    group by h.cluster, p.cluster
),
emptied as (
    select t.cluster, t.by
    from taken t
    anti join (select cluster from rest where is_y) r on r.cluster = t.cluster
    where t.place = 1
)
select x, cluster, is_x, is_y
from placed
union all
select r.x, coalesce(e.by, 'holdout ' || r.cluster) as cluster, r.is_x, r.is_y
from rest r
left join emptied e on e.cluster = r.cluster
