-- The records that may be y, in the clusters that hold a drawn node.
select m.cluster, m.x as y
from labels m
semi join (select l.cluster from labels l semi join sample s on s.id = l.x) d
    on d.cluster = m.cluster
where m.is_y
