-- The values of a filter box, with their counts.
-- database: tpch, keys: 1
SELECT o_orderpriority AS o_orderpriority, COUNT(*) AS count 
FROM public.orders 
WHERE o_orderdate >= TO_DATE('1993-01-01', 'YYYY-MM-DD') OR o_orderdate IS NULL GROUP BY o_orderpriority ORDER BY count DESC 
 LIMIT 10000
