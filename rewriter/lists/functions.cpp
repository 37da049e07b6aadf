#include "rewriter/lists/functions.hpp"

#include <algorithm>
#include <array>
#include <utility>
#include <vector>

#include "common/assert.hpp"
#include "rewriter/lists/null_functions.hpp"
#include "rewriter/lists/supported_server.hpp"

namespace pgveil::rewriter {
namespace {

constexpr auto kOf15 = std::to_array<PinnedFunction>({
#include "rewriter/lists/pg15_functions.inc"
});

// A name that the major before had. No function hashes to 0.
constexpr PinnedFunction gone(std::string_view name) {
  return {name, 0, false, false};
}

// What each major has changed since the one before. Sorted.
constexpr auto kSince15 = std::to_array<PinnedFunction>({
#include "rewriter/lists/pg16_functions.inc"
});
constexpr auto kSince16 = std::to_array<PinnedFunction>({
#include "rewriter/lists/pg17_functions.inc"
});
constexpr auto kSince17 = std::to_array<PinnedFunction>({
#include "rewriter/lists/pg18_functions.inc"
});

using FunctionList = std::vector<PinnedFunction>;

FunctionList with_changes(std::span<const PinnedFunction> before, std::span<const PinnedFunction> changes) {
  FunctionList out;
  const auto* change = changes.data();
  const auto* const end = changes.data() + changes.size();
  const auto take = [&] {
    if (change->definition != 0) out.push_back(*change);
    ++change;
  };
  for (const PinnedFunction& function : before) {
    while (change != end && change->name < function.name) take();
    if (change != end && change->name == function.name) {
      take();
    } else {
      out.push_back(function);
    }
  }
  while (change != end) take();
  return out;
}

// From kOldestMajor on.
using FunctionLists = std::array<FunctionList, kNewestMajor - kOldestMajor + 1>;

const FunctionLists& function_lists() {
  static const FunctionLists lists = [] {
    FunctionLists out;
    out[0].assign(kOf15.begin(), kOf15.end());
    out[1] = with_changes(out[0], kSince15);
    out[2] = with_changes(out[1], kSince16);
    out[3] = with_changes(out[2], kSince17);
    return out;
  }();
  return lists;
}

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
    "pg_basetype",
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
    "pg_timezone_abbrevs_abbrevs",
    "pg_timezone_abbrevs_zone",
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
    "to_regtypemod",
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
    {"current_database", "gen_random_uuid", "get_current_ts_config", "icu_unicode_version", "now",
     "pg_client_encoding", "random", "statement_timestamp", "transaction_timestamp", "unicode_version",
     "uuidv4", "version"});

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

bool is_pure(std::string_view name, int major) {
  const PinnedFunction* found = find_pinned_function(name, major);
  return found != nullptr && found->is_pure;
}

}  // namespace

std::span<const PinnedFunction> pinned_functions(int major) {
  PGVEIL_ASSERT(is_supported_major(major));
  return function_lists()[static_cast<std::size_t>(major - kOldestMajor)];
}

const PinnedFunction* find_pinned_function(std::string_view name, int major) {
  const auto functions = pinned_functions(major);
  const auto at = std::ranges::lower_bound(functions, name, {}, &PinnedFunction::name);
  return at != functions.end() && at->name == name ? &*at : nullptr;
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

FunctionRule function_rule(std::string_view name, int major) {
  static_assert(std::ranges::is_sorted(kOf15, {}, &PinnedFunction::name));
  static_assert(std::ranges::is_sorted(kSince15, {}, &PinnedFunction::name));
  static_assert(std::ranges::is_sorted(kSince16, {}, &PinnedFunction::name));
  static_assert(std::ranges::is_sorted(kSince17, {}, &PinnedFunction::name));
  static_assert(std::ranges::is_sorted(kMetadata));
  static_assert(std::ranges::is_sorted(kSizes) && std::ranges::is_sorted(kClientRole));
  static_assert(std::ranges::is_sorted(kRights));
  if (find_pinned_function(name, major) == nullptr) return FunctionRule::refused;
  if (contains(kClientRole, name)) return FunctionRule::client_role;
  if (is_pure(name, major) || contains(kOutput, name)) return FunctionRule::allowed;
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
