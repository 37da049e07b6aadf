-- What was billed, shipped and returned (as query 1)?
-- database: tpch, keys: 2
SELECT l_returnflag, l_linestatus, sum(l_quantity) AS sum_qty, sum(l_extendedprice) AS sum_base_price,
       sum(l_extendedprice * (1 - l_discount)) AS sum_disc_price,
       sum(l_extendedprice * (1 - l_discount) * (1 + l_tax)) AS sum_charge, count(*) AS count_order
  FROM line_facts GROUP BY l_returnflag, l_linestatus ORDER BY 1, 2
