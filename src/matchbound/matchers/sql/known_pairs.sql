-- Seeds as matched pairs. They are text; nodes may be whole numbers.
select
    try_cast(x as {x}) as x,
    try_cast(y as {y}) as y,
    0 as round,
    cast(0 as bigint) as witnesses,
    cast(0 as bigint) as margin
from seeds
