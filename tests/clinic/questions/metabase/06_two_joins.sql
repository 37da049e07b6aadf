-- Orders with customers and nations joined.
-- database: tpch, keys: 1
-- Metabase:: userID: 1 queryType: MBQL queryHash: 5be01f9c
SELECT "Nation - C Nationkey"."n_name" AS "Nation - C Nationkey__n_name", COUNT(*) AS "count", AVG("public"."orders"."o_totalprice") AS "avg" FROM "public"."orders" LEFT JOIN "public"."customer" AS "Customer - O Custkey" ON "public"."orders"."o_custkey" = "Customer - O Custkey"."c_custkey" LEFT JOIN "public"."nation" AS "Nation - C Nationkey" ON "Customer - O Custkey"."c_nationkey" = "Nation - C Nationkey"."n_nationkey" GROUP BY "Nation - C Nationkey"."n_name" ORDER BY "Nation - C Nationkey"."n_name" ASC
