#pragma once
// Which functions a client's SQL may call, by name. For an allowed name, every overload in pg_catalog is safe
// (derive_functions.sql). Everything else is refused.
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

namespace pgveil::rewriter {

enum class FunctionRule {
  refused,
  allowed,          // emitted as pg_catalog.name(…)
  metadata,         // reads catalogs but no data; emitted the same way
  null_value,       // quotes data, paths or counters of the server: becomes NULL of its type (type_of_null)
  constraint_def,   // pg_get_constraintdef: only for primary key, unique and foreign key constraints
  index_def,        // pg_get_indexdef: only for indexes that quote no constant (quoting_index.hpp)
  description,      // pg_describe_object: only for members of extensions
  relation_size,    // only for tables that the client reads as they are; NULL for others
  right,            // has_…_privilege, pg_has_role: the client's rights here (resolve/resolve_right.cpp)
  current_setting,  // only with a constant name that may be shown
  unlock,           // of an advisory lock, which a client can't hold: becomes false
  set_config,       // only alone in a SELECT, with constants and a setting that may be set
  client_schema,    // current_schema(): the first schema of the client's search path
  client_schemas,   // current_schemas(): all of them
  client_role,      // current_user() and the like as functions: the client's role
  identity_arguments,  // pg_get_function_arguments(): shown without defaults, which quote constants
  statement_clock      // clock_timestamp(): becomes statement_timestamp(), because timing tells hidden values
};

// major: of the server, is_supported_major. What this major does not have is refused.
[[nodiscard]] FunctionRule function_rule(std::string_view name, int major);
// The type of pg_catalog that the function returns. REQUIRES: FunctionRule::null_value.
[[nodiscard]] std::string_view type_of_null(std::string_view function);
// The number of arguments when the first one names the role whose right is asked. REQUIRES:
// FunctionRule::right.
[[nodiscard]] std::size_t arguments_with_role(std::string_view function);

// One name of pg_catalog as a fresh cluster of some major has it (derive_functions.sql explains the fields).
// server_check.hpp compares the running server with it.
struct PinnedFunction {
  std::string_view name;
  std::uint64_t definition;
  bool is_pure;
  bool is_machinery;
};
// All of a major, sorted by name. REQUIRES: is_supported_major(major). The list lives as long as the program.
[[nodiscard]] std::span<const PinnedFunction> pinned_functions(int major);
[[nodiscard]] const PinnedFunction* find_pinned_function(std::string_view name, int major);  // nullptr: none

// Whether an allowed function says something of the session, the server or the moment, or is random: the same
// rows could give another result. The one-argument form of age() counts from today.
[[nodiscard]] bool depends_on_moment(std::string_view name, std::size_t arguments);

// Whether this function of another schema may be called. The only one is information_schema._pg_expandarray,
// which turns an array into rows; JDBC uses it to take keys and indexes apart.
[[nodiscard]] bool is_listed_elsewhere(std::string_view schema, std::string_view name);

// Collations, sampling methods and operators need no list: all of pg_catalog's are safe.

}  // namespace pgveil::rewriter
