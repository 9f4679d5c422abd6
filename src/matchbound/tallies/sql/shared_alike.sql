-- The pairs of nodes in S that share a match, each once.
select distinct a.x, b.x as y
from shared a
join shared b on b.y = a.y
where a.is_drawn and b.is_drawn and a.x < b.x
