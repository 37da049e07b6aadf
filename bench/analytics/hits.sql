-- hits: page views of a web shop's visitors, drawn from hashes and so the same at every run. One visitor has
-- ten rows on average, all with the same region, sex, age and device. Variables: rows.
CREATE SCHEMA web;
CREATE FUNCTION web.share(id bigint, attribute bigint) RETURNS float8
  LANGUAGE sql IMMUTABLE PARALLEL SAFE AS
  $$ SELECT (hashint8extended(id, attribute) & 16777215) / 16777216.0::float8 $$;
CREATE FUNCTION web.pick(id bigint, attribute bigint, count int, skew float8) RETURNS int
  LANGUAGE sql IMMUTABLE PARALLEL SAFE AS
  $$ SELECT floor(count * power(web.share(id, attribute), skew))::int $$;
CREATE TABLE web.hits AS
SELECT id AS hit_id,
       1000000007::bigint * visitor AS visitor_id,
       timestamp '2013-07-01' + web.pick(id, 11, 31 * 86400, 1) * interval '1 second' AS at,
       web.pick(visitor, 21, 90, 3) AS region,
       (ARRAY['f', 'm'])[1 + web.pick(visitor, 22, 2, 1)] AS sex,
       15 + 10 * web.pick(visitor, 23, 6, 2) AS age,
       CASE WHEN web.share(visitor, 24) < 0.2 THEN 'phone ' || web.pick(visitor, 25, 40, 3) ELSE '' END
         AS device,
       web.pick(visitor, 26, 12, 2) AS system,
       167772160 + visitor * 3 + web.pick(id, 27, 2, 3) AS address,
       web.pick(id, 31, 60, 3) AS site,
       'https://' || (ARRAY['shop', 'news', 'mail', 'maps'])[1 + web.pick(id, 31, 60, 3) % 4] || '.example/'
         || web.pick(id, 32, 3000, 3) AS url,
       'page ' || web.pick(id, 32, 3000, 3) || CASE WHEN web.share(id, 33) < 0.02 THEN ' maps' ELSE '' END
         AS title,
       CASE WHEN web.share(id, 34) < 0.6
            THEN 'https://www.portal' || web.pick(id, 35, 200, 3) || '.example/?page='
              || web.pick(id, 36, 50, 1)
            ELSE '' END AS referrer,
       CASE WHEN web.share(id, 41) < 0.13 THEN 'words ' || web.pick(id, 42, 20000, 2) ELSE '' END AS phrase,
       web.pick(id, 43, 5, 2) AS engine,
       CASE WHEN web.share(id, 44) < 0.01 THEN 1 + web.pick(id, 45, 18, 2) ELSE 0 END AS campaign,
       web.pick(id, 46, 10, 2) - 1 AS source,
       (web.share(id, 47) < 0.1)::int AS is_refresh,
       (web.share(id, 48) < 0.1)::int AS is_link,
       (web.share(id, 49) < 0.05)::int AS is_download,
       (web.share(id, 50) < 0.05)::int AS is_test,
       320 + 160 * web.pick(visitor, 51, 11, 1) AS screen_width,
       300 + web.pick(id, 52, 900, 1) AS window_width,
       200 + web.pick(id, 53, 600, 1) AS window_height
FROM (SELECT id, 1 + web.pick(id, 1, (:rows / 10)::int, 1.5) AS visitor
      FROM generate_series(1, :rows::bigint) AS id) AS drawn;
DROP FUNCTION web.pick, web.share;
CREATE INDEX ON web.hits (site, at);
CREATE INDEX ON web.hits (visitor_id);
