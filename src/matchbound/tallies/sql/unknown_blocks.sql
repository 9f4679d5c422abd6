-- Whether some nodes of a table are not in the population: whole numbers close to each other, which
-- blocks of 32, a bit each, make fewer rows of.
with used as (
    select x >> 5 as block, bit_or(cast(1 as bigint) << cast(x & 31 as int)) as seen
    from {table}
    group by x >> 5
),
known as (
    select id >> 5 as block, bit_or(cast(1 as bigint) << cast(id & 31 as int)) as seen
    from everyone
    group by id >> 5
)
select count(*) as strange
from used u
left join known k on k.block = u.block
where (u.seen & coalesce(k.seen, 0)) <> u.seen
