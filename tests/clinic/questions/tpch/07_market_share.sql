-- Which share of promotion parts do lines of each year have (as queries 8 and 14)?
-- database: tpch, keys: 1
SELECT l_year, sum(CASE WHEN p_type LIKE 'PROMO%' THEN l_extendedprice * (1 - l_discount) ELSE 0 END) AS promotion,
       sum(l_extendedprice * (1 - l_discount)) AS revenue
  FROM line_facts JOIN part ON p_partkey = l_partkey GROUP BY l_year ORDER BY l_year
