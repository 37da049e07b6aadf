#pragma once
// A policy held against the live catalog.
#include <string>
#include <vector>

#include "common/error.hpp"
#include "policy/spec/spec.hpp"
#include "rewriter/catalog/catalog.hpp"

namespace pgveil::rewriter {

struct PolicyFindings {
  std::vector<Error>
      errors;  // any: the policy can't be built or used. Each with file:line:column and the fix
  std::vector<std::string> warnings;  // no unit named, …; one line each
};

// Checks: the table exists and is a plain or partitioned table, not a partition, without row-level security
// and without non-partition children; each listed column exists; each quasi-identifier's type is comparable,
// and each level fits the types of the column it is of and of the column that shows it; the unit column
// exists; the database is the catalog's.
[[nodiscard]] PolicyFindings check_policy(const policy::PolicySpec& spec, const Catalog& catalog);

}  // namespace pgveil::rewriter
