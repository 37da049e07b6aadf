-- A shop: its customers are persons; orders, order lines, products and events are open. Values are computed
-- from the numbers of rows, so that every run has the same.
CREATE SCHEMA shop;
CREATE TABLE shop.customers AS
  SELECT g AS id, 'Customer ' || g AS name, 'c' || g || '@mail.example' AS email,
         (ARRAY['DE', 'DE', 'FR', 'GB', 'US', 'US', 'IT', NULL])[1 + g * 7 % 8] AS country,
         'City ' || (g * g % 300) AS city, (ARRAY['f', 'm', 'f', 'm', 'd', NULL])[1 + g * 5 % 6] AS gender,
         1940 + (g::bigint * 7919 % 65)::integer AS birth_year, (ARRAY['free', 'free', 'pro', 'team'])[1 + g % 4] AS plan,
         timestamptz '2022-01-01 00:00:00+00' + (g % 900) * interval '1 day' AS signed_up,
         (g::bigint * 37 % 100000 / 100.0)::numeric(10, 2) AS balance
  FROM generate_series(1, :rows / 10) g;
CREATE TABLE shop.products AS
  SELECT g AS id, 'Product ' || g AS title, (ARRAY['Gadget', 'Doohickey', 'Widget', 'Gizmo'])[1 + g % 4] AS category,
         (5 + g * 13 % 95)::numeric(8, 2) AS price
  FROM generate_series(1, 200) g;
CREATE TABLE shop.orders AS
  SELECT g AS id, 1 + (g::bigint * 104729 % (:rows / 10))::integer AS customer_id, 1 + g % 200 AS product_id,
         (1 + g % 5) AS quantity, ((10 + g::bigint * 31 % 500) * 1.1)::numeric(10, 2) AS total,
         CASE g % 9 WHEN 0 THEN (g % 20)::numeric(10, 2) END AS discount,
         (ARRAY['paid', 'paid', 'shipped', 'returned', 'open'])[1 + g % 5] AS status,
         timestamptz '2023-01-01 00:00:00+00' + (g::bigint * 6151 % 1051200) * interval '1 minute' AS created_at
  FROM generate_series(1, :rows) g;
CREATE TABLE shop.events AS
  SELECT g AS id, 1 + (g::bigint * 7907 % (:rows / 10))::integer AS user_id,
         (ARRAY['view', 'view', 'cart', 'buy'])[1 + g % 4] AS name,
         timestamptz '2024-03-01 00:00:00+00' + (g % 40000) * interval '1 minute' AS at,
         jsonb_build_object('page', '/p/' || g % 50, 'ms', g % 900) AS properties
  FROM generate_series(1, :rows / 2) g;
CREATE INDEX ON shop.customers (id);
CREATE INDEX ON shop.orders (customer_id);
CREATE INDEX ON shop.events (user_id);
ANALYZE shop.customers, shop.products, shop.orders, shop.events;
