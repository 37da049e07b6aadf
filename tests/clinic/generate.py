#!/usr/bin/python3
"""generate.py clinic|tpch [--persons=N] [--seed=N] [--key=int8|uuid] | psql …: prints the SQL that makes a
database of persons and what happened to them. All rows are drawn by PostgreSQL itself, from hashes of their
numbers, so the same seed always gives the same rows.

clinic: persons, and what they have: visits, stays, prescriptions, and diagnoses of visits; and places, which
hold no persons. A person has 0 to 50 rows in a table, most have few. There are about ten rows per person.

tpch: the tables of TPC-H, with the columns that questions use. A person is a customer.

Columns such as visits.month are empty: the levels of a policy are shown in them."""
import argparse

# u: evenly between 0 and 1. pick: the first values are most frequent if skew is above 1. long_tail: the
# number is at least n with probability weight / n. scattered: different numbers for different ones, in
# another order.
DRAW = """
CREATE FUNCTION pg_temp.u(salt integer, i bigint) RETURNS double precision LANGUAGE sql IMMUTABLE AS
$$ SELECT (hashint8extended(i, {seed}::bigint * 1000 + salt) & 4503599627370495)::double precision / 4503599627370496 $$;
CREATE FUNCTION pg_temp.pick(list text[], salt integer, i bigint, skew double precision) RETURNS text
LANGUAGE sql IMMUTABLE AS
$$ SELECT list[1 + floor(power(pg_temp.u(salt, i), skew) * array_length(list, 1))::integer] $$;
CREATE FUNCTION pg_temp.long_tail(weight double precision, most integer, salt integer, i bigint) RETURNS integer
LANGUAGE sql IMMUTABLE AS
$$ SELECT least(most, floor(weight / greatest(pg_temp.u(salt, i), 0.000001)))::integer $$;
CREATE FUNCTION pg_temp.scattered(i bigint) RETURNS bigint LANGUAGE sql IMMUTABLE AS
$$ SELECT (i * 2654435761) & 2147483647 $$;
"""

