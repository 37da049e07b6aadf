-- How many customers with money never ordered (as query 22)?
-- database: tpch, keys: 1
SELECT c_nationkey, count(*) AS customers, sum(c_acctbal) AS money FROM customer
 WHERE c_acctbal > (SELECT avg(c_acctbal) FROM customer WHERE c_acctbal > 0)
   AND NOT EXISTS (SELECT FROM orders WHERE o_custkey = c_custkey)
 GROUP BY c_nationkey ORDER BY c_nationkey
