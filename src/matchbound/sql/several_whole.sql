-- The nodes with several rows in a table, and how many. Nodes are whole numbers, often close to
-- each other: blocks of 32 of them, a bit each, are fewer groups than the nodes are.
with blocks as (
    select
        x >> 5 as block,
        count(*) as n,
        bit_or(cast(1 as bigint) << cast(x & 31 as int)) as seen
    from {a}
    group by x >> 5
)
select x, count(*) as n
from {a}
where x >> 5 in (select block from blocks where n > bit_count(seen))
group by x
having count(*) > 1
