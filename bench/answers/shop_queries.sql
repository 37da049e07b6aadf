-- What business-intelligence tools and analysts send, in the manner of each tool.

-- Metabase
SELECT count(*) AS "count" FROM "shop"."customers";

SELECT DATE_TRUNC('month', "shop"."customers"."signed_up") AS "signed_up", "shop"."customers"."plan" AS "plan", COUNT(*) AS "count" FROM "shop"."customers" GROUP BY DATE_TRUNC('month', "shop"."customers"."signed_up"), "shop"."customers"."plan" ORDER BY DATE_TRUNC('month', "shop"."customers"."signed_up") ASC, "shop"."customers"."plan" ASC;

SELECT "source"."country" AS "country", SUM("source"."total") AS "sum" FROM (SELECT "shop"."orders"."total" AS "total", "Customers"."country" AS "country" FROM "shop"."orders" LEFT JOIN "shop"."customers" AS "Customers" ON "shop"."orders"."customer_id" = "Customers"."id") AS "source" GROUP BY "source"."country" ORDER BY "sum" DESC, "source"."country" ASC LIMIT 2000;

SELECT FLOOR((("shop"."customers"."birth_year" - 1940.0) / 10.0)) * 10.0 + 1940.0 AS "birth_year", COUNT(*) AS "count" FROM "shop"."customers" GROUP BY FLOOR((("shop"."customers"."birth_year" - 1940.0) / 10.0)) * 10.0 + 1940.0 ORDER BY FLOOR((("shop"."customers"."birth_year" - 1940.0) / 10.0)) * 10.0 + 1940.0 ASC;

SELECT SUBSTRING("shop"."customers"."city" FROM 1 FOR 1234) AS "city", "shop"."customers"."id" AS "id" FROM "shop"."customers" ORDER BY "shop"."customers"."id" ASC LIMIT 10000;

SELECT COUNT(DISTINCT "shop"."customers"."country") AS "count", COUNT(DISTINCT "shop"."customers"."city") AS "count_2", AVG(LENGTH("shop"."customers"."city")) AS "avg" FROM "shop"."customers";

SELECT "shop"."customers"."country" AS "country" FROM "shop"."customers" WHERE LOWER("shop"."customers"."city") LIKE '%city 1%' GROUP BY "shop"."customers"."country" ORDER BY "shop"."customers"."country" ASC LIMIT 1000;

SELECT CAST("shop"."orders"."created_at" AS date) AS "created_at", SUM(CASE WHEN "shop"."orders"."status" = 'paid' THEN 1 ELSE 0.0 END) / COUNT(*) AS "share" FROM "shop"."orders" WHERE "shop"."orders"."created_at" >= timestamp with time zone '2024-01-01 00:00:00.000Z' AND "shop"."orders"."created_at" < timestamp with time zone '2024-02-01 00:00:00.000Z' GROUP BY CAST("shop"."orders"."created_at" AS date) ORDER BY CAST("shop"."orders"."created_at" AS date) ASC;

SELECT "shop"."customers"."gender" AS "gender", PERCENTILE_CONT(0.9) WITHIN GROUP (ORDER BY "shop"."customers"."balance") AS "percentile" FROM "shop"."customers" GROUP BY "shop"."customers"."gender" ORDER BY "shop"."customers"."gender" ASC;

SELECT "source"."created_at", SUM("source"."count") OVER (ORDER BY "source"."created_at" ASC ROWS UNBOUNDED PRECEDING) AS "sum" FROM (SELECT DATE_TRUNC('quarter', "shop"."orders"."created_at") AS "created_at", COUNT(*) AS "count" FROM "shop"."orders" GROUP BY 1) AS "source" ORDER BY 1;

-- Looker
SELECT TO_CHAR(DATE_TRUNC('month', customers.signed_up), 'YYYY-MM') AS "customers.signed_up_month", COUNT(*) AS "customers.count" FROM shop.customers AS customers WHERE (customers.country IN ('DE', 'FR')) GROUP BY DATE_TRUNC('month', customers.signed_up) ORDER BY 1 DESC LIMIT 500;

