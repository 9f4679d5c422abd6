-- Every node of a network, and how many neighbours it has.
select n.node, count(e.b) as degree
from (select a as node from {given} union select b from {given}) n
left join {edges} e on e.a = n.node
group by n.node
