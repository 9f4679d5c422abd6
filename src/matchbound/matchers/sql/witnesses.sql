-- For free nodes x and y of at least this degree, among the candidates if there are some: how many matched pairs are neighbours of both.
select l.x, r.y, count(*) as n
from (
    select m.y as known, e.b as x
    from matched m
    join left_edges e on e.a = m.x
    join left_free f on f.node = e.b
    where f.degree >= {degree}
) l
join (
    select m.y as known, e.b as y
    from matched m
    join right_edges e on e.a = m.y
    join right_free f on f.node = e.b
    where f.degree >= {degree}
) r on r.known = l.known
{among}
group by l.x, r.y
