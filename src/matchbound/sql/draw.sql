-- The first {count} ids in the order of a keyed hash. The key has a fixed length, so key and id
-- cannot be confused. Spark sorts by no function of its SQL, hence the inner query.
select id
from (select id, sha256(concat('{key}', id)) as place from {table}) hashed
order by place
limit {count}