SELECT customers.country AS "customers.country", COALESCE(COALESCE(CAST((SUM(DISTINCT (CAST(FLOOR(COALESCE(customers.balance, 0) * 1000000) AS DECIMAL(65, 0))) + ('x' || MD5(customers.id::varchar))::bit(64)::bigint::DECIMAL(65) * 18446744073709551616 + ('x' || SUBSTR(MD5(customers.id::varchar), 17))::bit(64)::bigint::DECIMAL(65)) - SUM(DISTINCT ('x' || MD5(customers.id::varchar))::bit(64)::bigint::DECIMAL(65) * 18446744073709551616 + ('x' || SUBSTR(MD5(customers.id::varchar), 17))::bit(64)::bigint::DECIMAL(65))) AS DOUBLE PRECISION) / CAST(1000000 AS DOUBLE PRECISION), 0), 0) AS "customers.total_balance" FROM shop.orders AS orders LEFT JOIN shop.customers AS customers ON orders.customer_id = customers.id GROUP BY 1 ORDER BY 1 NULLS FIRST LIMIT 500;

SELECT CASE WHEN customers.birth_year < 1960 THEN '0' WHEN customers.birth_year >= 1960 AND customers.birth_year < 1980 THEN '1' WHEN customers.birth_year >= 1980 THEN '2' ELSE '3' END AS "customers.age_tier__sort_", CASE WHEN customers.birth_year < 1960 THEN 'T00 Below 1960' WHEN customers.birth_year >= 1960 AND customers.birth_year < 1980 THEN 'T01 [1960,1980)' WHEN customers.birth_year >= 1980 THEN 'T02 1980 or Above' ELSE 'TXX Undefined' END AS "customers.age_tier", COUNT(DISTINCT customers.id) AS "customers.count" FROM shop.customers AS customers GROUP BY 1, 2 ORDER BY 1 LIMIT 500;

SELECT * FROM (SELECT *, DENSE_RANK() OVER (ORDER BY z___min_rank) as z___pivot_row_rank, RANK() OVER (PARTITION BY z__pivot_col_rank ORDER BY z___min_rank) as z__pivot_col_ordering FROM (SELECT *, MIN(z___rank) OVER (PARTITION BY "country") as z___min_rank FROM (SELECT *, RANK() OVER (ORDER BY "n" DESC, z__pivot_col_rank, "country") AS z___rank FROM (SELECT *, DENSE_RANK() OVER (ORDER BY CASE WHEN "plan" IS NULL THEN 1 ELSE 0 END, "plan") AS z__pivot_col_rank FROM (SELECT customers.country, customers.plan, COUNT(*) AS n FROM shop.customers GROUP BY 1, 2) ww) bb WHERE z__pivot_col_rank <= 16384) aa) xx) zz WHERE z___pivot_row_rank <= 500 ORDER BY z___pivot_row_rank, z__pivot_col_rank;

SELECT (DATE(orders.created_at AT TIME ZONE 'UTC' AT TIME ZONE 'America/New_York')) AS "orders.created_date", COUNT(DISTINCT orders.customer_id) AS "buyers" FROM shop.orders WHERE ((orders.created_at) >= ((DATE_TRUNC('day', TIMESTAMP '2024-03-01') AT TIME ZONE 'America/New_York' AT TIME ZONE 'UTC')) AND (orders.created_at) < ((DATE_TRUNC('day', TIMESTAMP '2024-03-15') AT TIME ZONE 'America/New_York' AT TIME ZONE 'UTC'))) GROUP BY 1 ORDER BY 1 DESC FETCH NEXT 500 ROWS ONLY;

