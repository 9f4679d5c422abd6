-- How many edges are between seeds in left, in right, and in both.
with known as (
    select x, y
    from matched
    where round = 0
),
in_left as (
    select e.a, e.b
    from left_edges e
    join known s on e.a = s.x
    join known t on e.b = t.x
    where e.a < e.b
),
in_right as (
    select s.x as a, t.x as b
    from right_edges e
    join known s on e.a = s.y
    join known t on e.b = t.y
    where s.x < t.x
)
select
    (select count(*) from in_left),
    (select count(*) from in_right),
    (select count(*) from in_left l join in_right r on l.a = r.a and l.b = r.b)
