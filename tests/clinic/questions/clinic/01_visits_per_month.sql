-- How many visits were there in each month?
-- database: clinic, keys: 1
SELECT month, count(*) AS visits FROM visits GROUP BY month ORDER BY month
