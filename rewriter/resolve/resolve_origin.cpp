// Which columns of tables a query shows plainly. Drivers look names, nullability and keys up by that. A mask
// is a sub-query, and PostgreSQL does not say where the columns of this one come from.
#include <algorithm>

#include "rewriter/resolve/resolver.hpp"

namespace pgveil::rewriter {
namespace {

// PostgreSQL returns no more (MaxTupleAttributeNumber, 54011). Many `*` would take much memory.
constexpr std::size_t kMostOutputColumns = 1664;

std::vector<Origin> origins_of(const Entry& entry) {
  std::vector<Origin> out;
  for (std::size_t i = 0; i < entry.columns->size(); ++i) {
    const bool is_known = entry.table != nullptr && i < entry.table->columns.size();
    out.push_back(is_known ? Origin{.table_oid = entry.table->oid,
                                    .column = static_cast<std::int16_t>(entry.table->columns[i].number)}
                           : Origin{});
  }
  return out;
}

// Of `*`. Where a join merges columns, it is not all columns one after the other.
std::vector<Origin> origins_of_all(const Scope& scope, const std::vector<std::string>& star) {
  std::vector<Origin> out;
  std::vector<std::string> names;
  for (const Entry& entry : scope.entries) {
    if (!entry.columns) return std::vector<Origin>(star.size());
    names.insert(names.end(), entry.columns->begin(), entry.columns->end());
    const std::vector<Origin> more = origins_of(entry);
    out.insert(out.end(), more.begin(), more.end());
  }
  return names == star ? out : std::vector<Origin>(star.size());
}

Origin in_entry(const Entry& entry, std::string_view name) {
  const auto at = std::ranges::find(*entry.columns, name);
  if (at == entry.columns->end()) return {};
  return origins_of(entry)[static_cast<std::size_t>(at - entry.columns->begin())];
}

// A bare name that several items have is one of a join's merged columns.
Origin of_bare(const Scope& scope, std::string_view name) {
  const Entry* only = nullptr;
  for (const Entry& entry : scope.entries) {
    if (!entry.columns) return {};
    const auto count = std::ranges::count(*entry.columns, name);
    if (count > 1 || (count == 1 && only != nullptr)) return {};
    if (count == 1) only = &entry;
  }
  return only != nullptr ? in_entry(*only, name) : Origin{};
}

}  // namespace

// REQUIRES: the targets are resolved, and the names of all their columns are known.
std::vector<Origin> Resolver::origins_of_targets(const PgQuery__SelectStmt& select, const Scope& scope,
                                                 const ColumnNames& star) {
  std::vector<Origin> out;
  for (const Node* item : pg::nodes(select.target_list, select.n_target_list)) {
    if (out.size() > kMostOutputColumns) return {};
    const Node* value = item->res_target->val;
    if (!pg::is_kind(value, PG_QUERY__NODE__NODE_COLUMN_REF)) {
      out.emplace_back();
      continue;
    }
    const auto fields = pg::nodes(value->column_ref->fields, value->column_ref->n_fields);
    const bool is_star = pg::is_kind(fields.back(), PG_QUERY__NODE__NODE_A_STAR);
    const auto at = fields.size() == 1
                        ? scope.entries.end()
                        : std::ranges::find(scope.entries, pg::string_of(fields.front()), &Entry::alias);
    const bool has_entry = at != scope.entries.end() && at->columns.has_value();
    if (!is_star) {
      if (fields.size() == 1) out.push_back(of_bare(scope, pg::string_of(fields.front())));
      if (fields.size() != 1)
        out.push_back(has_entry ? in_entry(*at, pg::string_of(fields.back())) : Origin{});
      continue;
    }
    if (fields.size() != 1 && !has_entry) return {};  // of an outer query
    const std::vector<Origin> more = fields.size() == 1 ? origins_of_all(scope, *star) : origins_of(*at);
    out.insert(out.end(), more.begin(), more.end());
  }
  return out.size() > kMostOutputColumns ? std::vector<Origin>() : out;
}

}  // namespace pgveil::rewriter
