-- What is the moving average of visits over three months?
-- database: flat, keys: 1
SELECT month, visits, round(avg(visits) OVER (ORDER BY month ROWS 2 PRECEDING), 2) AS smooth FROM (
  SELECT month, count(*) AS visits FROM visit_facts WHERE month IS NOT NULL GROUP BY month) AS m ORDER BY month
