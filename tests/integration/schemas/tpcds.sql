-- Tables of TPC-DS that are about customers, and some dimensions around them, with made-up rows. The lists of
-- demographics have every combination of their values once, as the specification wants it.
CREATE SCHEMA tpcds;
SET search_path = tpcds;
CREATE TABLE income_band (ib_income_band_sk integer PRIMARY KEY, ib_lower_bound integer, ib_upper_bound integer);
CREATE TABLE customer_demographics (cd_demo_sk integer PRIMARY KEY, cd_gender char(1), cd_marital_status char(1),
                                    cd_education_status char(20), cd_purchase_estimate integer, cd_credit_rating char(10),
                                    cd_dep_count integer, cd_dep_employed_count integer, cd_dep_college_count integer);
CREATE TABLE household_demographics (hd_demo_sk integer PRIMARY KEY, hd_income_band_sk integer REFERENCES income_band,
                                     hd_buy_potential char(15), hd_dep_count integer, hd_vehicle_count integer);
CREATE TABLE customer_address (ca_address_sk integer PRIMARY KEY, ca_address_id char(16) NOT NULL, ca_street_number char(10),
                               ca_street_name varchar(60), ca_street_type char(15), ca_suite_number char(10), ca_city varchar(60),
                               ca_county varchar(30), ca_state char(2), ca_zip char(10), ca_country varchar(20),
                               ca_gmt_offset numeric(5,2), ca_location_type char(20));
CREATE TABLE date_dim (d_date_sk integer PRIMARY KEY, d_date_id char(16) NOT NULL, d_date date, d_year integer, d_moy integer,
                       d_dom integer, d_day_name char(9));
CREATE TABLE item (i_item_sk integer PRIMARY KEY, i_item_id char(16) NOT NULL, i_item_desc varchar(200),
                   i_current_price numeric(7,2), i_brand char(50), i_class char(50), i_category char(50), i_color char(20),
                   i_manager_id integer, i_product_name char(50));
CREATE TABLE store (s_store_sk integer PRIMARY KEY, s_store_id char(16) NOT NULL, s_store_name varchar(50), s_hours char(20),
                    s_manager varchar(40), s_market_manager varchar(40), s_street_name varchar(60), s_city varchar(60));
CREATE TABLE promotion (p_promo_sk integer PRIMARY KEY, p_promo_id char(16) NOT NULL, p_cost numeric(15,2),
                        p_promo_name char(50), p_channel_email char(1), p_channel_tv char(1), p_purpose char(15));
CREATE TABLE customer (c_customer_sk integer PRIMARY KEY, c_customer_id char(16) NOT NULL,
                       c_current_cdemo_sk integer REFERENCES customer_demographics,
                       c_current_hdemo_sk integer REFERENCES household_demographics,
                       c_current_addr_sk integer REFERENCES customer_address, c_first_shipto_date_sk integer REFERENCES date_dim,
                       c_first_sales_date_sk integer REFERENCES date_dim, c_salutation char(10), c_first_name char(20),
                       c_last_name char(30), c_preferred_cust_flag char(1), c_birth_day integer, c_birth_month integer,
                       c_birth_year integer, c_birth_country varchar(20), c_login char(13), c_email_address char(50),
                       c_last_review_date char(10));
CREATE TABLE store_sales (ss_sold_date_sk integer REFERENCES date_dim, ss_item_sk integer NOT NULL REFERENCES item,
                          ss_customer_sk integer REFERENCES customer, ss_cdemo_sk integer REFERENCES customer_demographics,
                          ss_hdemo_sk integer REFERENCES household_demographics,
                          ss_addr_sk integer REFERENCES customer_address, ss_store_sk integer REFERENCES store,
                          ss_promo_sk integer REFERENCES promotion, ss_ticket_number integer NOT NULL, ss_quantity integer,
                          ss_sales_price numeric(7,2), ss_net_paid numeric(7,2), PRIMARY KEY (ss_item_sk, ss_ticket_number));

INSERT INTO income_band SELECT i, i * 10000, i * 10000 + 9999 FROM generate_series(1, 20) i;
INSERT INTO customer_demographics
  SELECT row_number() OVER (), g, m, e, p, c, d, x, y
    FROM unnest('{M,F}'::text[]) g, unnest('{S,M,D,W,U}'::text[]) m, unnest('{Primary,College,Unknown}'::text[]) e,
         generate_series(500, 2500, 500) p, unnest('{Good,Low Risk,Unknown}'::text[]) c, generate_series(0, 3) d,
         generate_series(0, 1) x, generate_series(0, 1) y;
INSERT INTO household_demographics
  SELECT row_number() OVER (), i, b, d, v
    FROM generate_series(1, 20) i, unnest('{0-500,501-1000,>10000,Unknown}'::text[]) b, generate_series(0, 4) d,
         generate_series(0, 3) v;
INSERT INTO customer_address
  SELECT i, 'AAAA' || i, i % 999, 'Street ' || i % 400, 'Ave', 'Suite ' || i % 90, 'City ' || i % 60, 'County ' || i % 30,
         chr(65 + i % 20) || 'X', (10000 + i * 37 % 90000)::text, 'United States', -5, 'condo' FROM generate_series(1, 5000) i;
INSERT INTO date_dim
  SELECT i, 'D' || i, date '1998-01-01' + i, extract(year FROM date '1998-01-01' + i), extract(month FROM date '1998-01-01' + i),
         extract(day FROM date '1998-01-01' + i), 'Monday' FROM generate_series(1, 1500) i;
INSERT INTO item SELECT i, 'I' || i, 'a thing', i, 'brand ' || i % 9, 'class ' || i % 5, 'category ' || i % 7, 'red', i % 40,
                        'thing ' || i FROM generate_series(1, 300) i;
INSERT INTO store SELECT i, 'S' || i, 'store ' || i, '8AM-8PM', 'John Doe ' || i, 'Jane Roe ' || i, 'Main', 'City'
  FROM generate_series(1, 12) i;
INSERT INTO promotion SELECT i, 'P' || i, 1000, 'promo ' || i, 'N', 'Y', 'Unknown' FROM generate_series(1, 30) i;
INSERT INTO customer
  SELECT i, 'CCCC' || i, 1 + i * 31 % 7200, 1 + i * 17 % 1600, 1 + i % 5000, 1 + i % 1400, 1 + i % 1300,
         CASE i % 3 WHEN 0 THEN 'Mr.' WHEN 1 THEN 'Ms.' ELSE 'Dr.' END, 'First' || i % 500, 'Last' || i % 900,
         substr('YN', 1 + i % 2, 1), 1 + i % 28, 1 + i % 12, 1940 + i % 50, 'COUNTRY ' || i % 40, 'login' || i,
         'c' || i || '@example.org', (2450000 + i % 300)::text FROM generate_series(1, 8000) i;
INSERT INTO store_sales
  SELECT 1 + i % 1500, 1 + i % 300, 1 + i * 13 % 8000, 1 + i * 31 % 7200, 1 + i * 17 % 1600, 1 + i * 13 % 5000, 1 + i % 12,
         1 + i % 30, i, 1 + i % 99, 10 + i % 90, 100 + i * 0.37 FROM generate_series(1, 30000) i;
ANALYZE;
