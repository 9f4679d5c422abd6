-- How many pairs the matcher's clusters and the patched ones both link, seen from x.
select coalesce(sum(cast(xs as bigint) * (ys - {itself})), 0)
from (
    select count(case when h.is_x then 1 end) as xs, count(case when h.is_y then 1 end) as ys
    from holdout h
    join patched p on p.x = h.x and p.is_y = h.is_y
    group by h.cluster, p.cluster
) cells
where xs > 0 and ys > {itself}
