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
                                    {"relallvisible", unknown_size}};
constexpr CatalogColumn kAttribute[] = {{"attmissingval", null}, {"attstattarget", unknown_size}};
constexpr CatalogColumn kAttrdef[] = {{"adbin", null}};
constexpr CatalogColumn kConstraint[] = {{"conbin", null}};
constexpr CatalogColumn kIndex[] = {{"indexprs", null}, {"indpred", null}};
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
constexpr CatalogColumn kIndexdef[] = {{"indexdef", null}};
constexpr CatalogColumn kForeignOptions[] = {{"srvoptions", null}};
constexpr CatalogColumn kForeignTable[] = {{"ftoptions", null}};
constexpr CatalogColumn kForeignWrapper[] = {{"fdwoptions", null}};
constexpr CatalogColumn kUser[] = {{"useconfig", null}};
constexpr CatalogColumn kRoles[] = {{"rolconfig", null}};
constexpr CatalogColumn kRoleSettings[] = {{"setconfig", null}};
constexpr CatalogColumn kSubscription[] = {{"subconninfo", null}};
constexpr CatalogColumn kUserMappings[] = {{"umoptions", null}};
constexpr CatalogColumn kPublicationTables[] = {{"rowfilter", null}};
constexpr CatalogColumn kStatioTables[] = {
    {"heap_blks_read", null},  {"heap_blks_hit", null},  {"idx_blks_read", null},  {"idx_blks_hit", null},
    {"toast_blks_read", null}, {"toast_blks_hit", null}, {"tidx_blks_read", null}, {"tidx_blks_hit", null}};
// Numbers of rows, of changes and of reads, and the time of the last count: each tells about hidden rows, or
// about others' queries.
constexpr CatalogColumn kStatTables[] = {
    {"seq_scan", null},         {"seq_tup_read", null},        {"idx_scan", null},
    {"idx_tup_fetch", null},    {"n_tup_ins", null},           {"n_tup_upd", null},
    {"n_tup_del", null},        {"n_tup_hot_upd", null},       {"n_live_tup", null},
    {"n_dead_tup", null},       {"n_mod_since_analyze", null}, {"n_ins_since_vacuum", null},
    {"last_vacuum", null},      {"last_autovacuum", null},     {"last_analyze", null},
    {"last_autoanalyze", null}, {"vacuum_count", null},        {"autovacuum_count", null},
    {"analyze_count", null},    {"autoanalyze_count", null}};
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

// Sorted by schema, then name.
constexpr SystemCatalog kCatalogs[] = {
    {kIsName, "character_sets", {}},
    {kIsName, "check_constraints", kIsChecks, names("constraint_schema")},
    {kIsName, "column_privileges", {}, {OwnRows::column_name, "table_schema", "column_name"}},
    {kIsName, "columns", kIsColumns, {OwnRows::column_name, "table_schema", "column_name"}},
    {kIsName, "constraint_column_usage", {}, names("table_schema")},
    {kIsName, "constraint_table_usage", {}, names("table_schema")},
    {kIsName, "domain_constraints", {}, names("constraint_schema")},
    {kIsName, "domains", kIsDomains, names("domain_schema")},
    {kIsName, "element_types", {}, names("object_schema")},
    {kIsName, "enabled_roles", {}},
    {kIsName, "key_column_usage", {}, names("table_schema")},
    {kIsName, "parameters", kIsParameters, names("specific_schema")},
    {kIsName, "referential_constraints", {}, names("constraint_schema")},
    {kIsName, "routine_privileges", {}, names("routine_schema")},
    {kIsName, "routines", kIsRoutines, names("routine_schema")},
    {kIsName, "schemata", {}, {OwnRows::own_schema, "schema_name"}},
    {kIsName, "sequences", {}, names("sequence_schema")},
    {kIsName, "sql_features", {}},
    {kIsName, "table_constraints", {}, names("table_schema")},
    {kIsName, "table_privileges", {}, names("table_schema")},
    {kIsName, "tables", {}, names("table_schema")},
    {kIsName, "triggers", kIsTriggers, names("event_object_schema")},
    {kIsName, "views", kIsViews, names("table_schema")},
    {kPg, "pg_aggregate", {}},
    {kPg, "pg_am", {}},
    {kPg, "pg_amop", {}},
    {kPg, "pg_amproc", {}},
    {kPg, "pg_attrdef", kAttrdef, {OwnRows::relation_column, "adrelid", "adnum"}},
    {kPg, "pg_attribute", kAttribute, {OwnRows::attribute, "attrelid", "attname"}},
    {kPg, "pg_auth_members", {}},
    {kPg, "pg_available_extensions", {}},
    {kPg, "pg_cast", {}},
    {kPg, "pg_class", kClass, schemas("relnamespace")},
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
    {kPg, "pg_index", kIndex, relations("indrelid")},
    {kPg, "pg_indexes", kIndexdef, names("schemaname")},
    {kPg, "pg_inherits", {}, relations("inhrelid")},
    {kPg, "pg_language", {}},
    {kPg, "pg_matviews", kDefinition, names("schemaname")},
    {kPg, "pg_namespace", {}, {OwnRows::own_schema, "nspname"}},
    {kPg, "pg_opclass", {}},
    {kPg, "pg_operator", {}},
    {kPg, "pg_opfamily", {}},
    {kPg, "pg_partitioned_table", kPartitioned, relations("partrelid")},
    {kPg, "pg_policy", kPolicy, relations("polrelid")},
    {kPg, "pg_proc", kProc, schemas("pronamespace")},
    {kPg, "pg_publication", {}},
    {kPg, "pg_publication_namespace", {}, schemas("pnnspid")},
    {kPg, "pg_publication_rel", kPublicationRel, relations("prrelid")},
    {kPg, "pg_publication_tables", kPublicationTables, names("schemaname")},
    {kPg, "pg_range", {}},
    {kPg, "pg_rewrite", kRewrite, relations("ev_class")},
    {kPg, "pg_roles", kRoles},
    {kPg, "pg_sequence", {}, relations("seqrelid")},
    {kPg, "pg_settings", {}, {}, true},
    {kPg, "pg_shdescription", {}},
    {kPg, "pg_stat_all_tables", kStatTables, names("schemaname")},
    {kPg, "pg_stat_user_tables", kStatTables, names("schemaname")},
    {kPg, "pg_statio_all_tables", kStatioTables,
     names("schemaname")},  // Sequelize uses it to join comments to tables
    {kPg, "pg_statistic_ext", kStatisticExt, {OwnRows::attribute, "stxrelid", "stxname"}},
    {kPg, "pg_subscription", kSubscription},
    {kPg, "pg_tables", {}, names("schemaname")},
    {kPg, "pg_tablespace", {}},
    {kPg, "pg_timezone_names", {}},
    {kPg, "pg_trigger", kTrigger, relations("tgrelid")},
    {kPg, "pg_ts_config", {}},
    {kPg, "pg_ts_dict", {}},
    {kPg, "pg_ts_parser", {}},
    {kPg, "pg_ts_template", {}},
    {kPg, "pg_type", kType, schemas("typnamespace")},
    {kPg, "pg_user", kUser},
    {kPg, "pg_user_mappings", kUserMappings},
    {kPg, "pg_views", kDefinition, names("schemaname")},
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

std::span<const SystemCatalog> system_catalogs() {
  return kCatalogs;
}

}  // namespace pgveil::rewriter
