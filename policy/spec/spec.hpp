#pragma once
// What a data owner wrote: one policy for one table. A plain value. spec_reader.hpp reads it from YAML, and
// rewriter/compile/policy_check.hpp checks it against a live catalog.
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

// The limit keeps masks shallow: they nest one CASE per released attribute, and depth costs PostgreSQL, the
// parser and this proxy alike.
inline constexpr std::size_t kMaxQuasiIdentifiers = 64;

enum class ColumnClass {
  identifier,        // always NULL to a masked user
  quasi_identifier,  // shown where the disclosure tree released the row's own value
  sensitive,         // shown; may carry constraints on its values in each cohort
  insensitive,       // shown
  key                // shown as a pseudonym, the same one in all tables of its domain
};

struct ColumnRule {
  std::string name;
  ColumnClass column_class;
  // l_diversity and t_closeness; only on sensitive columns.
  std::vector<Constraint> constraints;
  yaml::Position at;
  // The level that a quasi-identifier shows. Its source is another column, whose `generalize` names this one
  // (the reader adds this rule right after the source's), or the column itself: then its exact value is never
  // shown.
  std::optional<Level> level = std::nullopt;
  // Exactly the columns of class key have one: the name of what the key's values are, such as patient.
  std::optional<std::string> domain = std::nullopt;
};

// The rows of a policy with `source` are evaluated once in each BUILD. The policy's schema and table are then
// the name under which readers find them.
struct Source {
  // A SELECT as the owner wrote it, published as pgveil.<name of the policy>. Empty: the view, materialized
  // view, foreign table or table that schema and table name.
  std::string select;
  bool operator==(const Source&) const = default;
};

[[nodiscard]] bool has_constraint(const ColumnRule& rule, ConstraintMode mode);
[[nodiscard]] bool needs_order(const ColumnRule& rule);  // needs an order of its values

// Where the masks are. query: in each query. stored: in a generated column of the table, which keeps for each
// row what is released of it. copy: in a table of masked rows, which each BUILD makes and which is read in
// the table's place.
enum class Enforcement { query, stored, copy };

// A generated column for stored masks has a bit for each of at most this many attributes.
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
  std::optional<Source> source = std::nullopt;  // only with enforcement: copy
  std::uint64_t k = 0;                          // ≥ 2
  Growth growth;
  // The column whose distinct non-NULL values are counted; none: each row is one unit.
  std::optional<std::string> unit;
  // The table has one row for each member of this domain, such as patient (entity_group.hpp).
  std::optional<std::string> entity = std::nullopt;
  // Of a table with a key: rows of one person beyond this number are left out.
  std::optional<std::uint64_t> max_rows_per_person = std::nullopt;
  std::vector<std::string> readers;       // client roles that may read the table; default nobody
  bool is_access_from_database = false;   // PostgreSQL's grants say who may read; never together with readers
  std::vector<std::string> exempt_roles;  // read it without masks; still parsed, checked and verified
  std::vector<ColumnRule> columns;  // file order; columns of the table that are not listed are hidden (NULL)
  Enforcement enforcement = Enforcement::query;
  DriftRule drift;
  // The running proxy builds again when the version is this old; nullopt: only when asked.
  std::optional<std::int64_t> rebuild_every_ms;
  // The owner's reason to let this policy stand beside another one over the same table although together they
  // are finer than k.
  std::optional<std::string> accept_joint_release;
  // The owner's reason to let the order of rows follow hidden columns.
  std::optional<std::string> accept_order_leak;
  std::string hash;  // hex SHA-256 of the canonical form (canonical_text in spec_reader.hpp): any change that
                     // changes what is released changes it; comments and layout do not
  // Set where the text names no strategy: the hash that versions built when `greedy` was the default have.
  // Such versions stay in use.
  std::optional<std::string> hash_before;
  yaml::Position at;
};

using Specs = std::vector<std::shared_ptr<const PolicySpec>>;

}  // namespace pgveil::policy
