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
  std::set<std::uint32_t> with_policy;  // those that exist now
  std::vector<BuiltTable> built;        // tables of policies that exist or once existed
};

enum class OpenedBy { name, pattern };

// Finds the relation of an entry "schema.table"; the first dot divides. Errors: it does not exist, is neither
// a plain or partitioned table nor a view, shares rows with inheritance relatives, has a policy, was the
// table of a policy under another name, or has a partition for which one of the last two is true. A pattern
// opens no table that was ever that of a policy: who removed the policy may have meant to close it.
[[nodiscard]] Result<const Relation*> find_open_table(const std::string& entry, const Catalog& catalog,
                                                      const NeverRaw& never_raw,
                                                      OpenedBy opened_by = OpenedBy::name);

// Whether some version was built from this table, but never under the table's current name.
[[nodiscard]] bool is_under_another_name(const Relation& relation, const NeverRaw& never_raw);

// The partitions in `now` that were tables of their own, not partitions, in `before`.
[[nodiscard]] std::set<std::uint32_t> attached_since(const Catalog& before, const Catalog& now);

// Why the open table must be shut: it has row-level security, or one of its partitions is among the
// strangers. Empty: neither.
[[nodiscard]] std::string reason_to_shut(const Relation& relation, const Catalog& catalog,
                                         const std::set<std::uint32_t>& strangers);

}  // namespace pgveil::rewriter
