-- Two labelled nodes of which only one is labelled as a match of the other.
select l.x, l.y
from labels l
join sample s on s.id = l.y
semi join labels o on o.x = l.y
anti join labels r on r.x = l.y and r.y = l.x
where l.y is not null
order by l.x, l.y
limit 1
