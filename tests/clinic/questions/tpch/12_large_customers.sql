-- How many customers of each segment bought for more than a million (as query 18)?
-- database: tpch, keys: 1
SELECT c_mktsegment, count(*) AS customers, sum(total) AS total FROM (
  SELECT c_custkey, c_mktsegment, sum(o_totalprice) AS total FROM customer JOIN orders ON o_custkey = c_custkey
   GROUP BY 1, 2 HAVING sum(o_totalprice) > 1000000) AS large
 GROUP BY c_mktsegment ORDER BY 1
