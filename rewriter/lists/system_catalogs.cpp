#include "rewriter/lists/system_catalogs.hpp"

#include <algorithm>
#include <array>

namespace pgveil::rewriter {
namespace {

using enum CatalogColumnRule;
using Columns = std::span<const CatalogColumn>;

constexpr CatalogColumn kClass[] = {{"relpartbound", null},
                                    {"reltuples", unknown_size},
                                    {"relpages", unknown_size},
                                    {"relallvisible", unknown_size},
                                    {"relallfrozen", unknown_size}};
constexpr CatalogColumn kAttribute[] = {{"attmissingval", null}, {"attstattarget", unknown_size}};
constexpr CatalogColumn kAttrdef[] = {{"adbin", null}};
constexpr CatalogColumn kConstraint[] = {{"conbin", null}};
constexpr CatalogColumn kType[] = {{"typdefaultbin", null}, {"typdefault", null}};
constexpr CatalogColumn kProc[] = {
    {"prosrc", null}, {"prosqlbody", null}, {"proargdefaults", null}, {"proconfig", null}, {"probin", null}};
constexpr CatalogColumn kTrigger[] = {{"tgqual", null}, {"tgargs", null}};
constexpr CatalogColumn kRewrite[] = {{"ev_qual", null}, {"ev_action", null}};
constexpr CatalogColumn kPolicy[] = {{"polqual", null}, {"polwithcheck", null}};
constexpr CatalogColumn kPartitioned[] = {{"partexprs", null}};
constexpr CatalogColumn kPublicationRel[] = {{"prqual", null}};
constexpr CatalogColumn kStatisticExt[] = {{"stxexprs", null}, {"stxstattarget", unknown_size}};
constexpr CatalogColumn kDefinition[] = {{"definition", null}};
constexpr CatalogColumn kForeignOptions[] = {{"srvoptions", null}};
constexpr CatalogColumn kForeignTable[] = {{"ftoptions", null}};
constexpr CatalogColumn kForeignWrapper[] = {{"fdwoptions", null}};
constexpr CatalogColumn kUser[] = {{"useconfig", null}};
constexpr CatalogColumn kRoles[] = {{"rolconfig", null}};
constexpr CatalogColumn kRoleSettings[] = {{"setconfig", null}};
constexpr CatalogColumn kSubscription[] = {{"subconninfo", null}};
constexpr CatalogColumn kUserMappings[] = {{"umoptions", null}};
constexpr CatalogColumn kPublicationTables[] = {{"rowfilter", null}};
constexpr CatalogColumn kSequences[] = {{"last_value", null}};  // it counts rows
constexpr CatalogColumn kPolicies[] = {{"qual", null}, {"with_check", null}};
// Of statistics only the names are shown. Numbers of rows, of changes and of reads, and the time of the last
// count, tell about hidden rows, or about others' queries.
constexpr std::string_view kStatTables[] = {"relid", "schemaname", "relname"};
constexpr std::string_view kStatIndexes[] = {"relid", "indexrelid", "schemaname", "relname", "indexrelname"};
constexpr std::string_view kStatDatabases[] = {"datid", "datname"};
constexpr std::string_view kNothing[] = {""};
// What the session itself knows; resolve/resolve_catalog.cpp adds the role and the database. The query is not
// told: the backend's is the rewritten one, with its masks.
constexpr SessionColumn kActivity[] = {{"datname", "pg_catalog.current_database()"},
                                       {"pid", "pg_catalog.pg_backend_pid()"},
                                       {"application_name", "pg_catalog.current_setting('application_name')"},
                                       {"xact_start", "pg_catalog.transaction_timestamp()"},
                                       {"query_start", "pg_catalog.statement_timestamp()"},
                                       {"state_change", "pg_catalog.statement_timestamp()"},
                                       {"state", "'active'::pg_catalog.text"},
                                       {"backend_type", "'client backend'::pg_catalog.text"}};
constexpr SessionColumn kPid[] = {{"pid", "pg_catalog.pg_backend_pid()"}};
constexpr CatalogColumn kIsColumns[] = {{"column_default", null}, {"generation_expression", null}};
constexpr CatalogColumn kIsViews[] = {{"view_definition", null}};
constexpr CatalogColumn kIsRoutines[] = {{"routine_definition", null}};
constexpr CatalogColumn kIsParameters[] = {{"parameter_default", null}};
constexpr CatalogColumn kIsDomains[] = {{"domain_default", null}};
constexpr CatalogColumn kIsChecks[] = {{"check_clause", null}};
constexpr CatalogColumn kIsTriggers[] = {{"action_condition", null}, {"action_statement", null}};

constexpr std::string_view kPg = "pg_catalog";
constexpr std::string_view kIsName = "information_schema";

constexpr OwnRowsRule names(std::string_view column) {
  return {OwnRows::schema_name, column};
}
constexpr OwnRowsRule schemas(std::string_view column) {
  return {OwnRows::schema, column};
}
constexpr OwnRowsRule relations(std::string_view column) {
  return {OwnRows::relation, column};
}

constexpr OwnRowsRule kIndexStatistics{OwnRows::index_relation, "schemaname", "indexrelid"};

constexpr SystemCatalog statistics(std::string_view name, std::span<const std::string_view> only,
                                   OwnRowsRule own = names("schemaname")) {
  return {kPg, name, {}, own, CatalogRows::all, only};
}
constexpr SystemCatalog own_session(std::string_view name, std::span<const SessionColumn> session) {
  return {kPg, name, {}, {}, CatalogRows::own_session, {}, session};
}
constexpr SystemCatalog no_rows(std::string_view schema, std::string_view name) {
  return {schema, name, {}, {}, CatalogRows::none};
}

// Sorted by schema, then name.
constexpr SystemCatalog kCatalogs[] = {
    no_rows(kIsName, "administrable_role_authorizations"),
    no_rows(kIsName, "applicable_roles"),
    {kIsName, "character_sets", {}},
    {kIsName, "check_constraints", kIsChecks, names("constraint_schema")},
    {kIsName, "collation_character_set_applicability", {}},
    {kIsName, "collations", {}},
    {kIsName, "column_domain_usage", {}, names("table_schema")},
    {kIsName, "column_privileges", {}, {OwnRows::column_name, "table_schema", "column_name"}},
    {kIsName, "column_udt_usage", {}, {OwnRows::column_name, "table_schema", "column_name"}},
    {kIsName, "columns", kIsColumns, {OwnRows::column_name, "table_schema", "column_name"}},
    {kIsName, "constraint_column_usage", {}, names("table_schema")},
    {kIsName, "constraint_table_usage", {}, names("table_schema")},
    {kIsName, "domain_constraints", {}, names("constraint_schema")},
    {kIsName, "domain_udt_usage", {}, names("domain_schema")},
    {kIsName, "domains", kIsDomains, names("domain_schema")},
    {kIsName, "element_types", {}, names("object_schema")},
    {kIsName, "enabled_roles", {}},
    {kIsName, "information_schema_catalog_name", {}},
    {kIsName, "key_column_usage", {}, names("table_schema")},
    {kIsName, "parameters", kIsParameters, names("specific_schema")},
    {kIsName, "referential_constraints", {}, names("constraint_schema")},
    {kIsName, "role_column_grants", {}, {OwnRows::column_name, "table_schema", "column_name"}},
    {kIsName, "role_routine_grants", {}, names("routine_schema")},
    {kIsName, "role_table_grants", {}, names("table_schema")},
    {kIsName, "role_udt_grants", {}, names("udt_schema")},
    {kIsName, "role_usage_grants", {}, names("object_schema")},
    {kIsName, "routine_privileges", {}, names("routine_schema")},
    {kIsName, "routines", kIsRoutines, names("routine_schema")},
    {kIsName, "schemata", {}, {OwnRows::own_schema, "schema_name"}},
    {kIsName, "sequences", {}, names("sequence_schema")},
    {kIsName, "sql_features", {}},
    {kIsName, "sql_implementation_info", {}},
    {kIsName, "sql_parts", {}},
    {kIsName, "sql_sizing", {}},
    {kIsName, "table_constraints", {}, names("table_schema")},
    {kIsName, "table_privileges", {}, names("table_schema")},
    {kIsName, "tables", {}, names("table_schema")},
    {kIsName, "triggers", kIsTriggers, names("event_object_schema")},
    {kIsName, "udt_privileges", {}, names("udt_schema")},
    {kIsName, "usage_privileges", {}, names("object_schema")},
    {kIsName, "user_defined_types", {}, names("user_defined_type_schema")},
    {kIsName, "view_column_usage", {}, {OwnRows::column_name, "table_schema", "column_name"}},
    {kIsName, "view_table_usage", {}, names("table_schema")},
    {kIsName, "views", kIsViews, names("table_schema")},
    {kPg, "pg_aggregate", {}},
    no_rows(kPg, "pg_aios"),
    {kPg, "pg_am", {}},
    {kPg, "pg_amop", {}},
    {kPg, "pg_amproc", {}},
    {kPg, "pg_attrdef", kAttrdef, {OwnRows::relation_column, "adrelid", "adnum"}},
    {kPg, "pg_attribute", kAttribute, {OwnRows::attribute, "attrelid", "attname"}},
    {kPg, "pg_auth_members", {}},
    {kPg, "pg_available_extension_versions", {}},
    {kPg, "pg_available_extensions", {}},
    {kPg, "pg_cast", {}},
    {kPg, "pg_class", kClass, {OwnRows::class_of_index, "relnamespace", "oid"}},
    {kPg, "pg_collation", {}},
    {kPg, "pg_constraint", kConstraint, schemas("connamespace")},
    {kPg, "pg_conversion", {}},
    {kPg, "pg_database", {}},
    {kPg, "pg_db_role_setting", kRoleSettings},
    {kPg, "pg_default_acl", {}, schemas("defaclnamespace")},
    {kPg, "pg_depend", {}, {OwnRows::dependency}},
    {kPg, "pg_description", {}, {OwnRows::object, "objoid"}},
    {kPg, "pg_enum", {}},
    {kPg, "pg_event_trigger", {}},
    {kPg, "pg_extension", {}},
    {kPg, "pg_foreign_data_wrapper", kForeignWrapper},
    {kPg, "pg_foreign_server", kForeignOptions},
    {kPg, "pg_foreign_table", kForeignTable, relations("ftrelid")},
    {kPg, "pg_group", {}},
    {kPg, "pg_index", {}, {OwnRows::index, "indrelid"}},
    {kPg, "pg_indexes", {}, {OwnRows::name_of_index, "schemaname", "indexname"}},
    {kPg, "pg_inherits", {}, relations("inhrelid")},
    {kPg, "pg_language", {}},
    no_rows(kPg, "pg_largeobject_metadata"),
    no_rows(kPg, "pg_locks"),
    {kPg, "pg_matviews", kDefinition, names("schemaname")},
    {kPg, "pg_namespace", {}, {OwnRows::own_schema, "nspname"}},
    {kPg, "pg_opclass", {}},
    {kPg, "pg_operator", {}},
    {kPg, "pg_opfamily", {}},
    {kPg, "pg_partitioned_table", kPartitioned, relations("partrelid")},
    {kPg, "pg_policies", kPolicies, names("schemaname")},
    {kPg, "pg_policy", kPolicy, relations("polrelid")},
    no_rows(kPg, "pg_prepared_xacts"),
    {kPg, "pg_proc", kProc, schemas("pronamespace")},
    {kPg, "pg_publication", {}},
    {kPg, "pg_publication_namespace", {}, schemas("pnnspid")},
    {kPg, "pg_publication_rel", kPublicationRel, relations("prrelid")},
    {kPg, "pg_publication_tables", kPublicationTables, names("schemaname")},
    {kPg, "pg_range", {}},
    no_rows(kPg, "pg_replication_origin"),
    no_rows(kPg, "pg_replication_slots"),
    {kPg, "pg_rewrite", kRewrite, relations("ev_class")},
    {kPg, "pg_roles", kRoles},
    {kPg, "pg_rules", kDefinition, names("schemaname")},
    no_rows(kPg, "pg_seclabel"),
    no_rows(kPg, "pg_seclabels"),
    {kPg, "pg_sequence", {}, relations("seqrelid")},
    {kPg, "pg_sequences", kSequences, names("schemaname")},
    {kPg, "pg_settings", {}, {}, CatalogRows::listed_settings},
    {kPg, "pg_shdepend", {}, {OwnRows::object, "objid"}},
    {kPg, "pg_shdescription", {}},
    no_rows(kPg, "pg_shseclabel"),
    own_session("pg_stat_activity", kActivity),
    statistics("pg_stat_all_indexes", kStatIndexes, kIndexStatistics),
    statistics("pg_stat_all_tables", kStatTables),
    statistics("pg_stat_archiver", kNothing, {}),
    statistics("pg_stat_bgwriter", kNothing, {}),
    statistics("pg_stat_checkpointer", kNothing, {}),
    statistics("pg_stat_database", kStatDatabases, {}),
    statistics("pg_stat_database_conflicts", kStatDatabases, {}),
    own_session("pg_stat_gssapi", kPid),
    no_rows(kPg, "pg_stat_io"),
    no_rows(kPg, "pg_stat_progress_analyze"),
    no_rows(kPg, "pg_stat_progress_basebackup"),
    no_rows(kPg, "pg_stat_progress_cluster"),
    no_rows(kPg, "pg_stat_progress_copy"),
    no_rows(kPg, "pg_stat_progress_create_index"),
    no_rows(kPg, "pg_stat_progress_vacuum"),
    no_rows(kPg, "pg_stat_recovery_prefetch"),
    no_rows(kPg, "pg_stat_replication"),
    no_rows(kPg, "pg_stat_replication_slots"),
    no_rows(kPg, "pg_stat_slru"),
    own_session("pg_stat_ssl", kPid),
    no_rows(kPg, "pg_stat_subscription"),
    no_rows(kPg, "pg_stat_subscription_stats"),
    statistics("pg_stat_sys_indexes", kStatIndexes, kIndexStatistics),
    statistics("pg_stat_sys_tables", kStatTables),
    no_rows(kPg, "pg_stat_user_functions"),
    statistics("pg_stat_user_indexes", kStatIndexes, kIndexStatistics),
    statistics("pg_stat_user_tables", kStatTables),
    statistics("pg_stat_wal", kNothing, {}),
    no_rows(kPg, "pg_stat_wal_receiver"),
    statistics("pg_stat_xact_all_tables", kStatTables),
    statistics("pg_stat_xact_sys_tables", kStatTables),
    no_rows(kPg, "pg_stat_xact_user_functions"),
    statistics("pg_stat_xact_user_tables", kStatTables),
    statistics("pg_statio_all_indexes", kStatIndexes, kIndexStatistics),
    statistics("pg_statio_all_sequences", kStatTables),
    statistics("pg_statio_all_tables", kStatTables),  // Sequelize uses it to join comments to tables
    statistics("pg_statio_sys_indexes", kStatIndexes, kIndexStatistics),
    statistics("pg_statio_sys_sequences", kStatTables),
    statistics("pg_statio_sys_tables", kStatTables),
    statistics("pg_statio_user_indexes", kStatIndexes, kIndexStatistics),
    statistics("pg_statio_user_sequences", kStatTables),
    statistics("pg_statio_user_tables", kStatTables),
    {kPg, "pg_statistic_ext", kStatisticExt, {OwnRows::attribute, "stxrelid", "stxname"}},
    {kPg, "pg_subscription", kSubscription},
    {kPg, "pg_tables", {}, names("schemaname")},
    {kPg, "pg_tablespace", {}},
    {kPg, "pg_timezone_abbrevs", {}},
    {kPg, "pg_timezone_names", {}},
    {kPg, "pg_transform", {}},
    {kPg, "pg_trigger", kTrigger, relations("tgrelid")},
    {kPg, "pg_ts_config", {}},
    {kPg, "pg_ts_config_map", {}},
    {kPg, "pg_ts_dict", {}},
    {kPg, "pg_ts_parser", {}},
    {kPg, "pg_ts_template", {}},
    {kPg, "pg_type", kType, schemas("typnamespace")},
    {kPg, "pg_user", kUser},
    {kPg, "pg_user_mappings", kUserMappings},
    {kPg, "pg_views", kDefinition, names("schemaname")},
    {kPg, "pg_wait_events", {}},
};

constexpr bool precedes(const SystemCatalog& a, const SystemCatalog& b) {
  return a.schema != b.schema ? a.schema < b.schema : a.name < b.name;
}

}  // namespace

const SystemCatalog* find_system_catalog(std::string_view schema, std::string_view name) {
  static_assert(std::ranges::is_sorted(kCatalogs, precedes));
  const SystemCatalog key{schema, name, {}};
  const auto* const at = std::lower_bound(std::begin(kCatalogs), std::end(kCatalogs), key, precedes);
  return at != std::end(kCatalogs) && at->schema == schema && at->name == name ? at : nullptr;
}

std::optional<CatalogColumnRule> column_rule(const SystemCatalog& catalog, std::string_view column) {
  if (catalog.rows == CatalogRows::none) return null;
  if (catalog.rows == CatalogRows::own_session) {
    const bool is_known =
        std::ranges::find(catalog.session, column, &SessionColumn::name) != catalog.session.end();
    return is_known ? std::nullopt : std::optional(null);
  }
  if (!catalog.only.empty())
    return std::ranges::find(catalog.only, column) == catalog.only.end() ? std::optional(null) : std::nullopt;
  const auto at = std::ranges::find(catalog.hidden, column, &CatalogColumn::name);
  return at == catalog.hidden.end() ? std::nullopt : std::optional(at->rule);
}

std::span<const SystemCatalog> system_catalogs() {
  return kCatalogs;
}

}  // namespace pgveil::rewriter
