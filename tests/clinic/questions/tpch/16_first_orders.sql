-- In which year did customers order first, and what did they spend in all?
-- database: tpch, keys: 1
SELECT first_year, count(*) AS customers, sum(total) AS total FROM (
  SELECT o_custkey, min(o_year) AS first_year, sum(o_totalprice) AS total FROM orders
   WHERE o_custkey IS NOT NULL GROUP BY o_custkey) AS each
 GROUP BY first_year ORDER BY first_year
