-- How many visits were there in each month, by the shown dates?
-- database: flat, keys: 1
SELECT date_trunc('month', day)::date AS month, count(*) AS visits FROM visit_facts GROUP BY 1 ORDER BY 1
