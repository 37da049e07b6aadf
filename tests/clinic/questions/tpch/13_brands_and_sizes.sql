-- What do parts of some brands and sizes bring (as query 19)?
-- database: tpch, keys: 2
SELECT p_brand, width_bucket(p_size, 1, 51, 5) AS size_class, sum(l_extendedprice * (1 - l_discount)) AS revenue
  FROM line_facts JOIN part ON p_partkey = l_partkey
 WHERE p_brand IN ('Brand#1', 'Brand#12', 'Brand#23') GROUP BY 1, 2 ORDER BY 1, 2
