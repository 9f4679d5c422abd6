-- The ids in the order of a keyed hash, up to the {count}-th that was matched and is not in D.
with hashed as (
    select
        p.id,
        sha256(concat('{key}', p.id)) as place,
        m.id is not null and t.id is null as counts
    from population p
    left join matched m on m.id = p.id
    left join trained t on t.id = p.id
),
enough as (
    select place
    from hashed
    where counts
    order by place
    limit {count}
)
select id
from hashed
where place <= (select max(place) from enough)
order by place
