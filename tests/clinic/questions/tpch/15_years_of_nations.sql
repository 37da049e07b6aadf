-- How do orders of each region grow over the years?
-- database: tpch, keys: 2
SELECT r_name, o_year, count(*) AS orders, sum(o_totalprice) AS total
  FROM orders LEFT JOIN customer ON c_custkey = o_custkey LEFT JOIN nation ON n_nationkey = c_nationkey
       LEFT JOIN region ON r_regionkey = n_regionkey
 GROUP BY 1, 2 ORDER BY 1, 2
