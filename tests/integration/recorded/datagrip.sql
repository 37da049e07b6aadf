-- What the introspector of DataGrip, IntelliJ IDEA and PyCharm asks (recorded texts of public repositories): server, databases, roles, schemas, and the objects of one schema.

select current_database() as a, current_schemas(false) as b;

select current_database(), current_schema();

select case when pg_catalog.pg_is_in_recovery() then null else 1 end as is_primary;

select N.oid::bigint as id, datname as name, D.description, datistemplate as is_template, datallowconn as allow_connections,
       pg_catalog.pg_get_userbyid(N.datdba) as "owner"
from pg_catalog.pg_database N
  left join pg_catalog.pg_shdescription D on N.oid = D.objoid
where datname = 'demo'
order by case when datname = pg_catalog.current_database() then -1::bigint else N.oid::bigint end;

select name, is_dst from pg_catalog.pg_timezone_names
union distinct
select abbrev as name, is_dst from pg_catalog.pg_timezone_abbrevs;

select T.oid::bigint as id, T.spcname as name,
       T.xmin as state_number, pg_catalog.pg_get_userbyid(T.spcowner) as owner,
       pg_catalog.pg_tablespace_location(T.oid) as location,
       T.spcoptions as options,
       D.description as comment
from pg_catalog.pg_tablespace T
  left join pg_catalog.pg_shdescription D on D.objoid = T.oid;

select N.oid::bigint as id,
       N.xmin as state_number,
       nspname as name,
       D.description,
       pg_catalog.pg_get_userbyid(N.nspowner) as "owner"
from pg_catalog.pg_namespace N
  left join pg_catalog.pg_description D on N.oid = D.objoid
where nspname in ('public', 'pg_catalog', 'information_schema')
order by case when nspname = pg_catalog.current_schema() then -1::bigint else N.oid::bigint end;

select A.oid as access_method_id,
       A.xmin as state_number,
       A.amname as access_method_name,
       A.amhandler::oid as handler_id,
       pg_catalog.quote_ident(N.nspname) || '.' || pg_catalog.quote_ident(P.proname) as handler_name,
       A.amtype as access_method_type
from pg_am A
     join pg_proc P on A.amhandler::oid = P.oid
     join pg_namespace N on P.pronamespace = N.oid;

select T.relkind as table_kind,
       T.relname as table_name,
       T.oid as table_id,
       T.xmin as table_state_number,
       false as table_with_oids,
       T.reltablespace as tablespace_id,
       T.reloptions as options,
       T.relpersistence as persistence,
       (select pg_catalog.array_agg(inhparent::bigint order by inhseqno)::varchar from pg_catalog.pg_inherits where T.oid = inhrelid) as ancestors,
       (select pg_catalog.array_agg(inhrelid::bigint order by inhrelid)::varchar from pg_catalog.pg_inherits where T.oid = inhparent) as successors,
       T.relispartition as is_partition,
       pg_catalog.pg_get_partkeydef(T.oid) as partition_key,
       pg_catalog.pg_get_expr(T.relpartbound, T.oid) as partition_expression,
       T.relam am_id
from pg_catalog.pg_class T
where relnamespace = 'public'::regnamespace
      and relkind in ('r', 'm', 'v', 'f', 'p')
  and pg_catalog.age(T.xmin) <= coalesce(nullif(greatest(pg_catalog.age('1'::varchar::xid), -1), -1), 2147483647)
order by table_kind, table_id;

with T as ( select T.oid as oid, T.relkind as kind, T.relnamespace as schemaId
            from pg_catalog.pg_class T
            where T.relnamespace in ( 'public'::regnamespace )
              and T.relkind in ('r', 'm', 'v', 'f', 'p')
          )
select T.schemaId as schemaId, T.oid as majorOid,
       pg_catalog.translate(T.kind, 'rmvpf', 'rmvrf') as kind,
       C.attnum as position, C.attname as name
from T
     join pg_catalog.pg_attribute C on T.oid = C.attrelid
where C.attnum > 0 and not C.attisdropped
order by schemaId, majorOid, position;

select T.oid as type_id,
       T.xmin as type_state_number,
       T.typname as type_name,
       T.typtype as type_sub_kind,
       T.typcategory as type_category,
       T.typrelid as class_id,
       T.typbasetype as base_type_id,
       case when T.typtype in ('c','e') then null else pg_catalog.format_type(T.typbasetype, T.typtypmod) end as type_def,
       T.typndims as dimensions_number,
       T.typdefault as default_expression,
       T.typnotnull as mandatory
from pg_catalog.pg_type T
         left outer join pg_catalog.pg_class C on T.typrelid = C.oid
where T.typnamespace = 'public'::regnamespace
  and pg_catalog.age(T.xmin) <= coalesce(nullif(greatest(pg_catalog.age('1'::varchar::xid), -1), -1), 2147483647)
  and (T.typtype in ('d','e') or C.relkind = 'c' or (T.typtype = 'b' and (T.typelem = 0 OR T.typcategory <> 'A')) or T.typtype = 'p' and not T.typisdefined)
order by 1;

select cls.xmin as sequence_state_number, sq.seqrelid as sequence_id, cls.relname as sequence_name,
       pg_catalog.format_type(sq.seqtypid, null) as data_type, sq.seqstart as start_value, sq.seqincrement as inc_value
from pg_catalog.pg_sequence sq join pg_class cls on sq.seqrelid = cls.oid
where cls.relnamespace = 'public'::regnamespace::oid
  and pg_catalog.age(cls.xmin) <= coalesce(nullif(greatest(pg_catalog.age('1'::varchar::xid), -1), -1), 2147483647);

select T.oid as object_id, T.spcacl as acl from pg_catalog.pg_tablespace T where false
union all
select T.oid as object_id, T.datacl as acl from pg_catalog.pg_database T where false;
