-- All matches as they are written: a score is witnesses / (witnesses + the best rival's + 1).
select
    cast(m.x as string) as x,
    cast(m.y as string) as y,
    case
        when m.round = 0 then cast(1 as double)
        else cast(m.witnesses as double) / cast(2 * m.witnesses - m.margin + 1 as double)
    end as score,
    cast(m.round as int) as round,
    cast(m.witnesses as int) as witnesses,
    cast(m.margin as int) as margin
from matched m
order by round, x
