-- The pairs of one table, each once and with text ids, that share a record with another pair.
select cast(p.x as string) as x, cast(p.y as string) as y
from {a} p
left join linked_twice a on a.x = p.x
left join linked_twice b on b.x = p.y
where p.x < p.y and (a.x is not null or b.x is not null)