WITH facts AS (SELECT customer_id, MIN(created_at) AS first_order, COUNT(*) AS orders FROM shop.orders GROUP BY 1) SELECT customers.plan AS "customers.plan", AVG(facts.orders) AS "facts.average_orders", COUNT(CASE WHEN (facts.orders > 9) THEN 1 ELSE NULL END) AS "facts.loyal" FROM shop.customers LEFT JOIN facts ON customers.id = facts.customer_id GROUP BY 1 ORDER BY 1 NULLS LAST LIMIT 500;

-- Tableau
SELECT "customers"."country" AS "country", SUM(1) AS "cnt", SUM(CAST("customers"."balance" AS DOUBLE PRECISION)) AS "sum:balance:ok" FROM "shop"."customers" "customers" GROUP BY 1;

SELECT COUNT(1) AS "COL" FROM "shop"."customers" "customers" HAVING (COUNT(1) > 0);

SELECT "t0"."country" AS "country", (CASE WHEN ("t0"."n" > 100) THEN "t0"."country" ELSE 'Other' END) AS "group" FROM (SELECT "customers"."country" AS "country", COUNT(DISTINCT "customers"."city") AS "n" FROM "shop"."customers" "customers" GROUP BY 1) "t0" ORDER BY 1 NULLS FIRST;

SELECT "customers"."gender" AS "gender", DATE_TRUNC('YEAR', CAST("customers"."signed_up" AS TIMESTAMP)) AS "tyr:signed_up:ok", AVG(CAST("customers"."birth_year" AS DOUBLE PRECISION)) AS "avg" FROM "shop"."customers" "customers" INNER JOIN (SELECT "customers"."country" AS "country", SUM("customers"."balance") AS "$__alias__0" FROM "shop"."customers" "customers" GROUP BY 1 ORDER BY 2 DESC NULLS LAST, 1 LIMIT 3) "t0" ON ((("customers"."country" = "t0"."country") OR (("customers"."country" IS NULL) AND ("t0"."country" IS NULL)))) GROUP BY 1, 2;

SELECT * FROM (SELECT "customers"."id" AS "id", "customers"."country" AS "country", "customers"."plan" AS "plan" FROM "shop"."customers" "customers" WHERE ("customers"."plan" = 'pro')) "TableauSQL" WHERE (("id" >= 10) AND ("id" < 500));

SELECT (CASE WHEN (CASE WHEN "customers"."gender" = 'f' THEN 1 WHEN NOT ("customers"."gender" = 'f') THEN 0 ELSE NULL END) = 1 THEN 'x' ELSE 'y' END) AS "calc", COUNT(DISTINCT "customers"."id") AS "ctd" FROM "shop"."customers" "customers" GROUP BY 1;

-- Power BI
select "_"."country" as "c1", sum("_"."balance") as "a0", count(*) as "a1" from (select "country", "balance" from "shop"."customers" "$Table") "_" group by "_"."country" limit 1000001;

select "rows"."plan" as "plan", "rows"."status" as "status", sum("rows"."total") as "a0" from (select "$Outer"."total", "$Outer"."status", "$Inner"."plan" from "shop"."orders" as "$Outer" left outer join "shop"."customers" as "$Inner" on ("$Outer"."customer_id" = "$Inner"."id")) "rows" group by "plan", "status" limit 1000001;

select "$Table"."id" as "id", "$Table"."name" as "name", "$Table"."country" as "country", "$Table"."birth_year" as "birth_year" from "shop"."customers" "$Table" order by "$Table"."id" limit 1000;

select "_"."country", "_"."city" from (select "country", "city" from "shop"."customers" where "country" = 'DE' and "country" is not null) "_" where (("_"."city" like '%1%') or ("_"."city" is null)) order by "_"."country", "_"."city" limit 501;

select count(distinct("_"."country")) + max(case when "_"."country" is null then 1 else 0 end) as "a0" from "shop"."customers" "_";

-- Grafana
SELECT floor(extract(epoch from at) / 3600) * 3600 AS "time", name AS metric, count(*) AS value FROM shop.events WHERE at BETWEEN '2024-03-02T00:00:00Z' AND '2024-03-04T00:00:00Z' GROUP BY 1, 2 ORDER BY 1, 2;

