-- A count by month, from the query builder.
-- database: flat, keys: 1
-- Metabase:: userID: 1 queryType: MBQL queryHash: 8f7d1c0e
SELECT CAST(DATE_TRUNC('month', "pgveil"."visit_facts"."day") AS date) AS "day", COUNT(*) AS "count" FROM "pgveil"."visit_facts" GROUP BY CAST(DATE_TRUNC('month', "pgveil"."visit_facts"."day") AS date) ORDER BY CAST(DATE_TRUNC('month', "pgveil"."visit_facts"."day") AS date) ASC
