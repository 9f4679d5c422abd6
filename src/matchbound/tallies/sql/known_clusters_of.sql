-- The clusters that hold a labelled node.
select m.x, m.cluster
from {a} m
semi join (select c.cluster from {a} c semi join known k on k.x = c.x) t
    on t.cluster = m.cluster
