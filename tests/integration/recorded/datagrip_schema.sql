-- DataGrip and the other IntelliJ IDEs: introspection of a database and of a schema, after recordings in public projects.

select round(extract(epoch from pg_postmaster_start_time() at time zone 'UTC')) as startup_time;

select L.transactionid::varchar::bigint as transaction_id
from pg_catalog.pg_locks L
where L.transactionid is not null
order by pg_catalog.age(L.transactionid) desc
limit 1;

select case
  when pg_catalog.pg_is_in_recovery()
    then null
  else
    (pg_catalog.txid_current() % (2^32)::bigint)::varchar::bigint
  end as current_txid;

select N.oid::bigint as id,
       datname as name,
       D.description,
       datistemplate as is_template,
       datallowconn as allow_connections,
       pg_catalog.pg_get_userbyid(N.datdba) as "owner"
from pg_catalog.pg_database N
  left join pg_catalog.pg_shdescription D on N.oid = D.objoid
order by case when datname = pg_catalog.current_database() then -1::bigint else N.oid::bigint end;

select name, is_dst from pg_catalog.pg_timezone_names
union distinct
select abbrev as name, is_dst from pg_catalog.pg_timezone_abbrevs
order by 1, 2;

select R.oid::bigint as role_id, rolname as role_name,
  rolsuper is_super, rolinherit is_inherit,
  rolcreaterole can_createrole, rolcreatedb can_createdb,
  rolcanlogin can_login, rolreplication is_replication,
  rolconnlimit conn_limit, rolvaliduntil valid_until,
  rolbypassrls bypass_rls, rolconfig config,
  D.description
from pg_catalog.pg_roles R
  left join pg_catalog.pg_shdescription D on D.objoid = R.oid
order by 1;

select T.oid::bigint as id, T.spcname as name,
       T.xmin as state_number, pg_catalog.pg_get_userbyid(T.spcowner) as owner,
       pg_catalog.pg_tablespace_location(T.oid) as location,
       T.spcoptions as options,
       D.description as comment
from pg_catalog.pg_tablespace T
  left join pg_catalog.pg_shdescription D on D.objoid = T.oid
order by 1;

select N.oid::bigint as id,
       N.xmin as state_number,
       nspname as name,
       D.description,
       pg_catalog.pg_get_userbyid(N.nspowner) as "owner"
from pg_catalog.pg_namespace N
  left join pg_catalog.pg_description D on N.oid = D.objoid
order by case when nspname = pg_catalog.current_schema() then -1::bigint else N.oid::bigint end;

select E.oid as id,
       E.xmin as state_number,
       extname as name,
       extversion as version,
       extnamespace as schema_id,
       nspname as schema_name,
       array(select unnest
             from unnest(available_versions)
             where unnest > extversion) as available_updates
from pg_catalog.pg_extension E
       join pg_namespace N on E.extnamespace = N.oid
       left join (select name, array_agg(version) as available_versions
                  from pg_available_extension_versions()
                  group by name) V on E.extname = V.name;

select l.oid as id, l.xmin state_number, lanname as name, lanpltrusted as trusted, h.proname as handler
from pg_catalog.pg_language l
    left join pg_catalog.pg_proc h on h.oid = lanplcallfoid
order by lanname;

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
       T.relam am_id,
       pg_catalog.pg_get_userbyid(T.relowner) as "owner"
from pg_catalog.pg_class T
where relnamespace = 'public'::regnamespace::oid
       and relkind in ('r', 'm', 'v', 'f', 'p')
  and pg_catalog.age(T.xmin) <= coalesce(nullif(greatest(pg_catalog.age('0'::varchar::xid), -1), -1), 2147483647)
order by table_kind, table_id;

with T as (select distinct T.oid as table_id, T.relname as table_name
            from pg_catalog.pg_class T, pg_catalog.pg_attribute A
            where T.relnamespace = 'public'::regnamespace::oid
              and T.relkind in ('r', 'm', 'v', 'f', 'p')
              and (pg_catalog.age(A.xmin) <= coalesce(nullif(greatest(pg_catalog.age('0'::varchar::xid), -1), -1), 2147483647)
                   or pg_catalog.age(T.xmin) <= coalesce(nullif(greatest(pg_catalog.age('0'::varchar::xid), -1), -1), 2147483647))
              and A.attrelid = T.oid)
select T.table_id,
       C.attnum as column_position,
       C.attname as column_name,
       C.xmin as column_state_number,
       C.atttypmod as type_mod,
       C.attndims as dimensions_number,
       pg_catalog.format_type(C.atttypid, C.atttypmod) as type_spec,
       C.atttypid as type_id,
       C.attnotnull as mandatory,
       pg_catalog.pg_get_expr(D.adbin, T.table_id) as column_default_expression,
       not C.attislocal as column_is_inherited,
       C.attfdwoptions as options,
       C.attisdropped as column_is_dropped,
       C.attidentity as identity_kind,
       C.attgenerated as generated
