-- Persons by years of birth in bins of ten.
-- database: clinic, keys: 1
-- Metabase:: userID: 1 queryType: MBQL queryHash: 4d11e2a0
SELECT FLOOR((("public"."persons"."birth_year" - 1920.0) / 10.0)) * 10.0 + 1920.0 AS "birth_year", COUNT(*) AS "count" FROM "public"."persons" GROUP BY FLOOR((("public"."persons"."birth_year" - 1920.0) / 10.0)) * 10.0 + 1920.0 ORDER BY FLOOR((("public"."persons"."birth_year" - 1920.0) / 10.0)) * 10.0 + 1920.0 ASC
