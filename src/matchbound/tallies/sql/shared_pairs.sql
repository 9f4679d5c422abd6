-- The matches of nodes outside D, and whether the node is in S.
select h.x, h.y, s.id is not null as is_drawn
from holdout h
left join sample s on s.id = cast(h.x as string)
where s.train is null