CLINIC = """
CREATE TABLE public.persons (id {key} PRIMARY KEY, sex text, city text, birth_year integer, occupation text,
  insurer text, birth_decade text, birth_20 text);
CREATE TABLE public.places (id integer PRIMARY KEY, name text NOT NULL, kind text NOT NULL, region text NOT NULL);
CREATE TABLE public.stays (id bigint PRIMARY KEY, person_id {key} REFERENCES public.persons,
  place_id integer NOT NULL REFERENCES public.places, ward text, admitted date, discharged date, nights integer,
  month text, quarter text, year text);
CREATE TABLE public.visits (id bigint PRIMARY KEY, person_id {key} REFERENCES public.persons,
  place_id integer NOT NULL REFERENCES public.places, day date, fee numeric(8,2), month text, quarter text,
  year text);
CREATE TABLE public.diagnoses (id bigint PRIMARY KEY, visit_id bigint NOT NULL REFERENCES public.visits, icd text,
  is_main boolean NOT NULL);
CREATE TABLE public.prescriptions (id bigint PRIMARY KEY, person_id {key} REFERENCES public.persons, day date,
  drug text, amount numeric(8,2), month text, quarter text, year text);

INSERT INTO public.places
SELECT i, (ARRAY['Ward','Practice','Laboratory','Pharmacy'])[1 + i % 4] || ' ' || i,
       (ARRAY['ward','practice','laboratory','pharmacy'])[1 + i % 4],
       (ARRAY['coast','north','east','hills','west','south'])[1 + (i - 1) / 10]
  FROM generate_series(1, 60) i;

-- What is drawn of each person: the key, the number of the city, and how many rows each table gets.
CREATE TEMP TABLE drawn AS
SELECT i, {key_of_i} AS id, floor(24 * power(pg_temp.u(2, i), 2.5))::integer AS city,
       CASE WHEN pg_temp.u(8, i) < 0.01 THEN 0 ELSE pg_temp.long_tail(1, 50, 9, i) END AS visits,
       pg_temp.long_tail(0.25, 6, 10, i) AS stays, pg_temp.long_tail(0.6, 50, 11, i) AS prescriptions
  FROM generate_series(1, {persons}::bigint) i;

INSERT INTO public.persons (id, sex, city, birth_year, occupation, insurer)
SELECT id, CASE WHEN pg_temp.u(1, i) < 0.004 THEN NULL WHEN pg_temp.u(1, i) < 0.51 THEN 'f' ELSE 'm' END,
       CASE WHEN pg_temp.u(3, i) >= 0.01 THEN (ARRAY['Kiel','Ulm','Husum','Celle','Jena','Trier','Lemgo','Siegen',
         'Passau','Coburg','Emden','Goslar','Hof','Lindau','Minden','Neuss','Plauen','Riesa','Soest','Torgau',
         'Uelzen','Varel','Wismar','Zittau'])[1 + city] END,
       CASE WHEN pg_temp.u(4, i) >= 0.005
         THEN 1925 + floor(50 * (pg_temp.u(5, i) + pg_temp.u(6, i)))::integer END,
       CASE WHEN pg_temp.u(7, i) >= 0.1 THEN pg_temp.pick(ARRAY['clerk','nurse','teacher','driver','cook','farmer',
         'engineer','carpenter','salesman','mason','lawyer','baker','painter','tailor','gardener','musician',
         'fisher','judge','pilot','acrobat'], 12, i, 2) END,
       CASE WHEN pg_temp.u(13, i) >= 0.03 THEN pg_temp.pick(ARRAY['AOK','TK','Barmer','DAK','IKK','Knappschaft',
         'SBK','HEK'], 14, i, 1.8) END
  FROM drawn;

-- Four of five visits are in places near the person's city, and there are more in winter.
INSERT INTO public.visits (id, person_id, place_id, day, fee)
SELECT pg_temp.scattered(n), CASE WHEN pg_temp.u(20, n) >= 0.001 THEN id END,
       CASE WHEN pg_temp.u(21, n) < 0.8 THEN 1 + (city * 60 / 24 + floor(3 * pg_temp.u(22, n))::integer) % 60
            ELSE 1 + floor(60 * pg_temp.u(22, n))::integer END,
       CASE WHEN pg_temp.u(23, n) >= 0.002
         THEN date '2023-01-01' + floor(365 * (floor(2 * pg_temp.u(24, n))
           + 0.5 + asin(2 * pg_temp.u(25, n) - 1) / pi()))::integer END,
       CASE WHEN pg_temp.u(26, n) >= 0.02 THEN round((15 + 120 * power(pg_temp.u(27, n), 4))::numeric, 2) END
  FROM drawn, generate_series(1, visits) j, LATERAL (SELECT i * 64 + j AS n) numbered;

INSERT INTO public.stays (id, person_id, place_id, ward, admitted, discharged, nights)
SELECT pg_temp.scattered(n), CASE WHEN pg_temp.u(30, n) >= 0.001 THEN id END,
       1 + (city * 60 / 24 + floor(4 * pg_temp.u(31, n))::integer) % 60,
       CASE WHEN pg_temp.u(32, n) >= 0.02 THEN pg_temp.pick(ARRAY['medicine','surgery','geriatrics','births',
         'neurology','eyes','skin'], 33, n, 1.5) END,
       first, first + nights, nights
  FROM drawn, generate_series(1, stays) j, LATERAL (SELECT i * 64 + j AS n) numbered,
       LATERAL (SELECT date '2023-01-01' + floor(730 * pg_temp.u(34, n))::integer AS first,
                       1 + floor(20 * power(pg_temp.u(35, n), 3))::integer AS nights) it;

INSERT INTO public.diagnoses (id, visit_id, icd, is_main)
SELECT v.id * 2 + j, v.id,
       CASE WHEN pg_temp.u(40, n) >= 0.01
         THEN chr(65 + floor(20 * power(pg_temp.u(41, n), 2))::integer) ||
              lpad(floor(40 * power(pg_temp.u(42, n), 2))::text, 2, '0') END,
       j = 1
  FROM public.visits v, generate_series(1, CASE WHEN pg_temp.u(43, v.id) < 0.5 THEN 0
    WHEN pg_temp.u(43, v.id) < 0.9 THEN 1 ELSE 2 END) j, LATERAL (SELECT v.id * 4 + j AS n) numbered;

INSERT INTO public.prescriptions (id, person_id, day, drug, amount)
SELECT pg_temp.scattered(n), CASE WHEN pg_temp.u(50, n) >= 0.001 THEN id END,
       date '2023-01-01' + floor(730 * pg_temp.u(51, n))::integer,
       CASE WHEN pg_temp.u(52, n) >= 0.01 THEN 'drug ' || 1 + floor(60 * power(pg_temp.u(53, n), 2))::integer END,
       round((1 + 9 * pg_temp.u(54, n))::numeric, 2)
  FROM drawn, generate_series(1, prescriptions) j, LATERAL (SELECT i * 64 + j AS n) numbered;

CREATE INDEX ON public.visits (person_id);
CREATE INDEX ON public.visits (day);
CREATE INDEX ON public.visits (place_id);
CREATE INDEX ON public.stays (person_id);
CREATE INDEX ON public.diagnoses (visit_id);
CREATE INDEX ON public.prescriptions (person_id);
CREATE VIEW public.visit_report AS
SELECT v.person_id, p.sex, p.city, p.birth_year, p.birth_decade, p.birth_20, v.day, v.month, v.quarter, pl.region,
       pl.kind, v.fee
  FROM public.visits v JOIN public.persons p ON p.id = v.person_id JOIN public.places pl ON pl.id = v.place_id;
DROP TABLE drawn;
ANALYZE;
"""

