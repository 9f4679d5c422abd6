-- The pairs with enough witnesses, and more than any other pair with one of the two nodes; the
-- margin is how many more. A pair with too few stands in nobody's way, but is a rival.
with ranked as (
    select
        x,
        y,
        n,
        max(n) over (partition by x) as x_best,
        max(n) over (partition by y) as y_best,
        count(*) over (partition by x, n) as x_equals,
        count(*) over (partition by y, n) as y_equals
    from counted
    where n >= {threshold}
),
best as (
    select x, y, n
    from ranked
    where n = x_best and n = y_best and x_equals = 1 and y_equals = 1
),
rivals as (
    select b.x, c.n
    from best b
    join counted c on c.x = b.x
    where c.y <> b.y
    union all
    select b.x, c.n
    from best b
    join counted c on c.y = b.y
    where c.x <> b.x
)
select
    b.x,
    b.y,
    {round} as round,
    b.n as witnesses,
    b.n - coalesce(r.n, 0) as margin
from best b
left join (select x, max(n) as n from rivals group by x) r on r.x = b.x
