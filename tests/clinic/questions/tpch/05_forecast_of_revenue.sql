-- What would be earned without small discounts (as query 6)?
-- database: tpch, keys: 0
SELECT sum(l_extendedprice * l_discount) AS revenue FROM line_facts
 WHERE l_year = '1994' AND l_discount BETWEEN 0.05 AND 0.07 AND l_quantity < 24
