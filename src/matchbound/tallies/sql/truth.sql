-- Labels with their nodes as matches have them, which may be whole numbers: labels are text. A text
-- that is not how its number is written ('007') equals none.
select
    x,
    y,
    case when cast(try_cast(x as {x}) as string) = x then try_cast(x as {x}) end as node,
    case when cast(try_cast(y as {y}) as string) = y then try_cast(y as {y}) end as match
from labels
