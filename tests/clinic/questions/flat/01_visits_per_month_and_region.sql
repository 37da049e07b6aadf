-- How many visits were there in each month and region?
-- database: flat, keys: 2
SELECT month, region, count(*) AS visits FROM visit_facts GROUP BY month, region ORDER BY 1, 2
