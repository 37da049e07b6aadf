-- How many orders of each priority were there in each quarter (as query 4)?
-- database: tpch, keys: 2
SELECT o_quarter, o_orderpriority, count(*) AS orders FROM orders GROUP BY 1, 2 ORDER BY 1, 2
