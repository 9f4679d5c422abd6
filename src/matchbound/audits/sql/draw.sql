-- The first {count} ids in the order of a keyed hash, if so many have one below {cut}: few are
-- sorted. The key has a fixed length, so key and id cannot be confused. Spark sorts by no function
-- of its SQL, hence the inner query.
select cast(id as string) as id
from (select id, sha256(concat('{key}', id)) as place from {table}) hashed
where place < '{cut}'
order by place
limit {count}