from T
  join pg_catalog.pg_attribute C on T.table_id = C.attrelid
  left join pg_catalog.pg_attrdef D on (C.attrelid, C.attnum) = (D.adrelid, D.adnum)
where attnum > 0
order by table_id, attnum;

select tab.oid table_id, tab.relkind table_kind,
       ind_stor.relname index_name, ind_head.indexrelid index_id,
       ind_stor.xmin state_number,
       ind_head.indisunique is_unique, ind_head.indisprimary is_primary,
       ind_head.indnullsnotdistinct nulls_not_distinct,
       pg_catalog.pg_get_expr(ind_head.indpred, ind_head.indrelid) as condition,
       (select pg_catalog.array_agg(inhparent::bigint order by inhseqno)::varchar from pg_catalog.pg_inherits where ind_stor.oid = inhrelid) as ancestors,
       ind_stor.reltablespace tablespace_id,
       opcmethod as access_method_id
from pg_catalog.pg_class tab
         join pg_catalog.pg_index ind_head on ind_head.indrelid = tab.oid
         join pg_catalog.pg_class ind_stor
              on tab.relnamespace = ind_stor.relnamespace and ind_stor.oid = ind_head.indexrelid
         left join pg_catalog.pg_opclass on pg_opclass.oid = ANY(indclass)
where tab.relnamespace = 'public'::regnamespace::oid
        and tab.relkind in ('r', 'm', 'v', 'p')
        and ind_stor.relkind in ('i', 'I')
  and pg_catalog.age(ind_stor.xmin) <= coalesce(nullif(greatest(pg_catalog.age('0'::varchar::xid), -1), -1), 2147483647)
order by 1, 4, 12;

select ind_head.indexrelid index_id,
       k col_idx, k <= indnkeyatts in_key,
       ind_head.indkey[k-1] column_position,
       ind_head.indoption[k-1] column_options,
       ind_head.indcollation[k-1] as collation,
       case
           when indexprs is null then null
           when ind_head.indkey[k-1] = 0 then chr(27) || pg_catalog.pg_get_indexdef(ind_head.indexrelid, k::int, true)
           else pg_catalog.pg_get_indexdef(ind_head.indexrelid, k::int, true)
       end as expression,
       amcanorder can_order
from pg_catalog.pg_index ind_head
         join pg_catalog.pg_class ind_stor on ind_stor.oid = ind_head.indexrelid
cross join unnest(ind_head.indkey) with ordinality u(u, k)
cross join pg_catalog.pg_indexam_has_property(ind_stor.relam, 'can_order') amcanorder
where ind_stor.relnamespace = 'public'::regnamespace::oid
  and ind_stor.relkind in ('i', 'I')
  and pg_catalog.age(ind_stor.xmin) <= coalesce(nullif(greatest(pg_catalog.age('0'::varchar::xid), -1), -1), 2147483647)
order by index_id, k;

select T.oid table_id, relkind table_kind,
       C.oid::bigint con_id, C.xmin::varchar::bigint con_state_id,
       conname con_name, contype con_kind, conkey con_columns,
       conindid index_id, confrelid ref_table_id,
       condeferrable is_deferrable, condeferred is_init_deferred,
       confupdtype on_update, confdeltype on_delete,
       connoinherit no_inherit,
       pg_catalog.pg_get_expr(conbin, T.oid) con_expression,
       confkey ref_columns,
       conexclop::int[] excl_operators,
       array(select unnest::regoper::varchar from unnest(conexclop)) excl_operators_str
from pg_catalog.pg_constraint C
         join pg_catalog.pg_class T on C.conrelid = T.oid
where relkind in ('r', 'v', 'f', 'p')
  and relnamespace = 'public'::regnamespace::oid
  and contype in ('p', 'u', 'f', 'c', 'x')
  and connamespace = 'public'::regnamespace::oid
  and pg_catalog.age(T.xmin) <= coalesce(nullif(greatest(pg_catalog.age('0'::varchar::xid), -1), -1), 2147483647)
      or pg_catalog.age(c.xmin) <= coalesce(nullif(greatest(pg_catalog.age('0'::varchar::xid), -1), -1), 2147483647)
order by 3;

select cls.xmin as sequence_state_number,
       sq.seqrelid as sequence_id,
       cls.relname as sequence_name,
       pg_catalog.format_type(sq.seqtypid, null) as data_type,
       sq.seqstart as start_value
from pg_catalog.pg_sequence sq
    join pg_class cls on sq.seqrelid = cls.oid
where cls.relnamespace = 'public'::regnamespace::oid
  and pg_catalog.age(cls.xmin) <= coalesce(nullif(greatest(pg_catalog.age('0'::varchar::xid), -1), -1), 2147483647);

select T.oid as object_id,
       A.attnum as attr_position,
       A.attacl as acl
from pg_catalog.pg_attribute A join pg_catalog.pg_class T on T.oid = A.attrelid
where relnamespace = 'public'::regnamespace::oid
  and attnum > 0
  and pg_catalog.age(A.xmin) <= pg_catalog.age('0'::varchar::xid)
order by object_id, attr_position;
