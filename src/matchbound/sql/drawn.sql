select count(*) as nodes from sample
