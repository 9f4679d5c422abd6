-- The validation nodes in clusters of more than two records: their places in S, the matches that the
-- cluster gives them, and those of them that are true.
select s.validation, h.n as h, coalesce(r.n, 0) as ht
from sample s
join count_closed h on h.x = s.id
left join right_closed r on r.x = s.id
where s.validation is not null
