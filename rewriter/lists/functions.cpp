#include "rewriter/lists/functions.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include "common/assert.hpp"
#include "rewriter/lists/null_functions.hpp"

namespace pgveil::rewriter {
namespace {

constexpr auto kPinned = std::to_array<PinnedFunction>({
#include "rewriter/lists/pg15_functions.inc"
});

// Functions that psql, drivers and BI tools use on catalogs. They show names and types, never rows.
// pg_get_expr is harmless because the catalogs show clients no expression that has a constant in it
// (system_catalogs.cpp). Access control lists name roles and rights, which the catalogs show, too.
// So is pg_advisory_unlock_all, which pools send, because a client cannot take an advisory lock. Sorted.
constexpr auto kMetadata = std::to_array<std::string_view>({
    "acldefault",
    "aclexplode",
    "col_description",
    "format_type",
    "getdatabaseencoding",
    "obj_description",
    "pg_advisory_unlock_all",
    "pg_available_extension_versions",
    "pg_available_extensions",
    "pg_backend_pid",
    "pg_collation_is_visible",
    "pg_column_is_updatable",
    "pg_conversion_is_visible",
    "pg_function_is_visible",
    "pg_get_expr",
    "pg_get_function_identity_arguments",
    "pg_get_function_result",
    "pg_get_serial_sequence",
    "pg_get_userbyid",
    "pg_index_column_has_property",
    "pg_index_has_property",
    "pg_indexam_has_property",
    "pg_is_in_recovery",
    "pg_is_other_temp_schema",
    "pg_my_temp_schema",
    "pg_opclass_is_visible",
    "pg_operator_is_visible",
    "pg_opfamily_is_visible",
    "pg_options_to_table",
    "pg_partition_ancestors",
    "pg_relation_is_publishable",
    "pg_relation_is_updatable",
    "pg_statistics_obj_is_visible",
    "pg_table_is_visible",
    "pg_timezone_abbrevs",
    "pg_timezone_names",
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

// Functions and their number of arguments when the first is a role. Sorted.
constexpr auto kRights = std::to_array<std::pair<std::string_view, std::size_t>>({
    {"has_any_column_privilege", 3},
    {"has_column_privilege", 4},
    {"has_database_privilege", 3},
    {"has_foreign_data_wrapper_privilege", 3},
    {"has_function_privilege", 3},
    {"has_language_privilege", 3},
    {"has_schema_privilege", 3},
    {"has_sequence_privilege", 3},
    {"has_server_privilege", 3},
    {"has_table_privilege", 3},
    {"has_tablespace_privilege", 3},
    {"has_type_privilege", 3},
    {"pg_has_role", 3},
});

constexpr auto kSizes = std::to_array<std::string_view>(
    {"pg_indexes_size", "pg_relation_size", "pg_table_size", "pg_total_relation_size"});

// Of the allowed functions. Sorted.
constexpr auto kOfMoment = std::to_array<std::string_view>(
    {"current_database", "gen_random_uuid", "get_current_ts_config", "now", "pg_client_encoding", "random",
     "statement_timestamp", "transaction_timestamp", "version"});

constexpr auto kClientRole =
    std::to_array<std::string_view>({"current_user", "getpgusername", "session_user"});

template <std::size_t N>
bool contains(const std::array<std::string_view, N>& names, std::string_view name) {
  return std::ranges::binary_search(names, name);
}

// Searches an array of pairs that is sorted by the first member; null: not found.
template <class Pairs>
auto* find_in(const Pairs& pairs, std::string_view name) {
  const auto at = std::ranges::lower_bound(pairs, name, {}, [](const auto& pair) { return pair.first; });
  return at != pairs.end() && at->first == name ? &at->second : nullptr;
}

bool is_pure(std::string_view name) {
  const PinnedFunction* found = find_pinned_function(name);
  return found != nullptr && found->is_pure;
}

}  // namespace

std::span<const PinnedFunction> pinned_functions() {
  return kPinned;
}

const PinnedFunction* find_pinned_function(std::string_view name) {
  const auto at = std::ranges::lower_bound(kPinned, name, {}, &PinnedFunction::name);
  return at != kPinned.end() && at->name == name ? &*at : nullptr;
}

bool depends_on_moment(std::string_view name, std::size_t arguments) {
  static_assert(std::ranges::is_sorted(kOfMoment));
  return contains(kOfMoment, name) || (name == "age" && arguments == 1);
}

bool is_listed_elsewhere(std::string_view schema, std::string_view name) {
  return schema == "information_schema" && name == "_pg_expandarray";
}

std::string_view type_of_null(std::string_view function) {
  const auto type = null_type(function);
  PGVEIL_ASSERT(type.has_value());
  return *type;
}

std::size_t arguments_with_role(std::string_view function) {
  const auto* count = find_in(kRights, function);
  PGVEIL_ASSERT(count != nullptr);
  return *count;
}

FunctionRule function_rule(std::string_view name) {
  static_assert(std::ranges::is_sorted(kPinned, {}, &PinnedFunction::name));
  static_assert(std::ranges::is_sorted(kMetadata));
  static_assert(std::ranges::is_sorted(kSizes) && std::ranges::is_sorted(kClientRole));
  static_assert(std::ranges::is_sorted(kRights));
  if (contains(kClientRole, name)) return FunctionRule::client_role;
  if (is_pure(name) || contains(kOutput, name)) return FunctionRule::allowed;
  if (contains(kMetadata, name)) return FunctionRule::metadata;
  if (null_type(name)) return FunctionRule::null_value;
  if (find_in(kRights, name) != nullptr) return FunctionRule::right;
  if (contains(kSizes, name)) return FunctionRule::relation_size;
  if (name == "pg_describe_object") return FunctionRule::description;
  if (name == "pg_get_constraintdef") return FunctionRule::constraint_def;
  if (name == "pg_get_indexdef") return FunctionRule::index_def;
  if (name == "current_setting") return FunctionRule::current_setting;
  if (name == "set_config") return FunctionRule::set_config;
  if (name == "current_schema") return FunctionRule::client_schema;
  if (name == "current_schemas") return FunctionRule::client_schemas;
  if (name == "pg_advisory_unlock" || name == "pg_advisory_unlock_shared") return FunctionRule::unlock;
  if (name == "pg_get_function_arguments") return FunctionRule::identity_arguments;
  if (name == "clock_timestamp") return FunctionRule::statement_clock;
  return FunctionRule::refused;
}

}  // namespace pgveil::rewriter
