-- How many pairs clusters link, seen from x.
select coalesce(sum(cast(xs as bigint) * (ys - {itself})), 0)
from (
    select count(case when is_x then 1 end) as xs, count(case when is_y then 1 end) as ys
    from {a}
    group by cluster
) sizes
where xs > 0 and ys > {itself}
