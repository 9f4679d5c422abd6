-- A matcher's pairs with the labels over them: at labelled nodes the verified pairs, with the scores
-- that they had, or `top`; elsewhere the matcher's own.
select f.x, f.y, f.score
from found f
anti join known k on k.x = f.x
union all
select t.x, t.y, coalesce(f.score, {top}) as score
from verified t
left join found f on f.x = t.x and f.y = t.y
