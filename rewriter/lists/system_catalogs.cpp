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
constexpr CatalogColumn kIsColumns[] = {{"column_default", null}, {"generation_expression", null}};
constexpr CatalogColumn kIsViews[] = {{"view_definition", null}};
constexpr CatalogColumn kIsRoutines[] = {{"routine_definition", null}};
constexpr CatalogColumn kIsParameters[] = {{"parameter_default", null}};
constexpr CatalogColumn kIsDomains[] = {{"domain_default", null}};
constexpr CatalogColumn kIsChecks[] = {{"check_clause", null}};
constexpr CatalogColumn kIsTriggers[] = {{"action_condition", null}, {"action_statement", null}};

constexpr std::string_view kPg = "pg_catalog";
constexpr std::string_view kIs = "information_schema";

// Sorted by schema, then name.
constexpr SystemCatalog kCatalogs[] = {
    {kIs, "character_sets", {}},
    {kIs, "check_constraints", kIsChecks},
    {kIs, "column_privileges", {}, false, "column_name"},
    {kIs, "columns", kIsColumns, false, "column_name"},
    {kIs, "constraint_column_usage", {}},
    {kIs, "constraint_table_usage", {}},
    {kIs, "domain_constraints", {}},
    {kIs, "domains", kIsDomains},
    {kIs, "element_types", {}},
    {kIs, "enabled_roles", {}},
    {kIs, "key_column_usage", {}},
    {kIs, "parameters", kIsParameters},
    {kIs, "referential_constraints", {}},
    {kIs, "routine_privileges", {}},
    {kIs, "routines", kIsRoutines},
    {kIs, "schemata", {}},
    {kIs, "sequences", {}},
    {kIs, "sql_features", {}},
    {kIs, "table_constraints", {}},
    {kIs, "table_privileges", {}},
    {kIs, "tables", {}},
    {kIs, "triggers", kIsTriggers},
    {kIs, "views", kIsViews},
    {kPg, "pg_aggregate", {}},
    {kPg, "pg_am", {}},
    {kPg, "pg_amop", {}},
    {kPg, "pg_amproc", {}},
    {kPg, "pg_attrdef", kAttrdef},
    {kPg, "pg_attribute", kAttribute, false, "attname"},
    {kPg, "pg_auth_members", {}},
    {kPg, "pg_available_extensions", {}},
    {kPg, "pg_cast", {}},
    {kPg, "pg_class", kClass},
    {kPg, "pg_collation", {}},
    {kPg, "pg_constraint", kConstraint},
    {kPg, "pg_conversion", {}},
    {kPg, "pg_database", {}},
    {kPg, "pg_db_role_setting", kRoleSettings},
    {kPg, "pg_default_acl", {}},
    {kPg, "pg_depend", {}},
    {kPg, "pg_description", {}},
    {kPg, "pg_enum", {}},
    {kPg, "pg_event_trigger", {}},
    {kPg, "pg_extension", {}},
    {kPg, "pg_foreign_data_wrapper", kForeignWrapper},
    {kPg, "pg_foreign_server", kForeignOptions},
    {kPg, "pg_foreign_table", kForeignTable},
    {kPg, "pg_group", {}},
    {kPg, "pg_index", kIndex},
    {kPg, "pg_indexes", kIndexdef},
    {kPg, "pg_inherits", {}},
    {kPg, "pg_language", {}},
    {kPg, "pg_matviews", kDefinition},
    {kPg, "pg_namespace", {}},
    {kPg, "pg_opclass", {}},
    {kPg, "pg_operator", {}},
    {kPg, "pg_opfamily", {}},
    {kPg, "pg_partitioned_table", kPartitioned},
    {kPg, "pg_policy", kPolicy},
    {kPg, "pg_proc", kProc},
    {kPg, "pg_publication", {}},
    {kPg, "pg_publication_namespace", {}},
    {kPg, "pg_publication_rel", kPublicationRel},
    {kPg, "pg_publication_tables", kPublicationTables},
    {kPg, "pg_range", {}},
    {kPg, "pg_rewrite", kRewrite},
    {kPg, "pg_roles", kRoles},
    {kPg, "pg_sequence", {}},
    {kPg, "pg_settings", {}, true},
    {kPg, "pg_shdescription", {}},
    {kPg, "pg_statio_all_tables", kStatioTables},  // Sequelize joins comments to tables through it
    {kPg, "pg_statistic_ext", kStatisticExt},
    {kPg, "pg_subscription", kSubscription},
    {kPg, "pg_tables", {}},
    {kPg, "pg_tablespace", {}},
    {kPg, "pg_timezone_names", {}},
    {kPg, "pg_trigger", kTrigger},
    {kPg, "pg_ts_config", {}},
    {kPg, "pg_ts_dict", {}},
    {kPg, "pg_ts_parser", {}},
    {kPg, "pg_ts_template", {}},
    {kPg, "pg_type", kType},
    {kPg, "pg_user", kUser},
    {kPg, "pg_user_mappings", kUserMappings},
    {kPg, "pg_views", kDefinition},
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
