#pragma once
// What `pgveil check` finds: a fact about a server, a database or a policy that an owner should know of,
// decide on or fix. Findings are plain values. review/ and daemon/ make them, and daemon/ and cli/ print and
// log them. docs/check.md lists all of them.
#include <string>
#include <string_view>
#include <vector>

namespace pgveil {

enum class Severity {
  note,     // worth knowing
  warning,  // somebody should decide; nothing is refused
  error     // check exits with 1; serve, BUILD or EXPORT refuse (docs/check.md says which)
};

enum class FindingKind {
  // The server (review/server_check.hpp).
  function_dropped,  // a listed function is not what PostgreSQL 15 has: calls are refused
  server_machinery,  // a function that operators, casts or types work through is not PostgreSQL 15's
  quoting_column,  // a readable catalog has a column of a type that quotes data, which the lists do not hide
  added_builtin,   // somebody put an operator or a type into pg_catalog
  operator_overload,  // an operator that one of pg_catalog's name could mean, and that clients may not use
  function_overload,  // the same for functions
  extension_changed,  // functions of a reviewed extension are not those that were reviewed
  unnamed_function,  // a function that is not in C runs whenever values of a type are sorted, read or written
  open_function,     // open_functions opens what may do more than compute, or names nothing
  user_cast,         // a cast through a function that is not PostgreSQL's
  // What surrounds a protected table (review/closure_check.hpp).
  view,               // a view reads it
  rule,               // a rule of another table names it
  materialized_view,  // a materialized view holds its rows
  inheritance,        // a parent, child or partition shares its rows
  row_type,           // a column holds whole rows of it
  foreign_key,        // a foreign key repeats one of its columns, or the other way round
  foreign_table,      // a foreign table seems to show it
  same_columns,       // columns of the same name and kind of type
  owned_sequence,     // a sequence counts its rows
  definer_function,   // a SECURITY DEFINER function that query_role may execute
  function_body,      // a function's body names it
  trigger,            // a trigger's function sees its rows
  join_key,           // two protected tables show the same key
  kept_closed,        // a pattern of open_tables stands for it, and it could show hidden rows
  join_hidden,  // a foreign key leads from or to a column that is always hidden: the join matches nothing
  // Policies (policy/, rewriter/compile/policy_check.hpp).
  joint_release,            // two policies over one table, together finer than k
  repeated_identifier,      // an identifier repeats and no unit is named
  person_key,               // a foreign key to a person-like table and no unit is named
  unique_quasi_identifier,  // a quasi-identifier that nearly every row has for itself
  unique_within_cohort,     // a visible column that tells rows of a cohort apart
  determines_hidden,        // a visible column that tells hidden cells
  computable_cells,         // hidden cells that readers can compute from the answers alone
  diversity_scope,          // l-diversity is not counted within each value of other visible columns
  order_by_index,           // an index orders rows of equal visible values by a hidden column
  order_by_layout,          // the physical order follows a hidden column
  hidden_domain,            // a hidden column of a domain: its NULLs are not the domain's
  unlisted_source,          // a source that is a SELECT: tools that list tables do not find its rows
  // Decisions.
  unused_decision  // an `acknowledged` entry that settles nothing
};

struct Finding {
  FindingKind kind;
  Severity severity;
  // What it is about, exactly as an `acknowledged` entry names it: "public.visits", "function
  // public.f(integer)". Empty: no decision can settle it.
  std::string object;
  std::string what;  // one line, lower case, no full stop, no data value
  std::string mend;
  bool operator==(const Finding&) const = default;
};

// "materialized-view": stable, for scripts and docs/check.md.
[[nodiscard]] std::string_view code_of(FindingKind kind);
[[nodiscard]] std::string_view word_of(Severity severity);
// "warning: materialized-view: public.mv_people holds …; write …"
[[nodiscard]] std::string one_line(const Finding& finding);

// An owner's decision about an object (`acknowledged` in the configuration).
struct Acknowledgement {
  std::string object;
  std::string reason;
  bool operator==(const Acknowledgement&) const = default;
};
// Turns a finding whose object was acknowledged into a note that gives the reason. An acknowledgement that
// matches no finding becomes a warning, because it may be misspelt.
[[nodiscard]] std::vector<Finding> settle(std::vector<Finding> findings,
                                          const std::vector<Acknowledgement>& acknowledged);

[[nodiscard]] bool has_errors(const std::vector<Finding>& findings);

}  // namespace pgveil