TPCH = """
CREATE TABLE public.region (r_regionkey integer PRIMARY KEY, r_name char(25));
CREATE TABLE public.nation (n_nationkey integer PRIMARY KEY, n_name char(25), n_regionkey integer REFERENCES region);
CREATE TABLE public.part (p_partkey integer PRIMARY KEY, p_brand char(10), p_type varchar(25), p_size integer);
CREATE TABLE public.supplier (s_suppkey integer PRIMARY KEY, s_name char(25),
  s_nationkey integer REFERENCES public.nation);
CREATE TABLE public.customer (c_custkey integer PRIMARY KEY, c_name varchar(25), c_nationkey integer
  REFERENCES public.nation, c_mktsegment char(10), c_acctbal numeric(15,2));
CREATE TABLE public.orders (o_orderkey integer PRIMARY KEY, o_custkey integer REFERENCES public.customer,
  o_orderstatus char(1), o_totalprice numeric(15,2), o_orderdate date, o_orderpriority char(15), o_month text,
  o_quarter text, o_year text);
CREATE TABLE public.lineitem (l_orderkey integer REFERENCES public.orders, l_linenumber integer,
  l_partkey integer REFERENCES public.part, l_suppkey integer REFERENCES public.supplier,
  l_quantity numeric(15,2), l_extendedprice numeric(15,2), l_discount numeric(15,2), l_tax numeric(15,2),
  l_returnflag char(1), l_linestatus char(1), l_shipdate date, l_shipmode char(10),
  PRIMARY KEY (l_orderkey, l_linenumber));

INSERT INTO public.region SELECT i - 1, (ARRAY['AFRICA','AMERICA','ASIA','EUROPE','MIDDLE EAST'])[i]
  FROM generate_series(1, 5) i;
INSERT INTO public.nation SELECT i, 'NATION ' || i, i % 5 FROM generate_series(0, 24) i;
INSERT INTO public.part
SELECT i, 'Brand#' || 1 + i % 25, (ARRAY['PROMO','STANDARD','SMALL','LARGE','ECONOMY'])[1 + i % 5] || ' ' ||
       (ARRAY['TIN','STEEL','BRASS'])[1 + i % 3], 1 + i % 50 FROM generate_series(1, 200) i;
INSERT INTO public.supplier SELECT i, 'Supplier#' || i, i % 25 FROM generate_series(1, 100) i;
INSERT INTO public.customer
SELECT i, 'Customer#' || i, floor(25 * pg_temp.u(60, i))::integer,
       pg_temp.pick(ARRAY['AUTOMOBILE','BUILDING','FURNITURE','HOUSEHOLD','MACHINERY'], 61, i, 1),
       round((10998.99 * pg_temp.u(62, i) - 999.99)::numeric, 2)
  FROM generate_series(1, {persons}) i;
-- A third of the customers never ordered, the others have ten orders each on average.
INSERT INTO public.orders (o_orderkey, o_custkey, o_orderdate, o_orderpriority)
SELECT (i * 32 + j)::integer, i, date '1992-01-01' + floor(2406 * pg_temp.u(63, i * 32 + j))::integer,
       pg_temp.pick(ARRAY['1-URGENT','2-HIGH','3-MEDIUM','4-NOT SPEC','5-LOW'], 64, i * 32 + j, 1)
  FROM generate_series(1, {persons}::bigint) i,
       generate_series(1, floor(2 + 17 * pg_temp.u(65, i))::integer) j
 WHERE i % 3 <> 0;
INSERT INTO public.lineitem
SELECT o.o_orderkey, j, part, 1 + floor(100 * pg_temp.u(71, n))::integer, quantity, quantity * (900 + part),
       round((0.1 * pg_temp.u(72, n))::numeric, 2), round((0.08 * pg_temp.u(73, n))::numeric, 2),
       CASE WHEN shipped > date '1995-06-17' THEN 'N' WHEN pg_temp.u(74, n) < 0.5 THEN 'R' ELSE 'A' END,
       CASE WHEN shipped > date '1995-06-17' THEN 'O' ELSE 'F' END, shipped,
       pg_temp.pick(ARRAY['AIR','FOB','MAIL','RAIL','REG AIR','SHIP','TRUCK'], 75, n, 1)
  FROM public.orders o, generate_series(1, 1 + floor(7 * pg_temp.u(76, o.o_orderkey))::integer) j,
       LATERAL (SELECT o.o_orderkey::bigint * 8 + j AS n) numbered,
       LATERAL (SELECT 1 + floor(200 * pg_temp.u(77, n))::integer AS part,
                       1 + floor(50 * pg_temp.u(78, n))::integer AS quantity,
                       o.o_orderdate + 1 + floor(121 * pg_temp.u(79, n))::integer AS shipped) it;
UPDATE public.orders SET o_totalprice = total, o_orderstatus = status
  FROM (SELECT l_orderkey, round(sum(l_extendedprice * (1 - l_discount) * (1 + l_tax)), 2) AS total,
               CASE WHEN bool_and(l_linestatus = 'F') THEN 'F' WHEN bool_or(l_linestatus = 'F') THEN 'P'
                 ELSE 'O' END AS status
          FROM public.lineitem GROUP BY 1) lines
 WHERE o_orderkey = l_orderkey;
CREATE INDEX ON public.orders (o_custkey);
CREATE INDEX ON public.orders (o_orderdate);
CREATE INDEX ON public.lineitem (l_shipdate);
VACUUM (FULL) public.orders;
ANALYZE;
"""

KEYS = {
    "int8": ("bigint", "1000 + 3 * i"),
    "uuid": ("uuid", "md5('{seed} ' || i)::uuid"),
}


def clinic(persons, seed=1, key="int8"):
    """→ a script for psql, for one session."""
    key_type, key_of_i = KEYS[key]
    return DRAW.format(seed=seed) + CLINIC.format(
        persons=persons, key=key_type, key_of_i=key_of_i.format(seed=seed))


def tpch(customers, seed=1):
    """→ a script for psql, for one session. TPC-H itself has 150,000 customers at its scale factor 1."""
    return DRAW.format(seed=seed) + TPCH.format(persons=customers)


def main():
    arguments = argparse.ArgumentParser()
    arguments.add_argument("what", choices=("clinic", "tpch"))
    arguments.add_argument("--persons", type=int, default=20000)
    arguments.add_argument("--seed", type=int, default=1)
    arguments.add_argument("--key", choices=sorted(KEYS), default="int8")
    options = arguments.parse_args()
    if options.what == "clinic":
        print(clinic(options.persons, options.seed, options.key))
    else:
        print(tpch(options.persons, options.seed))


if __name__ == "__main__":
    main()
