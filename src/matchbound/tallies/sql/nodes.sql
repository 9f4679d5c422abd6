-- For each node with a match: how many the holdout matcher found, the complete one, and both.
-- A node that is not listed has one, found by both.
select x, h, c, hc
from listed
union all
select m.x, 1 as h, 1 as c, 1 as hc
from holdout m
anti join listed l on l.x = m.x
