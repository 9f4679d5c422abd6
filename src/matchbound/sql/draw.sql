-- The first {count} ids in the order of a keyed hash. The key has a fixed length, so key and id
-- cannot be confused. Spark spells the hash sha2(…, 256).
select id
from {table}
order by sha256(concat('{key}', id))
limit {count}
