#pragma once
// A refusal: pgveil understood the statement well enough to know that it must not answer it. It is no error
// to recover from, and nothing converts it to success. The client sees SQLSTATE 42501, the message, detail,
// hint and position. Refusals depend on the query and the catalog, never on data (docs/attack-model.md).
#include <cstddef>
#include <string>
#include <string_view>

namespace pgveil {

// The reason. The names are stable, because SHOW REFUSALS and the metrics count by them. Each has at least
// one test.
enum class Reason {
  statement_kind,  // this kind of statement is not open to masked users
  clause,          // a clause pgveil does not let through (INTO, FOR UPDATE, …)
  node_kind,       // a kind of parse-tree node pgveil does not know or never allows
  // no policy and no open_tables entry lists this relation, or this role is no reader of it
  relation_not_listed,
  policy_not_built,      // the policy of this table has no current version: BUILD POLICY is needed
  function_not_listed,   // a function that is not on the list
  operator_not_listed,   // an operator that is not in pg_catalog
  type_not_listed,       // a type that is not in pg_catalog
  collation_not_listed,  // a collation that is not in pg_catalog
  setting_not_listed,    // SET or SHOW of a setting that is not on the list
  name_not_resolved,     // a name that pgveil can't bind to exactly one column with certainty
  system_column,         // ctid, xmin, tableoid … of a protected table
  row_layout,  // ONLY, TABLESAMPLE or a named partition that would show the layout of a protected table
  plan,        // EXPLAIN of a protected table: plans show counts, estimates from raw values, and masks
  view_not_expanded,  // a listed view that can't be put in its place: it reads itself, or too many views do
  unverified          // the rewritten text did not pass the verifier (a gap of pgveil's: nothing was sent)
};

struct Refusal {
  Reason reason;
  std::string message;      // names the part of the query; lower case, no full stop
  std::string hint = {};    // what to do instead
  int position = 0;         // 1-based character in the client's SQL, 0 = none
  std::string detail = {};  // what the client may still know of the statement; a sentence
};

[[nodiscard]] std::string_view reason_name(Reason reason);

inline constexpr std::size_t kReasonCount = static_cast<std::size_t>(Reason::unverified) + 1;

}  // namespace pgveil
