-- The nodes whose keyed hash is below the cut for their number of matches: few are sorted. The key
-- has a fixed length, so key and id cannot be confused.
select id, h, place
from (
    select w.id, w.h, c.cut, sha256(concat('{key}', w.id)) as place
    from weighed w
    join cuts c on c.h = w.h
) hashed
where place < cut
