-- Wrong and missed pairs with the matcher's scores, at most {most} of each kind a node.
select x, y, kind, score
from (
    select
        e.x,
        e.y,
        e.kind,
        s.score,
        row_number() over (partition by e.x, e.kind order by s.score desc nulls last, e.y) as place
    from (
        select x, y, 'wrong' as kind from only_found
        union all
        select x, y, 'missed' as kind from only_true
    ) e
    left join scored s on s.x = e.x and s.y = e.y
) numbered
where place <= {most}
order by x, kind desc, place
