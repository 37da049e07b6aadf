#pragma once
// Which tables the patterns of open_tables open. A pattern is a wish about tables that nobody looked at one
// by one. So whatever could show hidden rows or values stays closed, and the owner is told which and why;
// naming such a table opens it as ever.
#include <map>
#include <set>
#include <string>
#include <vector>

#include "common/finding.hpp"
#include "policy/spec/spec.hpp"
#include "rewriter/catalog/catalog.hpp"
#include "rewriter/catalog/open_pattern.hpp"
#include "rewriter/catalog/surroundings.hpp"

namespace pgveil::review {

struct OpenedByPattern {
  std::vector<std::string> tables;                 // "schema.table", sorted
  std::map<std::string, rewriter::Access> access;  // of those that not every role may read
  std::vector<Finding> closed;                     // FindingKind::kept_closed, by name
};

// named: the tables that open_tables names. A pattern leaves these and the tables of policies alone.
[[nodiscard]] OpenedByPattern open_by_pattern(const std::vector<rewriter::OpenPattern>& patterns,
                                              const std::vector<std::string>& named,
                                              const rewriter::Catalog& catalog,
                                              const std::vector<const policy::PolicySpec*>& policies,
                                              const rewriter::Surroundings& surroundings);

}  // namespace pgveil::review
