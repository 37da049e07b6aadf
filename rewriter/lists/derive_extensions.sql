-- What the running server says of the functions of extensions:
-- oid|extension|function|is_pure|is_machinery|definition, one row per function. The program asks it
-- whenever it reads the catalog and compares the answer with extension_functions.inc, which is the answer of
-- a database in which each extension of the list was created:
--   PGOPTIONS='-c search_path=pg_catalog' psql -XAtq -f rewriter/lists/derive_extensions.sql |
--     awk -F'|' '$4 == "t" || $5 == "t" { printf "{\"%s\", \"%s\", 0x%s, %s},\n", $2, $3, $6,
--                                                $4 == "t" ? "true" : "false" }' \
--     > rewriter/lists/extension_functions.inc
--
-- is_pure: a masked user may call it. The function must be made by an extension of the list, be written in C
-- or be one of the reviewed SQL functions, be immutable or stable (or draw random numbers only), not be
-- SECURITY DEFINER, and have no internal, cstring, trigger or handler type in its signature. Its name is not
-- among those that a person who read the extension took out:
--   * PostGIS: what reads tables or statistics (ST_EstimatedExtent, postgis_constraint_…, …_index_extent,
--     ST_FromFlatGeobuf…), what hands a text of the client to PROJ, which opens files that the text names
--     (ST_Transform with a text), and what parses XML (GML, KML, MARC21, X3D), and
--     ST_GeomFromGeoHash, whose text names a type without its schema. ST_Transform with a number
--     reads spatial_ref_sys, which is public reference data.
--   * pgcrypto: everything but digest and hmac, because keys and salts need no analyst, and crypt burns time.
--   * tablefunc: crosstab and connectby run SQL text.
--   * uuid-ossp: versions 1 tell the machine's address and clock.
--   * isn_weak, set_limit: change how later statements are answered.
--   * TimescaleDB: everything but time_bucket.
-- No listed extension's function reads files named by a client, opens a connection or writes. They can use as
-- much memory and time as pg_catalog's own (repeat, generate_series), which statement_timeout ends.
-- is_machinery: types of a listed extension are read and written through it, or casts work through it. A type
-- may only be named in a cast if these functions are as listed. Functions that are not in C count, too: a
-- listed function in SQL is open only while each function that a name in its body could find is as listed.
-- definition: a hash of everything that says what the function does. It does not depend on OIDs or on the
-- schema of the extension.
WITH member AS (
  SELECT d.classid, d.objid, e.extname, n.nspname
    FROM pg_depend AS d JOIN pg_extension AS e ON e.oid = d.refobjid JOIN pg_namespace AS n ON n.oid = e.extnamespace
   WHERE d.refclassid = 'pg_extension'::regclass AND d.deptype = 'e'),
named_type AS (
  SELECT t.oid, CASE WHEN t.typnamespace = 'pg_catalog'::regnamespace THEN t.typname
                     ELSE concat(COALESCE(m.extname, t.typnamespace::regnamespace::text), '.', t.typname) END AS name
    FROM pg_type AS t LEFT JOIN member AS m ON m.classid = 'pg_type'::regclass
     AND m.objid = CASE WHEN t.typcategory = 'A' THEN t.typelem ELSE t.oid END),
unsafe_type AS (
  SELECT array_agg(oid) AS oids FROM pg_type
   WHERE typname IN ('internal', 'cstring', 'trigger', 'event_trigger', 'void') OR typname LIKE '%\_handler'),
