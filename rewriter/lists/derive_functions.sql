-- Derives pg15_functions.inc: the functions a masked user may call, by name. Run on a fresh PostgreSQL 15 cluster
-- without extensions:   psql -XAtq -f rewriter/lists/derive_functions.sql > rewriter/lists/pg15_functions.inc
-- pgveil has no types at rewriting time, so a name is let in only if every built-in overload passes:
--   made by initdb (oid < 16384: adminpack installs into pg_catalog), aggregate/window/normal, immutable or stable,
--   default ACL, not SECURITY DEFINER, no internal, cstring, trigger or handler type in its signature, and its name is
--   not of a family that reads catalogs, files, statistics, settings, large objects, other sessions or SQL text.
-- Volatility is not a criterion of safety (ts_rewrite is immutable and runs SQL text), only a first sieve.
WITH unsafe_types AS (
  SELECT oid FROM pg_type WHERE typname IN ('internal', 'cstring', 'trigger', 'event_trigger', 'void')
     OR typname LIKE '%\_handler'),
families(pattern) AS (VALUES
  ('(_to_xml|_to_xmlschema|_xml_and_xmlschema)$'),          -- run SQL text or read any relation by OID
  ('^(ts_stat|ts_rewrite|xpath_table)$'),
  ('^pg_(?!typeof$|column_size$|column_compression$|size_pretty$|size_bytes$|client_encoding$|char_to_encoding$|encoding_to_char$|encoding_max_length$|collation_for$|lsn_|xml|get_keywords$)'),
  ('^(lo_|RI_|txid_|binary_upgrade|has_|row_security|to_reg|currtid|inet_client|inet_server|getpgusername|current_s)'),
  ('^(col_description|obj_description|shobj_description|format_type|set_config|setseed|getdatabaseencoding)$'),
  ('(acl|_validator$|amvalidate|satisfies_hash|hash_array_extended$)'),
  ('^(mxid_age|nextval|setval|currval|lastval|fmgr_|plpgsql_|dsnowball|dispell|dsimple|dsynonym|thesaurus|prsd_)'),
  ('^(is_|)(cursor|table)_')),
judged AS (
  SELECT p.proname,
         p.oid < 16384 AND p.prokind IN ('f', 'a', 'w') AND p.provolatile IN ('i', 's')
         AND p.proacl IS NULL AND NOT p.prosecdef
         AND NOT EXISTS (SELECT FROM unnest(p.proargtypes::oid[] || p.prorettype) AS t(oid) JOIN unsafe_types USING (oid))
         AND NOT EXISTS (SELECT FROM families WHERE p.proname ~ pattern) AS is_safe
  FROM pg_proc AS p WHERE p.pronamespace = 'pg_catalog'::regnamespace),
allowed AS (
  SELECT proname FROM judged GROUP BY proname HAVING bool_and(is_safe)
  UNION ALL VALUES ('random'), ('gen_random_uuid'))   -- volatile, but they read and write nothing
SELECT '"' || proname || '",' FROM allowed ORDER BY proname COLLATE "C";
