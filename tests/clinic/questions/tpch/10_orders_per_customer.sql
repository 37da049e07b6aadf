-- How many customers have how many orders (as query 13)?
-- database: tpch, keys: 1
SELECT c_count, count(*) AS custdist FROM (
  SELECT c_custkey, count(o_custkey) AS c_count FROM customer LEFT JOIN orders ON o_custkey = c_custkey
   GROUP BY c_custkey) AS c_orders
 GROUP BY c_count ORDER BY custdist DESC, c_count DESC