reviewed(extension, taken_out, random) AS (VALUES
  ('btree_gin', '^$', '^$'), ('btree_gist', '^$', '^$'), ('citext', '^$', '^$'), ('cube', '^$', '^$'),
  ('earthdistance', '^(?!geo_distance$)', '^$'), ('fuzzystrmatch', '^$', '^$'), ('hstore', '^$', '^$'), ('intarray', '^$', '^$'),
  ('isn', '_weak$', '^$'), ('ltree', '^$', '^$'),
  ('pg_trgm', '^$', '^$'), ('pgcrypto', '^(?!digest$|hmac$)', '^gen_random_uuid$'),
  ('postgis', '(estimatedextent|flatgeobuf|index_extent|constraint_|transform_geometry|gml|kml|marc21|x3d|deprecate|svn_version|geomfromgeohash)',
   '^st_(clusterkmeans|generatepoints)$'),
  ('seg', '^$', '^$'), ('tablefunc', '^(crosstab|connectby)', '^normal_rand$'),
  ('timescaledb', '^(?!time_bucket$)', '^$'), ('unaccent', '^$', '^$'),
  ('uuid-ossp', '^$', '^uuid_generate_v4$'), ('vector', '^$', '^$')),
machinery(oid) AS (
  SELECT castfunc FROM pg_cast
   UNION SELECT unnest(ARRAY[typinput, typoutput, typreceive, typsend, typmodin, typmodout]::oid[]) FROM pg_type)
SELECT p.oid, m.extname, concat(p.proname, '(', args.names, ')'),
       r.extension IS NOT NULL AND NOT p.proname ~ r.taken_out
       AND l.lanname IN ('c', 'internal', 'sql') AND p.prokind IN ('f', 'a', 'w') AND NOT p.prosecdef
       AND (p.provolatile IN ('i', 's') OR p.proname ~ r.random)
       AND NOT (p.proname = 'st_transform' AND 'text'::regtype = ANY (p.proargtypes::oid[]))
       AND NOT p.proargtypes::oid[] || p.prorettype && u.oids,
       r.extension IS NOT NULL AND (p.oid IN (SELECT oid FROM machinery) AND l.lanname IN ('c', 'internal', 'sql')
         OR l.lanname IN ('sql', 'plpgsql')),
       substr(md5(concat_ws(' ', m.extname, p.proname, l.lanname, p.prokind, p.provolatile, p.proisstrict, p.proretset,
         p.prosecdef, v.name, concat('(', args.names, ')'), t.name, p.proargnames, p.pronargdefaults,
         replace(p.prosrc, concat(quote_ident(m.nspname), '.'), '@extschema@.'),
         regexp_replace(p.probin, '-[0-9]+(\.[0-9]+)+(-[a-z0-9]+)?$', ''), p.prosqlbody IS NULL, p.proconfig,
         (SELECT concat_ws(' ', a.aggkind, a.agginitval, a.aggminitval,
                   string_agg(concat_ws(' ', f.proname, f.prolang::text, f.prosrc), ' ' ORDER BY k.place))
            FROM pg_aggregate AS a
           CROSS JOIN unnest(ARRAY[a.aggtransfn, a.aggfinalfn, a.aggcombinefn, a.aggserialfn, a.aggdeserialfn,
                                   a.aggmtransfn, a.aggminvtransfn, a.aggmfinalfn]::oid[])
                      WITH ORDINALITY AS k(oid, place)
            LEFT JOIN pg_proc AS f ON f.oid = k.oid WHERE a.aggfnoid = p.oid
           GROUP BY a.aggkind, a.agginitval, a.aggminitval))), 1, 16)
  FROM pg_proc AS p JOIN member AS m ON m.classid = 'pg_proc'::regclass AND m.objid = p.oid
  JOIN pg_language AS l ON l.oid = p.prolang JOIN named_type AS t ON t.oid = p.prorettype
  LEFT JOIN named_type AS v ON v.oid = p.provariadic LEFT JOIN reviewed AS r ON r.extension = m.extname
 CROSS JOIN unsafe_type AS u
 CROSS JOIN LATERAL (
    SELECT string_agg(a.name, ',' ORDER BY i.place) AS names
      FROM unnest(p.proargtypes::oid[]) WITH ORDINALITY AS i(type, place) JOIN named_type AS a ON a.oid = i.type) AS args
 ORDER BY m.extname COLLATE "C", concat(p.proname, '(', args.names, ')') COLLATE "C"
