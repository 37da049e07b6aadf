-- What is paid in each kind of place, and how is it spread?
-- database: flat, keys: 2
SELECT kind, left(quarter, 4) AS year, round(avg(fee), 2) AS mean, percentile_disc(0.9) WITHIN GROUP (ORDER BY fee) AS high
  FROM visit_facts GROUP BY 1, 2 ORDER BY 1, 2
