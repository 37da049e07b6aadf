#pragma once
// Which relations open_tables may open.
#include <cstdint>
#include <set>
#include <string>
#include <vector>

#include "common/error.hpp"
#include "rewriter/catalog/built_table.hpp"
#include "rewriter/catalog/catalog.hpp"

namespace pgveil::rewriter {

// Tables whose rows are never shown as they are.
struct NeverRaw {
  std::set<std::uint32_t> with_policy;  // that is there
  std::vector<BuiltTable> built;        // of a policy that was there, or is
};

// entry: "schema.table"; the first dot divides. Errors: it does not exist, is neither a plain or partitioned
// table nor a view, shares rows with inheritance relatives, has a policy, was the table of one under another
// name, or has a partition that is such a table.
[[nodiscard]] Result<const Relation*> find_open_table(const std::string& entry, const Catalog& catalog,
                                                      const NeverRaw& never_raw);

// It was built of, and never under the name that it has now.
[[nodiscard]] bool is_under_another_name(const Relation& relation, const NeverRaw& never_raw);

// The partitions in `now` that were tables of their own in `before`.
[[nodiscard]] std::set<std::uint32_t> attached_since(const Catalog& before, const Catalog& now);

// Why the open table is shut: one of its partitions is among the strangers. Empty: it is not.
[[nodiscard]] std::string reason_to_shut(const Relation& relation, const Catalog& catalog,
                                         const std::set<std::uint32_t>& strangers);

}  // namespace pgveil::rewriter
