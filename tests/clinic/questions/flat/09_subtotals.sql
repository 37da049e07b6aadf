-- How many visits are there by sex and region, with subtotals?
-- database: flat, keys: 2
SELECT sex, region, grouping(sex, region) AS level, count(*) AS visits
  FROM visit_facts GROUP BY ROLLUP (sex, region) ORDER BY level, 1, 2