SELECT e.at AS "time", percentile_disc(0.95) WITHIN GROUP (ORDER BY (e.properties->>'ms')::numeric) AS p95 FROM shop.events e JOIN shop.customers c ON c.id = e.user_id WHERE extract(epoch from e.at) >= 1709251200 AND c.country = 'US' GROUP BY 1 ORDER BY 1 LIMIT 200;

SELECT to_timestamp(floor(extract(epoch from created_at) / 86400) * 86400) AS "time", sum(total) FROM shop.orders WHERE created_at > '2024-06-01' GROUP BY 1 ORDER BY 1;

SELECT DISTINCT country AS __text, country AS __value FROM shop.customers WHERE country IS NOT NULL ORDER BY 1;

-- Redash
SELECT country, plan, count(*) FROM shop.customers GROUP BY CUBE (country, plan) ORDER BY 1 NULLS FIRST, 2 NULLS FIRST;

SELECT c.country AS "country::filter", count(*) AS "orders" FROM shop.orders o JOIN shop.customers c ON c.id = o.customer_id WHERE o.created_at::date BETWEEN '2024-01-01' AND '2024-03-31' GROUP BY 1 ORDER BY 2 DESC, 1;

SELECT date_trunc('week', signed_up)::date AS week, count(*) FILTER (WHERE gender = 'f') AS f, count(*) FILTER (WHERE gender = 'm') AS m, count(*) FILTER (WHERE gender IS NULL) AS unknown FROM shop.customers GROUP BY 1 ORDER BY 1;

-- Mode
WITH cohorts AS (SELECT id, date_trunc('month', signed_up) AS cohort, country FROM shop.customers), activity AS (SELECT DISTINCT user_id, date_trunc('month', at) AS month FROM shop.events) SELECT cohort, country, month, count(*) AS users FROM cohorts JOIN activity ON user_id = id GROUP BY 1, 2, 3 ORDER BY 1, 2 NULLS FIRST, 3;

WITH steps AS (SELECT user_id, max((name = 'view')::int) AS viewed, max((name = 'cart')::int) AS carted, max((name = 'buy')::int) AS bought FROM shop.events GROUP BY 1) SELECT c.gender, sum(viewed) AS viewed, sum(carted) AS carted, sum(bought) AS bought, round(100.0 * sum(bought) / nullif(sum(viewed), 0), 2) AS rate FROM steps s JOIN shop.customers c ON c.id = s.user_id GROUP BY 1 ORDER BY 1;

SELECT country, gender, balance FROM (SELECT country, gender, balance, row_number() OVER (PARTITION BY country, gender ORDER BY balance DESC, id) AS n FROM shop.customers) s WHERE n <= 3 ORDER BY country NULLS FIRST, gender NULLS FIRST, n;

SELECT customer_id, created_at, created_at - lag(created_at) OVER (PARTITION BY customer_id ORDER BY created_at, id) AS gap FROM shop.orders WHERE customer_id < 50 ORDER BY customer_id, created_at, id;

SELECT width_bucket(balance, 0, 1000, 10) AS bucket, min(balance), max(balance), count(*), mode() WITHIN GROUP (ORDER BY plan) FROM shop.customers GROUP BY 1 ORDER BY 1;

SELECT regr_slope(balance, birth_year)::numeric(12, 6), corr(balance, birth_year)::numeric(12, 6) FROM shop.customers;

-- dbt
with validation_errors as (select id from shop.customers group by id having count(*) > 1) select count(*) as failures, count(*) != 0 as should_warn, count(*) != 0 as should_error from validation_errors;

select count(*) as failures from (select plan from shop.customers where plan not in ('free', 'pro', 'team')) dbt_internal_test;

with child as (select customer_id as from_field from shop.orders where customer_id is not null), parent as (select id as to_field from shop.customers) select count(*) from child left join parent on child.from_field = parent.to_field where parent.to_field is null;

