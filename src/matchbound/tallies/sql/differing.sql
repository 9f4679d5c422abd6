-- The pairs that only one of the matchers found; `lost` if it was the holdout one.
select
    coalesce(h.x, c.x) as x,
    coalesce(h.y, c.y) as y,
    c.x is null as lost
from holdout h
full outer join complete c on h.x = c.x and h.y = c.y
where h.x is null or c.x is null
