-- Which market segments bring most revenue (as query 3)?
-- database: tpch, keys: 1
SELECT c_mktsegment, sum(l_extendedprice * (1 - l_discount)) AS revenue
  FROM customer JOIN line_facts ON o_custkey = c_custkey
 GROUP BY c_mktsegment ORDER BY revenue DESC, 1
