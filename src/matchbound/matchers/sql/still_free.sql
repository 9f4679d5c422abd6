-- Nodes with neighbours that are not among these pairs.
select f.node, f.degree
from {free} f
anti join {a} m on m.{column} = f.node
where f.degree > 0
