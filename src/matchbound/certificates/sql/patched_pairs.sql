-- A matcher's pairs within one table with the labels over them, each pair once: with a labelled node
-- the verified pairs, with the scores that they had, or `top`; elsewhere the matcher's own.
with verified_once as (
    select distinct least(x, y) as x, greatest(x, y) as y
    from verified
)
select f.x, f.y, f.score
from found f
anti join known k on k.x = f.x
anti join known l on l.x = f.y
where f.x < f.y
union all
select t.x, t.y, coalesce(f.score, {top}) as score
from verified_once t
left join found f on f.x = t.x and f.y = t.y
