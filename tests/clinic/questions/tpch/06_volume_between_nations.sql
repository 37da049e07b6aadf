-- What is shipped between nations (as query 7)?
-- database: tpch, keys: 2
SELECT s.n_name AS supplier_nation, c.n_name AS customer_nation, sum(l_extendedprice * (1 - l_discount)) AS volume
  FROM line_facts JOIN supplier ON s_suppkey = l_suppkey JOIN nation s ON s.n_nationkey = s_nationkey
       JOIN customer ON c_custkey = o_custkey JOIN nation c ON c.n_nationkey = c_nationkey
 WHERE s.n_regionkey = 3 AND c.n_regionkey = 1 GROUP BY 1, 2 ORDER BY 1, 2
