-- What the running server says of pg_catalog's functions: name|is_pure|is_machinery|definition, one row per
-- name. The program asks it at every start and compares the answer with the list of the server's major, which
-- is the answer of a fresh cluster without extensions. pg15_functions.inc has that of PostgreSQL 15, and
-- pg16_functions.inc and later ones have what is new or different since the major before:
--   psql -XAtq -f rewriter/lists/derive_functions.sql | awk -F'|' '{
--     printf "{\"%s\", 0x%s, %s, %s},\n", $1, $4,
--            $2 == "t" ? "true" : "false", $3 == "t" ? "true" : "false" }' > new.inc
--   diff old.inc new.inc | sed -n 's/^> //p'     # into pgNN_functions.inc, beside gone("name") of names that
--                                                # only old.inc has
--
-- is_pure: a masked user may call it. pgveil has no types at rewriting time, so a name is let in only if
-- every overload passes:
--   made by initdb (oid < 16384: adminpack installs into pg_catalog), aggregate/window/normal, immutable or
--   stable, default ACL, not SECURITY DEFINER, no internal, cstring, trigger or handler type in its
--   signature, and its name is not of a family that reads catalogs, files, statistics, settings, large
--   objects, other sessions or SQL text.
-- Volatility is not a criterion of safety (ts_rewrite is immutable and runs SQL text), only a first sieve.
-- is_machinery: operators, casts, index support or values themselves work through it, so masks may depend on
-- it.
-- definition: a hash of everything that says what the function does.
WITH unsafe_types(oids) AS (
  SELECT array_agg(oid) FROM pg_type
   WHERE typname IN ('internal', 'cstring', 'trigger', 'event_trigger', 'void') OR typname LIKE '%\_handler'),
families(pattern) AS (SELECT string_agg(part, '|') FROM (VALUES
  ('(_to_xml|_to_xmlschema|_xml_and_xmlschema)$'),          -- run SQL text or read any relation by OID
  ('^(ts_stat|ts_rewrite|xpath_table)$'),
  ('^(lo_|RI_|txid_|binary_upgrade|has_|row_security|to_reg|currtid|inet_client|inet_server|getpgusername|current_s)'),
  ('^(system_user)$'),                                       -- how query_role logged in
  ('^(col_description|obj_description|shobj_description|format_type|set_config|setseed|getdatabaseencoding)$'),
  ('(acl|_validator$|amvalidate|satisfies_hash|hash_array_extended$)'),
  ('^(mxid_age|nextval|setval|currval|lastval|fmgr_|plpgsql_|dsnowball|dispell|dsimple|dsynonym|thesaurus|prsd_)'),
  ('^(is_|)(cursor|table)_')) AS parts(part)),
machinery(oid) AS (
  SELECT oprcode::oid FROM pg_operator WHERE oid < 16384
  UNION SELECT castfunc FROM pg_cast WHERE oid < 16384
  UNION SELECT amproc::oid FROM pg_amproc WHERE oid < 16384
  UNION SELECT unnest(ARRAY[typinput, typoutput, typreceive, typsend]::oid[]) FROM pg_type WHERE oid < 16384)
SELECT p.proname,
       p.proname IN ('random', 'gen_random_uuid', 'uuidv4')   -- volatile, but they read and write nothing
       AND bool_and(p.oid < 16384)
       OR bool_and(p.oid < 16384 AND p.prokind IN ('f', 'a', 'w') AND p.provolatile IN ('i', 's')
                   AND p.proacl IS NULL AND NOT p.prosecdef
                   AND NOT p.proargtypes::oid[] || p.prorettype && (SELECT oids FROM unsafe_types)
                   AND p.proname !~ (SELECT pattern FROM families)
                   -- Not as a pattern that looks ahead, which takes a third of the time of this query.
                   AND (NOT starts_with(p.proname, 'pg_') OR starts_with(p.proname, 'pg_lsn_')
                        OR starts_with(p.proname, 'pg_xml') OR p.proname IN (
                          'pg_typeof', 'pg_size_pretty', 'pg_size_bytes', 'pg_client_encoding',
                          'pg_char_to_encoding', 'pg_encoding_to_char', 'pg_encoding_max_length',
                          'pg_collation_for', 'pg_get_keywords'))),
       bool_or(p.oid IN (SELECT oid FROM machinery)),
       substr(md5(string_agg(concat_ws(' ',
         p.oid, l.lanname, p.prokind, p.provolatile, p.proisstrict, p.proretset, p.prosecdef, p.provariadic,
         p.proargtypes, p.prorettype, p.prosrc, p.probin, p.prosqlbody, p.proconfig,
         a.aggtransfn::oid, a.aggfinalfn::oid, a.agginitval), ';' ORDER BY p.oid)), 1, 16)
  FROM pg_proc AS p JOIN pg_language AS l ON l.oid = p.prolang LEFT JOIN pg_aggregate AS a ON a.aggfnoid = p.oid
 WHERE p.pronamespace = 'pg_catalog'::regnamespace GROUP BY p.proname ORDER BY p.proname COLLATE "C";
