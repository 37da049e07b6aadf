-- What web analytics asks: 43 statements of the kinds of which ClickBench has 43, in the same proportions.
-- They are not ClickBench's: table, columns and texts are our own.

SELECT count(*) FROM hits;

SELECT count(*) FROM hits WHERE campaign <> 0;

SELECT sum(campaign), count(*), avg(screen_width) FROM hits;

SELECT avg(visitor_id) FROM hits;

SELECT count(DISTINCT visitor_id) FROM hits;

SELECT count(DISTINCT phrase) FROM hits;

SELECT min(at), max(at) FROM hits;

SELECT campaign, count(*) AS views FROM hits WHERE campaign <> 0 GROUP BY campaign ORDER BY views DESC;

SELECT region, count(DISTINCT visitor_id) AS visitors FROM hits GROUP BY region
ORDER BY visitors DESC LIMIT 10;

SELECT region, sum(campaign), count(*) AS views, avg(screen_width), count(DISTINCT visitor_id) FROM hits
GROUP BY region ORDER BY views DESC LIMIT 10;

SELECT device, count(DISTINCT visitor_id) AS visitors FROM hits WHERE device <> '' GROUP BY device
ORDER BY visitors DESC LIMIT 10;

SELECT system, device, count(DISTINCT visitor_id) AS visitors FROM hits WHERE device <> ''
GROUP BY system, device ORDER BY visitors DESC LIMIT 10;

SELECT phrase, count(*) AS views FROM hits WHERE phrase <> '' GROUP BY phrase ORDER BY views DESC LIMIT 10;

SELECT phrase, count(DISTINCT visitor_id) AS visitors FROM hits WHERE phrase <> '' GROUP BY phrase
ORDER BY visitors DESC LIMIT 10;

SELECT engine, phrase, count(*) AS views FROM hits WHERE phrase <> '' GROUP BY engine, phrase
ORDER BY views DESC LIMIT 10;

SELECT visitor_id, count(*) AS views FROM hits GROUP BY visitor_id ORDER BY views DESC LIMIT 10;

SELECT visitor_id, phrase, count(*) AS views FROM hits GROUP BY visitor_id, phrase
ORDER BY views DESC LIMIT 10;

SELECT visitor_id, phrase, count(*) FROM hits GROUP BY visitor_id, phrase LIMIT 10;

SELECT visitor_id, extract(minute FROM at) AS minute, phrase, count(*) AS views FROM hits
GROUP BY visitor_id, minute, phrase ORDER BY views DESC LIMIT 10;

SELECT visitor_id, at FROM hits WHERE visitor_id = 77000000539;

SELECT count(*) FROM hits WHERE url LIKE '%maps%';

SELECT phrase, min(url), count(*) AS views FROM hits WHERE url LIKE '%maps%' AND phrase <> '' GROUP BY phrase
ORDER BY views DESC LIMIT 10;

SELECT phrase, min(url), min(title), count(*) AS views, count(DISTINCT visitor_id) FROM hits
WHERE title LIKE '%maps%' AND url NOT LIKE '%.maps.%' AND phrase <> '' GROUP BY phrase
ORDER BY views DESC LIMIT 10;

SELECT * FROM hits WHERE url LIKE '%maps%' ORDER BY at LIMIT 10;

SELECT phrase FROM hits WHERE phrase <> '' ORDER BY at LIMIT 10;

SELECT phrase FROM hits WHERE phrase <> '' ORDER BY phrase LIMIT 10;

SELECT phrase FROM hits WHERE phrase <> '' ORDER BY at, phrase LIMIT 10;

SELECT site, avg(length(url)) AS length, count(*) AS views FROM hits WHERE url <> '' GROUP BY site
HAVING count(*) > 1000 ORDER BY length DESC LIMIT 25;

SELECT regexp_replace(referrer, '^https?://(www\.)?([^/]+)/.*$', '\2') AS portal,
       avg(length(referrer)) AS length, count(*) AS views, min(referrer)
FROM hits WHERE referrer <> '' GROUP BY portal HAVING count(*) > 1000 ORDER BY length DESC LIMIT 25;

