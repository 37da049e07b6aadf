-- What share of the visits of a region is women's?
-- database: flat, keys: 1
SELECT region, count(*) FILTER (WHERE sex = 'f') AS women, count(*) FILTER (WHERE sex = 'm') AS men
  FROM visit_facts GROUP BY region ORDER BY region
