#pragma once
// What a data owner wrote: one policy for one table. A value; reading it from YAML is spec_reader.hpp,
// checking it against a live catalog is rewriter/compile/policy_check.hpp.
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "common/yaml.hpp"
#include "policy/level/level.hpp"
#include "policy/spec/constraint.hpp"
#include "policy/spec/growth.hpp"

namespace pgveil::policy {

// Masks nest one CASE per released attribute; PostgreSQL, the parser and this proxy all pay for depth.
inline constexpr std::size_t kMaxQuasiIdentifiers = 64;

enum class ColumnClass {
  identifier,        // always NULL to a masked user
  quasi_identifier,  // shown where the disclosure tree released the row's own value
  sensitive,         // shown; may carry constraints on its values in each cohort
  insensitive        // shown
};

struct ColumnRule {
  std::string name;
  ColumnClass column_class;
  // l_diversity and t_closeness; only on sensitive columns.
  std::vector<Constraint> constraints;
  yaml::Position at;
  // Of a quasi-identifier that shows a level: of another column (`generalize` there names this one, which the
  // reader adds to the list right after it), or, if it is its own source, of itself: then its exact value is
  // never shown.
  std::optional<Level> level = std::nullopt;
};

[[nodiscard]] bool has_constraint(const ColumnRule& rule, ConstraintMode mode);
[[nodiscard]] bool needs_order(const ColumnRule& rule);  // of its values

// Where the masks are: in each query; in a generated column of the table, which keeps for each row what is
// released of it; or in a table of masked rows that each BUILD makes and that is read in the table's place.
enum class Enforcement { query, stored, copy };

// What one such column has a bit for.
inline constexpr std::size_t kMaxStoredAttributes = 31;

enum class DriftAction { suppress, alert };

struct DriftRule {
  std::int64_t check_every_ms = 24LL * 60 * 60 * 1000;
  DriftAction action = DriftAction::suppress;
};

struct PolicySpec {
  std::string name;  // [a-z_][a-z0-9_]{0,62}
  std::string database;
  std::string schema;
  std::string table;
  std::uint64_t k = 0;  // ≥ 2
  Growth growth;
  // Column whose distinct non-NULL values are counted; none: each row is one unit.
  std::optional<std::string> unit;
  std::vector<std::string> readers;       // client roles that may read the table; default nobody
  bool is_access_from_database = false;   // PostgreSQL's grants say who else; never together with readers
  std::vector<std::string> exempt_roles;  // read it without masks; still parsed, checked and verified
  std::vector<ColumnRule> columns;  // file order; columns of the table that are not listed are hidden (NULL)
  Enforcement enforcement = Enforcement::query;
  DriftRule drift;
  // The running proxy builds again when the version is this old; nullopt: only when asked.
  std::optional<std::int64_t> rebuild_every_ms;
  // Why the owner lets this policy stand beside another one over the same table though together they are
  // finer than k.
  std::optional<std::string> accept_joint_release;
  // Why the owner lets the order of rows follow hidden columns.
  std::optional<std::string> accept_order_leak;
  std::string hash;  // hex SHA-256 of the canonical form (canonical_text in spec_reader.hpp): any change that
                     // changes what is released changes it; comments and layout do not
  // Where the text names no strategy: the hash that versions of it carry from when `greedy` was the default.
  // They stay in use.
  std::optional<std::string> hash_before;
  yaml::Position at;
};

using Specs = std::vector<std::shared_ptr<const PolicySpec>>;

}  // namespace pgveil::policy
