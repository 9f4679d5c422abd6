-- The nodes with several rows in a table, and how many. Nodes are whole numbers, often close to
-- each other: blocks of 32 of them, a bit each, are fewer groups than the nodes are.
with blocks as (
    select
        {id} >> 5 as block,
        count(*) as n,
        bit_or(cast(1 as bigint) << cast({id} & 31 as int)) as seen
    from {a}
    group by {id} >> 5
)
select {id}, count(*) as n
from {a}
where ({id} >> 5) in (select block from blocks where n > bit_count(seen))
group by {id}
having count(*) > 1
