-- For each node with several matches: how many; the holdout matcher is the only one.
select x, n as h, n as c, n as hc
from several
