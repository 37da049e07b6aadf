-- The eight tables of TPC-H, as its specification describes them, with made-up rows.
CREATE SCHEMA tpch;
SET search_path = tpch;
CREATE TABLE region (r_regionkey integer PRIMARY KEY, r_name char(25), r_comment varchar(152));
CREATE TABLE nation (n_nationkey integer PRIMARY KEY, n_name char(25), n_regionkey integer REFERENCES region,
                     n_comment varchar(152));
CREATE TABLE part (p_partkey integer PRIMARY KEY, p_name varchar(55), p_mfgr char(25), p_brand char(10),
                   p_type varchar(25), p_size integer, p_container char(10), p_retailprice numeric(15,2),
                   p_comment varchar(23));
CREATE TABLE supplier (s_suppkey integer PRIMARY KEY, s_name char(25), s_address varchar(40),
                       s_nationkey integer REFERENCES nation, s_phone char(15), s_acctbal numeric(15,2),
                       s_comment varchar(101));
CREATE TABLE partsupp (ps_partkey integer REFERENCES part, ps_suppkey integer REFERENCES supplier, ps_availqty integer,
                       ps_supplycost numeric(15,2), ps_comment varchar(199), PRIMARY KEY (ps_partkey, ps_suppkey));
CREATE TABLE customer (c_custkey integer PRIMARY KEY, c_name varchar(25), c_address varchar(40),
                       c_nationkey integer REFERENCES nation, c_phone char(15), c_acctbal numeric(15,2),
                       c_mktsegment char(10), c_comment varchar(117));
CREATE TABLE orders (o_orderkey integer PRIMARY KEY, o_custkey integer REFERENCES customer, o_orderstatus char(1),
                     o_totalprice numeric(15,2), o_orderdate date, o_orderpriority char(15), o_clerk char(15),
                     o_shippriority integer, o_comment varchar(79));
CREATE TABLE lineitem (l_orderkey integer REFERENCES orders, l_partkey integer, l_suppkey integer, l_linenumber integer,
                       l_quantity numeric(15,2), l_extendedprice numeric(15,2), l_discount numeric(15,2),
                       l_tax numeric(15,2), l_returnflag char(1), l_linestatus char(1), l_shipdate date,
                       l_commitdate date, l_receiptdate date, l_shipinstruct char(25), l_shipmode char(10),
                       l_comment varchar(44), PRIMARY KEY (l_orderkey, l_linenumber),
                       FOREIGN KEY (l_partkey, l_suppkey) REFERENCES partsupp);

INSERT INTO region SELECT i, 'Region ' || i, 'some words about it' FROM generate_series(0, 4) i;
INSERT INTO nation SELECT i, 'Nation ' || i, i % 5, 'some words about it' FROM generate_series(0, 24) i;
INSERT INTO part SELECT i, 'part ' || i, 'Maker ' || i % 5, 'Brand ' || i % 25, 'Type ' || i % 50, i % 50, 'Box ' || i % 9,
                        900 + i, 'words ' || i FROM generate_series(1, 200) i;
INSERT INTO supplier SELECT i, 'Supplier ' || i, 'Street ' || i, i % 25,
                            format('%s-%s-%s-%s', 10 + i % 25, 100 + i, 200 + i, 1000 + i), i * 3.5, 'words ' || i
  FROM generate_series(1, 100) i;
INSERT INTO partsupp SELECT p, 1 + (p + s) % 100, p * 7 % 1000, p * 1.5, repeat('words ', 12) || p
  FROM generate_series(1, 200) p, generate_series(1, 4) s;
INSERT INTO customer SELECT i, 'Customer#' || i, 'Street ' || i, i % 25,
                            format('%s-%s-%s-%s', 10 + i % 25, 100 + i % 900, 200 + i % 700, 1000 + i), i * 1.07,
                            'SEGMENT' || i % 5, 'words that differ ' || i FROM generate_series(1, 3000) i;
INSERT INTO orders SELECT i, 1 + i * 7 % 2000, substr('FOP', 1 + i % 3, 1), 1000 + i * 1.13, date '1992-01-01' + i * 17 % 2400,
                          i % 5 || '-PRIORITY', 'Clerk#' || i % 100, 0, 'words that differ ' || i
  FROM generate_series(1, 20000) i;
INSERT INTO lineitem (l_orderkey, l_partkey, l_suppkey, l_linenumber)
  SELECT i, p.ps_partkey, p.ps_suppkey, 1
    FROM generate_series(1, 500) i
    JOIN (SELECT *, row_number() OVER () AS n FROM partsupp) p ON p.n = 1 + i % 800;
ANALYZE;
