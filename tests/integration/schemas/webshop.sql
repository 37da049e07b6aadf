-- A web shop whose names are in mixed case, and which was never analyzed. Made up.
CREATE SCHEMA "Shop";
SET search_path = "Shop";
CREATE TABLE "Categories" ("CategoryId" integer PRIMARY KEY, "Title" text NOT NULL);
CREATE TABLE "Products" ("ProductId" integer PRIMARY KEY, "Title" text NOT NULL, "CategoryId" integer REFERENCES "Categories",
                         "Price" numeric(10,2), "Description" text);
CREATE TABLE "Customers" ("CustomerId" uuid PRIMARY KEY, "FirstName" text, "LastName" text, "EMail" text, "PhoneNumber" text,
                          "DateOfBirth" date, "Gender" text, "City" text, "PostalCode" varchar(10), "CountryCode" char(2),
                          "PasswordHash" text, "Newsletter" boolean, "CreatedAt" timestamptz);
CREATE TABLE "Orders" ("OrderId" integer PRIMARY KEY, "CustomerId" uuid NOT NULL, "OrderDate" timestamptz, "Status" text,
                       "PaymentMethod" text, "ShippingCity" text, "TotalAmount" numeric(10,2), "IPAddress" inet);
CREATE TABLE "OrderItems" ("OrderId" integer REFERENCES "Orders", "ProductId" integer REFERENCES "Products", "Quantity" integer,
                           PRIMARY KEY ("OrderId", "ProductId"));
CREATE TABLE "Reviews" ("ReviewId" integer PRIMARY KEY, "CustomerId" uuid REFERENCES "Customers",
                        "ProductId" integer REFERENCES "Products", "Stars" integer, "Text" text);
CREATE TABLE "Newsletter Subscribers" ("E-Mail" text PRIMARY KEY, "SubscribedAt" timestamptz);
CREATE TABLE "Kunden" ("KdNr" integer PRIMARY KEY, "Vorname" text, "Nachname" text, "Geburtsdatum" date, "Geschlecht" text,
                       "PLZ" text, "Wohnort" text, "Straße" text, "Telefon" text, "Beruf" text, "Familienstand" text,
                       "Kontostand" numeric, "Bemerkung" text);

INSERT INTO "Categories" SELECT i, 'Category ' || i FROM generate_series(1, 8) i;
INSERT INTO "Products" SELECT i, 'Product ' || i, 1 + i % 8, i, 'words about it' FROM generate_series(1, 150) i;
INSERT INTO "Customers"
  SELECT md5(i::text)::uuid, 'First' || i, 'Last' || i, 'c' || i || '@example.org', '+1 212 555 ' || 1000 + i,
         date '1945-01-01' + i * 11 % 22000, substr('mfx', 1 + i % 3, 1), 'City ' || i % 25, (10000 + i % 60)::text,
         (ARRAY['DE','US','FR'])[1 + i % 3], md5('x' || i), i % 2 = 0, now() FROM generate_series(1, 12000) i;
INSERT INTO "Orders"
  SELECT i, md5((1 + i % 4000)::text)::uuid, timestamptz '2024-01-01 00:00Z' + i * interval '1 hour',
         (ARRAY['new','paid','sent'])[1 + i % 3], (ARRAY['card','invoice'])[1 + i % 2], 'City ' || i % 25, 5 + i * 0.17,
         ('10.0.' || i % 250 || '.' || i % 200)::inet FROM generate_series(1, 9000) i;
INSERT INTO "OrderItems" SELECT i, 1 + i % 150, 1 FROM generate_series(1, 9000) i;
INSERT INTO "Reviews" SELECT i, md5((1 + i % 4000)::text)::uuid, 1 + i % 150, 1 + i % 5, 'nice thing no. ' || i
  FROM generate_series(1, 5000) i;
INSERT INTO "Newsletter Subscribers" SELECT 'n' || i || '@example.org', now() FROM generate_series(1, 500) i;
INSERT INTO "Kunden"
  SELECT i, 'Vorname' || i % 300, 'Nachname' || i % 400, date '1940-01-01' + i * 13 % 24000, substr('mw', 1 + i % 2, 1),
         (20000 + i * 3 % 9000)::text, 'Ort ' || i % 30, 'Weg ' || i, '040 ' || 100000 + i,
         (ARRAY['Bäcker','Lehrer','Koch'])[1 + i % 3], (ARRAY['ledig','verheiratet'])[1 + i % 2], i * 1.7, 'Satz Nr. ' || i
    FROM generate_series(1, 3000) i;
