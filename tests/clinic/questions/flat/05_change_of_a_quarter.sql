-- How much did fees of each region change against the quarter before?
-- database: flat, keys: 2
SELECT region, quarter, sum(fee) AS fees, sum(fee) - lag(sum(fee)) OVER (PARTITION BY region ORDER BY quarter) AS change
  FROM visit_facts WHERE quarter IS NOT NULL GROUP BY region, quarter ORDER BY 1, 2
