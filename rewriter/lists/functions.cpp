#include "rewriter/lists/functions.hpp"

#include <algorithm>
#include <array>

namespace pgveil::rewriter {
namespace {

constexpr auto kPure = std::to_array<std::string_view>({
#include "rewriter/lists/pg15_functions.inc"
});

// What psql, drivers and BI tools ask of catalogs. They show names, types, privileges and sizes, never rows. pg_get_expr
// is harmless because the catalogs' expression columns are NULL to clients (system_catalogs.cpp); so is
// pg_advisory_unlock_all, which pools send: a client can't take an advisory lock. Sorted.
constexpr auto kMetadata = std::to_array<std::string_view>({
    "col_description",
    "format_type",
    "getdatabaseencoding",
    "has_any_column_privilege",
    "has_column_privilege",
    "has_database_privilege",
    "has_foreign_data_wrapper_privilege",
    "has_function_privilege",
    "has_language_privilege",
    "has_schema_privilege",
    "has_sequence_privilege",
    "has_server_privilege",
    "has_table_privilege",
    "has_tablespace_privilege",
    "has_type_privilege",
    "obj_description",
    "pg_advisory_unlock_all",
    "pg_backend_pid",
    "pg_collation_is_visible",
    "pg_column_is_updatable",
    "pg_conversion_is_visible",
    "pg_database_size",
    "pg_describe_object",
    "pg_function_is_visible",
    "pg_get_expr",
    "pg_get_function_arguments",
    "pg_get_function_identity_arguments",
    "pg_get_function_result",
    "pg_get_serial_sequence",
    "pg_get_userbyid",
    "pg_has_role",
    "pg_indexes_size",
    "pg_is_in_recovery",
    "pg_is_other_temp_schema",
    "pg_my_temp_schema",
    "pg_opclass_is_visible",
    "pg_operator_is_visible",
    "pg_opfamily_is_visible",
    "pg_partition_ancestors",
    "pg_relation_is_publishable",
    "pg_relation_is_updatable",
    "pg_relation_size",
    "pg_statistics_obj_is_visible",
    "pg_table_is_visible",
    "pg_table_size",
    "pg_tablespace_size",
    "pg_total_relation_size",
    "pg_ts_config_is_visible",
    "pg_ts_dict_is_visible",
    "pg_ts_parser_is_visible",
    "pg_ts_template_is_visible",
    "pg_type_is_visible",
    "shobj_description",
    "to_regclass",
    "to_regcollation",
    "to_regnamespace",
    "to_regoper",
    "to_regoperator",
    "to_regproc",
    "to_regprocedure",
    "to_regrole",
    "to_regtype",
});

// Output functions that people call by name: they show what SELECT shows. Sorted.
constexpr auto kOutput = std::to_array<std::string_view>({"record_out"});

constexpr auto kNullText = std::to_array<std::string_view>({
    "pg_get_function_sqlbody",
    "pg_get_functiondef",
    "pg_get_partkeydef",
    "pg_get_ruledef",
    "pg_get_statisticsobjdef",
    "pg_get_statisticsobjdef_columns",
    "pg_get_triggerdef",
    "pg_get_viewdef",
    "pg_tablespace_location",
});

constexpr auto kClientRole =
    std::to_array<std::string_view>({"current_user", "getpgusername", "session_user"});

template <std::size_t N>
bool contains(const std::array<std::string_view, N>& names, std::string_view name) {
  return std::ranges::binary_search(names, name);
}

}  // namespace

bool is_listed_elsewhere(std::string_view schema, std::string_view name) {
  return schema == "information_schema" && name == "_pg_expandarray";
}

FunctionRule function_rule(std::string_view name) {
  static_assert(std::ranges::is_sorted(kPure) && std::ranges::is_sorted(kMetadata));
  static_assert(std::ranges::is_sorted(kNullText) && std::ranges::is_sorted(kClientRole));
  if (contains(kClientRole, name)) return FunctionRule::client_role;
  if (contains(kPure, name) || contains(kOutput, name)) return FunctionRule::allowed;
  if (contains(kMetadata, name)) return FunctionRule::metadata;
  if (contains(kNullText, name)) return FunctionRule::null_text;
  if (name == "pg_get_constraintdef") return FunctionRule::constraint_def;
  if (name == "pg_get_indexdef") return FunctionRule::index_def;
  if (name == "current_setting") return FunctionRule::current_setting;
  if (name == "set_config") return FunctionRule::set_config;
  if (name == "current_schema") return FunctionRule::client_schema;
  if (name == "current_schemas") return FunctionRule::client_schemas;
  if (name == "clock_timestamp") return FunctionRule::statement_clock;
  return FunctionRule::refused;
}

}  // namespace pgveil::rewriter
