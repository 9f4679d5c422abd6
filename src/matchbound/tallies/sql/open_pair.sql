-- A pair whose records do not have the same least neighbour, or a record that lacks a match.
-- Pairs are closed if all linked records have the same least record among themselves and their
-- matches, and every record has all other records with that least one as matches.
with leaders as (
  select x, count(*) as matches, least(min(y), x) as leader
  from {table}
  group by x
),
sizes as (
  select leader, count(*) as members
  from leaders
  group by leader
)
select cast(a.x as string) as x
from {table} p
join leaders a on a.x = p.x
join leaders b on b.x = p.y
where a.leader <> b.leader
union all
select cast(l.x as string) as x
from leaders l
join sizes s on s.leader = l.leader
where l.matches <> s.members - 1
order by x
limit 1
