-- What Prisma 5 asks to pull a schema (recorded texts of a public repository). Parameters are written in.

SELECT EXISTS(SELECT 1 FROM pg_namespace WHERE nspname = 'public'), version(), current_setting('server_version_num')::integer as numeric_version;

SELECT namespace.nspname as namespace_name
FROM pg_namespace as namespace
WHERE namespace.nspname = ANY ( '{public}' )
ORDER BY namespace_name;

SELECT
tbl.relname AS table_name,
namespace.nspname as namespace,
(tbl.relhassubclass and tbl.relkind = 'p') as is_partition,
(tbl.relhassubclass and tbl.relkind = 'r') as has_subclass,
tbl.relrowsecurity as has_row_level_security,
reloptions,
obj_description(tbl.oid, 'pg_class') as description
FROM pg_class AS tbl
INNER JOIN pg_namespace AS namespace ON namespace.oid = tbl.relnamespace
WHERE ((tbl.relkind = 'r' AND tbl.relispartition = 'f') OR tbl.relkind = 'p')
AND namespace.nspname = ANY ( '{public}' )
ORDER BY namespace, table_name;

SELECT
t.typname AS name,
e.enumlabel AS value,
n.nspname AS namespace,
obj_description(t.oid, 'pg_type') AS description
FROM pg_type t
JOIN pg_enum e ON t.oid = e.enumtypid
JOIN pg_catalog.pg_namespace n ON n.oid = t.typnamespace
WHERE n.nspname = ANY ( '{public}' )
ORDER BY e.enumsortorder;

SELECT
    oid.namespace,
    info.table_name,
    info.column_name,
    format_type(att.atttypid, att.atttypmod) as formatted_type,
    info.numeric_precision,
    info.numeric_scale,
    info.numeric_precision_radix,
    info.datetime_precision,
    info.data_type,
    info.udt_schema as type_schema_name,
    info.udt_name as full_data_type,
    pg_get_expr(attdef.adbin, attdef.adrelid) AS column_default,
    info.is_nullable,
    info.is_identity,
    info.character_maximum_length,
    col_description(att.attrelid, ordinal_position) AS description
FROM information_schema.columns info
JOIN pg_attribute att ON att.attname = info.column_name
JOIN (
SELECT pg_class.oid, relname, pg_namespace.nspname as namespace
FROM pg_class
JOIN pg_namespace on pg_namespace.oid = pg_class.relnamespace
AND pg_namespace.nspname = ANY ( '{public}' )
) as oid on oid.oid = att.attrelid
AND relname = info.table_name
AND namespace = info.table_schema
LEFT OUTER JOIN pg_attrdef attdef ON attdef.adrelid = att.attrelid AND attdef.adnum = att.attnum AND table_schema = namespace
WHERE table_schema = ANY ( '{public}' ) AND table_name IN ('people', 'staff', 'towns')
ORDER BY namespace, table_name, ordinal_position;

SELECT
con.oid AS "con_id",
att2.attname AS "child_column",
cl.relname AS "parent_table",
att.attname AS "parent_column",
con.confdeltype,
con.confupdtype,
conname AS constraint_name,
table_name
FROM (SELECT
unnest(con1.conkey) AS "parent",
unnest(con1.confkey) AS "child",
cl.relname AS table_name,
generate_subscripts(con1.conkey, 1) AS colidx,
con1.oid,
con1.confrelid,
con1.conrelid,
con1.conname,
con1.confdeltype,
con1.confupdtype
FROM pg_class cl
join pg_constraint con1 on con1.conrelid = cl.oid
join pg_namespace ns on cl.relnamespace = ns.oid
WHERE
ns.nspname = ANY ( '{public}' )
and con1.contype = 'f'
ORDER BY colidx
) con
JOIN pg_attribute att on att.attrelid = con.confrelid and att.attnum = con.child
JOIN pg_class cl on cl.oid = con.confrelid
JOIN pg_attribute att2 on att2.attrelid = con.conrelid and att2.attnum = con.parent
ORDER BY table_name, constraint_name, con_id, con.colidx;

WITH rawindex AS (
 SELECT
 indrelid,
 indexrelid,
 indisunique,
 indisprimary,
 unnest(indkey) AS indkeyid,
 generate_subscripts(indkey, 1) AS indkeyidx,
 unnest(indclass) AS indclass,
 unnest(indoption) AS indoption
 FROM pg_index
 WHERE
 indpred IS NULL
 AND NOT indisexclusion
)
SELECT
 schemainfo.nspname AS namespace,
 indexinfo.relname AS index_name,
 tableinfo.relname AS table_name,
 columninfo.attname AS column_name,
 rawindex.indisunique AS is_unique,
 rawindex.indisprimary AS is_primary_key,
 rawindex.indkeyidx AS column_index,
 opclass.opcname AS opclass,
 opclass.opcdefault AS opcdefault,
 indexaccess.amname AS index_algo,
 CASE rawindex.indoption & 1 WHEN 1 THEN 'DESC' ELSE 'ASC' END AS column_order,
 CASE rawindex.indoption & 2 WHEN 2 THEN true ELSE false END AS nulls_first,
 pc.condeferrable AS condeferrable,
 pc.condeferred AS condeferred
FROM
 rawindex
 INNER JOIN pg_class AS tableinfo ON tableinfo.oid = rawindex.indrelid
 INNER JOIN pg_class AS indexinfo ON indexinfo.oid = rawindex.indexrelid
 INNER JOIN pg_namespace AS schemainfo ON schemainfo.oid = tableinfo.relnamespace
 LEFT JOIN pg_attribute AS columninfo
 ON columninfo.attrelid = tableinfo.oid AND columninfo.attnum = rawindex.indkeyid
 INNER JOIN pg_am AS indexaccess ON indexaccess.oid = indexinfo.relam
 LEFT JOIN pg_opclass AS opclass
 ON opclass.oid = rawindex.indclass
 LEFT JOIN pg_constraint pc ON rawindex.indexrelid = pc.conindid AND pc.contype <> 'f'
WHERE schemainfo.nspname = ANY ( '{public}' ) AND tableinfo.relname IN ('towns', 'numbers')
ORDER BY namespace, table_name, index_name, column_index;

SELECT
ext.extname AS extension_name,
ext.extversion AS extension_version,
ext.extrelocatable AS extension_relocatable,
pn.nspname AS extension_schema
FROM pg_extension ext
INNER JOIN pg_namespace pn ON ext.extnamespace = pn.oid
ORDER BY ext.extname ASC;

SELECT sequence_name, sequence_schema AS namespace, start_value::INT8, minimum_value::INT8 AS min_value, maximum_value::INT8 AS max_value, increment::INT8 AS increment_by
FROM information_schema.sequences
WHERE sequence_schema = ANY ( '{public}' );
