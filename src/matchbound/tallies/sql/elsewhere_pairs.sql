-- The labelled matches that are no row of a matcher's table.
select e.x, e.y
from elsewhere e
anti join own_rows r on r.x = e.x and r.y = e.y
