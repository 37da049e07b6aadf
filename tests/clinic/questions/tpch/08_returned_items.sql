-- Which nations' customers return most (as query 10)?
-- database: tpch, keys: 1
SELECT n_name, count(DISTINCT c_custkey) AS customers, sum(l_extendedprice * (1 - l_discount)) AS lost
  FROM customer JOIN line_facts ON o_custkey = c_custkey JOIN nation ON n_nationkey = c_nationkey
 WHERE l_returnflag = 'R' GROUP BY n_name ORDER BY lost DESC, 1 LIMIT 20
