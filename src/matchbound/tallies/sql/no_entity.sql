-- A record in two labelled nodes' entities that differ. A node's entity is the node with its matches,
-- and its leader is the least of them. Entities are the same if their records have one leader, and
-- are together as many as each of them.
with members as (
  select x, x as member from labels where y is not null
  union
  select x, y as member from labels where y is not null
),
entities as (
  select x, min(member) as leader, count(*) as size
  from members
  group by x
),
placed as (
  select m.member, e.leader, e.size
  from members m
  join entities e on e.x = m.x
),
whole as (
  select leader, count(distinct member) as size
  from placed
  group by leader
)
select cast(p.member as string) as x
from placed p
join whole w on w.leader = p.leader
group by p.member
having count(distinct p.leader) > 1 or min(p.size) <> max(w.size)
order by x
limit 1
