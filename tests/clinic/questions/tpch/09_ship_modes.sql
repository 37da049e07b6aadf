-- How many lines go by each mode (as query 12)?
-- database: tpch, keys: 1
SELECT l_shipmode, count(*) FILTER (WHERE l_quantity > 25) AS large, count(*) FILTER (WHERE l_quantity <= 25) AS small
  FROM line_facts WHERE l_shipmode IN ('MAIL', 'SHIP', 'RAIL') GROUP BY l_shipmode ORDER BY l_shipmode
