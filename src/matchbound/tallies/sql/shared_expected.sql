-- How many pairs of nodes in S share a match, at most, and how many others their matches have.
select
    cast(coalesce(sum(drawn * (drawn - 1)), 0) / 2 as bigint) as pairs,
    cast(coalesce(sum(drawn * (nodes - 1)), 0) as bigint) as others
from (
    select count(*) as nodes, count(case when is_drawn then 1 end) as drawn
    from shared
    group by y
) each_match
