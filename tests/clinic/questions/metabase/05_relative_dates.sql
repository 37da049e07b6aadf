-- Two quarters of a year, with a filter on text.
-- database: flat, keys: 2
-- Metabase:: userID: 1 queryType: MBQL queryHash: 77c0b6e1
SELECT "pgveil"."visit_facts"."region" AS "region", "pgveil"."visit_facts"."quarter" AS "quarter", COUNT(*) AS "count", SUM(CASE WHEN "pgveil"."visit_facts"."fee" > 50 THEN 1 ELSE 0.0 END) AS "dear" FROM "pgveil"."visit_facts" WHERE (LOWER("pgveil"."visit_facts"."quarter") LIKE '2024-q%') AND ("pgveil"."visit_facts"."kind" <> 'pharmacy' OR "pgveil"."visit_facts"."kind" IS NULL) GROUP BY "pgveil"."visit_facts"."region", "pgveil"."visit_facts"."quarter" ORDER BY "pgveil"."visit_facts"."region" ASC, "pgveil"."visit_facts"."quarter" ASC
