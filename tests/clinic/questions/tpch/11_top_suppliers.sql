-- Which suppliers bring most revenue (as query 15)?
-- database: tpch, keys: 1
WITH revenue AS (SELECT l_suppkey, sum(l_extendedprice * (1 - l_discount)) AS total FROM line_facts GROUP BY l_suppkey)
SELECT s_name, total FROM supplier JOIN revenue ON l_suppkey = s_suppkey ORDER BY total DESC, s_name LIMIT 10
