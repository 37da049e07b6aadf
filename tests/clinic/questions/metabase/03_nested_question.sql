-- A question over the answer of another one.
-- database: clinic, keys: 1
-- Metabase:: userID: 1 queryType: MBQL queryHash: 903e00fd
SELECT "source"."count" AS "count", COUNT(*) AS "count_2" FROM (SELECT "public"."visits"."person_id" AS "person_id", COUNT(*) AS "count" FROM "public"."visits" WHERE "public"."visits"."person_id" IS NOT NULL GROUP BY "public"."visits"."person_id" ORDER BY "public"."visits"."person_id" ASC) AS "source" GROUP BY "source"."count" ORDER BY "source"."count" ASC