SELECT sum(screen_width), sum(screen_width + 1), sum(screen_width + 2), sum(screen_width + 3),
       sum(screen_width + 4), sum(screen_width + 5), sum(screen_width + 6), sum(screen_width + 7),
       sum(screen_width + 8), sum(screen_width + 9), sum(screen_width + 10), sum(screen_width + 11),
       sum(screen_width + 12), sum(screen_width + 13), sum(screen_width + 14), sum(screen_width + 15),
       sum(screen_width + 16), sum(screen_width + 17), sum(screen_width + 18), sum(screen_width + 19),
       sum(screen_width + 20), sum(screen_width + 21), sum(screen_width + 22), sum(screen_width + 23),
       sum(screen_width + 24), sum(screen_width + 25), sum(screen_width + 26), sum(screen_width + 27),
       sum(screen_width + 28), sum(screen_width + 29), sum(screen_width + 30), sum(screen_width + 31),
       sum(screen_width + 32), sum(screen_width + 33), sum(screen_width + 34), sum(screen_width + 35),
       sum(screen_width + 36), sum(screen_width + 37), sum(screen_width + 38), sum(screen_width + 39),
       sum(screen_width + 40), sum(screen_width + 41), sum(screen_width + 42), sum(screen_width + 43),
       sum(screen_width + 44), sum(screen_width + 45), sum(screen_width + 46), sum(screen_width + 47),
       sum(screen_width + 48), sum(screen_width + 49), sum(screen_width + 50), sum(screen_width + 51),
       sum(screen_width + 52), sum(screen_width + 53), sum(screen_width + 54), sum(screen_width + 55),
       sum(screen_width + 56), sum(screen_width + 57), sum(screen_width + 58), sum(screen_width + 59),
       sum(screen_width + 60), sum(screen_width + 61), sum(screen_width + 62), sum(screen_width + 63),
       sum(screen_width + 64), sum(screen_width + 65), sum(screen_width + 66), sum(screen_width + 67),
       sum(screen_width + 68), sum(screen_width + 69), sum(screen_width + 70), sum(screen_width + 71),
       sum(screen_width + 72), sum(screen_width + 73), sum(screen_width + 74), sum(screen_width + 75),
       sum(screen_width + 76), sum(screen_width + 77), sum(screen_width + 78), sum(screen_width + 79),
       sum(screen_width + 80), sum(screen_width + 81), sum(screen_width + 82), sum(screen_width + 83),
       sum(screen_width + 84), sum(screen_width + 85), sum(screen_width + 86), sum(screen_width + 87),
       sum(screen_width + 88), sum(screen_width + 89)
FROM hits;

SELECT engine, address, count(*) AS views, sum(is_refresh), avg(screen_width) FROM hits WHERE phrase <> ''
GROUP BY engine, address ORDER BY views DESC LIMIT 10;

SELECT hit_id, address, count(*) AS views, sum(is_refresh), avg(screen_width) FROM hits WHERE phrase <> ''
GROUP BY hit_id, address ORDER BY views DESC LIMIT 10;

SELECT hit_id, address, count(*) AS views, sum(is_refresh), avg(screen_width) FROM hits
GROUP BY hit_id, address ORDER BY views DESC LIMIT 10;

SELECT url, count(*) AS views FROM hits GROUP BY url ORDER BY views DESC LIMIT 10;

SELECT 1, url, count(*) AS views FROM hits GROUP BY 1, url ORDER BY views DESC LIMIT 10;

SELECT address, address - 1, address - 2, address - 3, count(*) AS views FROM hits
GROUP BY address, address - 1, address - 2, address - 3 ORDER BY views DESC LIMIT 10;

SELECT url, count(*) AS views FROM hits WHERE site = 7 AND at >= '2013-07-01' AND at < '2013-08-01'
  AND is_test = 0 AND is_refresh = 0 AND url <> '' GROUP BY url ORDER BY views DESC LIMIT 10;

SELECT title, count(*) AS views FROM hits WHERE site = 7 AND at >= '2013-07-01' AND at < '2013-08-01'
  AND is_test = 0 AND is_refresh = 0 AND title <> '' GROUP BY title ORDER BY views DESC LIMIT 10;

SELECT url, count(*) AS views FROM hits WHERE site = 7 AND at >= '2013-07-01' AND at < '2013-08-01'
  AND is_refresh = 0 AND is_link <> 0 AND is_download = 0 GROUP BY url
ORDER BY views DESC LIMIT 10 OFFSET 100;

SELECT source, engine, campaign, CASE WHEN engine = 0 AND campaign = 0 THEN referrer ELSE '' END AS origin,
       url AS target, count(*) AS views
FROM hits WHERE site = 7 AND at >= '2013-07-01' AND at < '2013-08-01' AND is_refresh = 0
GROUP BY source, engine, campaign, origin, target ORDER BY views DESC LIMIT 10 OFFSET 100;

SELECT url, at::date AS day, count(*) AS views FROM hits WHERE site = 7 AND at >= '2013-07-01'
  AND at < '2013-08-01' AND is_refresh = 0 AND source IN (-1, 6) AND referrer <> ''
GROUP BY url, day ORDER BY views DESC LIMIT 10 OFFSET 10;

SELECT window_width, window_height, count(*) AS views FROM hits WHERE site = 7 AND at >= '2013-07-01'
  AND at < '2013-08-01' AND is_refresh = 0 AND is_test = 0
GROUP BY window_width, window_height ORDER BY views DESC LIMIT 10 OFFSET 100;

SELECT date_trunc('minute', at) AS minute, count(*) AS views FROM hits WHERE site = 7 AND at >= '2013-07-14'
  AND at < '2013-07-16' AND is_refresh = 0 AND is_test = 0
GROUP BY minute ORDER BY minute LIMIT 10 OFFSET 100;
