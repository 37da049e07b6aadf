-- How do fees add up over the months?
-- database: clinic, keys: 1
SELECT month, sum(fee) AS fees, sum(sum(fee)) OVER (ORDER BY month) AS so_far
  FROM visits WHERE month IS NOT NULL GROUP BY month ORDER BY month
