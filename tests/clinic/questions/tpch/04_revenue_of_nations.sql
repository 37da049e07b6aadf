-- What revenue does each nation of Asia bring (as query 5)?
-- database: tpch, keys: 1
SELECT n_name, sum(l_extendedprice * (1 - l_discount)) AS revenue
  FROM customer JOIN line_facts ON o_custkey = c_custkey JOIN nation ON n_nationkey = c_nationkey
       JOIN region ON r_regionkey = n_regionkey
 WHERE r_name = 'ASIA' GROUP BY n_name ORDER BY revenue DESC
