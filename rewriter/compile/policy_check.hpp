#pragma once
// Checks a policy against the live catalog.
#include <optional>
#include <string>
#include <vector>

#include "common/error.hpp"
#include "policy/spec/spec.hpp"
#include "rewriter/catalog/catalog.hpp"

namespace pgveil::rewriter {

struct PolicyFindings {
  std::vector<Error>
      errors;  // not empty: the policy can't be built or used. Each has file:line:column and the fix
  std::vector<std::string> warnings;  // no unit named, …; one line each
  // What keeps the policy closed for as long as it lasts, and is nobody's mistake: row-level security.
  std::optional<Error> closing = std::nullopt;
};

// Checks that the table exists and is a plain or partitioned table, is no partition, and has neither
// row-level security (closing) nor children that are not partitions; that each listed column exists; that
// each quasi-identifier's type is comparable, and each key's one that pseudonyms have; that each level fits
// the types of its source and of the column that shows it; that the unit column exists; and that the database
// is the catalog's. With a source, what is published may also be a view, a materialized view or a foreign
// table. What a SELECT publishes need not exist before the first BUILD. What the source reads is judged by
// source_query.hpp.
[[nodiscard]] PolicyFindings check_policy(const policy::PolicySpec& spec, const Catalog& catalog);

}  // namespace pgveil::rewriter
