-- The labelled matches of drawn nodes.
select l.x, l.y
from labels l
semi join due d on d.id = l.x
where l.y is not null
