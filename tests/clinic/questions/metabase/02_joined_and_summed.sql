-- Visits with the persons joined, summed up by city.
-- database: clinic, keys: 1
-- Metabase:: userID: 1 queryType: MBQL queryHash: 11aa32bd
SELECT "Persons"."city" AS "Persons__city", SUM("public"."visits"."fee") AS "sum" FROM "public"."visits" LEFT JOIN "public"."persons" AS "Persons" ON "public"."visits"."person_id" = "Persons"."id" GROUP BY "Persons"."city" ORDER BY "sum" DESC, "Persons"."city" ASC
