-- How many pairs there are, and how many clusters: a cluster's nodes have the same least node.
with both_ways as (
    select x, y from alike
    union all
    select y as x, x as y from alike
),
firsts as (
    select least(x, min(y)) as first, count(*) as n
    from both_ways
    group by x
)
select cast(coalesce(sum(n), 0) / 2 as bigint) as pairs, count(distinct first) as clusters
from firsts
