-- Where do visitors of each city go first and second?
-- database: flat, keys: 2
WITH counted AS (SELECT city, region, count(*) AS visits FROM visit_facts GROUP BY city, region),
ranked AS (SELECT *, rank() OVER (PARTITION BY city ORDER BY visits DESC, region) AS place FROM counted)
SELECT city, region, visits FROM ranked WHERE place <= 2 ORDER BY city, place, region