with renamed as (select id as customer_id, upper(country) as country, coalesce(plan, 'unknown') as plan, case when birth_year < 1970 then 'older' else 'younger' end as age_group, source.signed_up from shop.customers source), final as (select country, plan, age_group, count(*) as customers from renamed group by 1, 2, 3) select * from final order by 1, 2, 3;

select max(created_at) as max_loaded_at, timestamptz '2025-01-01 00:00:00+00' as snapshotted_at from shop.orders;

select md5(cast(coalesce(cast(country as text), '_dbt_utils_surrogate_key_null_') || '-' || coalesce(cast(plan as text), '_dbt_utils_surrogate_key_null_') as text)) as key, count(*) from shop.customers group by 1 order by 1;

-- pandas
SELECT c.id, c.country, c.gender, c.birth_year, o.n, o.spent FROM shop.customers c LEFT JOIN (SELECT customer_id, count(*) AS n, sum(total) AS spent FROM shop.orders GROUP BY customer_id) o ON o.customer_id = c.id ORDER BY c.id;

SELECT country, city, array_agg(DISTINCT plan ORDER BY plan) AS plans, string_agg(DISTINCT gender, ',' ORDER BY gender) AS genders FROM shop.customers GROUP BY country, city ORDER BY country NULLS FIRST, city NULLS FIRST;

SELECT json_agg(row_to_json(s) ORDER BY s.country) FROM (SELECT country, count(*) AS n FROM shop.customers GROUP BY country) s;

SELECT stddev_samp(balance)::numeric(14, 4), var_pop(balance)::numeric(14, 4), avg(birth_year) FROM shop.customers WHERE gender = 'f';

SELECT * FROM shop.customers WHERE id % 97 = 3 ORDER BY id;

SELECT p.category, c.country, sum(o.quantity) AS n FROM shop.orders o JOIN shop.products p ON p.id = o.product_id JOIN shop.customers c ON c.id = o.customer_id GROUP BY GROUPING SETS ((p.category, c.country), (p.category), ()) ORDER BY p.category NULLS LAST, c.country NULLS LAST, n;

-- Superset
SELECT country AS country, SUM(balance) AS "SUM(balance)" FROM shop.customers GROUP BY country ORDER BY "SUM(balance)" DESC LIMIT 10000 OFFSET 0;

SELECT DATE_TRUNC('day', signed_up) AS __timestamp, plan AS plan, COUNT(*) AS count FROM shop.customers JOIN (SELECT plan AS plan__, COUNT(*) AS mme_inner__ FROM shop.customers WHERE signed_up >= TO_TIMESTAMP('2023-01-01 00:00:00.000000', 'YYYY-MM-DD HH24:MI:SS.US') GROUP BY plan ORDER BY mme_inner__ DESC LIMIT 100) AS series_limit ON plan = plan__ WHERE signed_up >= TO_TIMESTAMP('2023-01-01 00:00:00.000000', 'YYYY-MM-DD HH24:MI:SS.US') GROUP BY plan, DATE_TRUNC('day', signed_up) ORDER BY count DESC LIMIT 10000;

SELECT plan AS plan FROM shop.customers GROUP BY plan LIMIT 1000;

SELECT COUNT(*) AS rowcount FROM (SELECT country AS country, city AS city FROM shop.customers WHERE country ILIKE '%D%' LIMIT 1000) AS rowcount_qry;

SELECT * FROM (WITH base AS (SELECT * FROM shop.customers) SELECT gender, plan, count(*) AS n FROM base GROUP BY 1, 2) AS virtual_table WHERE n > 10 ORDER BY n DESC, gender, plan LIMIT 1001;

SELECT CASE WHEN gender IN ('f', 'm') THEN gender ELSE 'other' END AS g, CAST(SUM(CASE WHEN plan = 'free' THEN 1 ELSE 0 END) AS FLOAT) / COUNT(*) AS share FROM shop.customers GROUP BY CASE WHEN gender IN ('f', 'm') THEN gender ELSE 'other' END ORDER BY share DESC LIMIT 100;
