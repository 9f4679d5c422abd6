-- Each node that has neighbours before it in the round's order: the one with the least id.
with ordered as (
    select a, b, scattered(a, {round}) as place_a, scattered(b, {round}) as place_b
    from {links} l
    where a <> b
),
directed as (
    select a, b, place_a < place_b or (place_a = place_b and a < b) as is_a_first
    from ordered
)
select
    case when is_a_first then b else a end as node,
    min(case when is_a_first then a else b end) as root,
    false as is_root
from directed
group by case when is_a_first then b else a end
