#include "rewriter/resolve/scope.hpp"

#include <algorithm>
#include <array>

namespace pgveil::rewriter {
namespace {

constexpr auto kSystemColumns =
    std::to_array<std::string_view>({"tableoid", "xmin", "cmin", "xmax", "cmax", "ctid"});

}  // namespace

bool is_system_column(std::string_view name) {
  return std::ranges::find(kSystemColumns, name) != kSystemColumns.end();
}

const Entry* Scope::find(std::string_view alias) const {
  for (const Scope* scope = this; scope != nullptr; scope = scope->outer) {
    const auto at = std::ranges::find(scope->entries, alias, &Entry::alias);
    if (at != scope->entries.end()) return &*at;
  }
  return nullptr;
}

const Entry* Scope::find_relation(std::string_view schema, std::string_view name) const {
  for (const Scope* scope = this; scope != nullptr; scope = scope->outer) {
    for (const Entry& entry : scope->entries) {
      if (entry.relation != nullptr && entry.relation->schema == schema && entry.relation->name == name)
        return &entry;
    }
  }
  return nullptr;
}

bool Scope::may_bind(std::string_view name) const {
  return find(name) != nullptr || may_be_column(name);
}

bool Scope::may_be_column(std::string_view name) const {
  for (const Scope* scope = this; scope != nullptr; scope = scope->outer) {
    for (const Entry& entry : scope->entries) {
      if (!entry.columns) return true;
      if (std::ranges::find(*entry.columns, name) != entry.columns->end()) return true;
      if (entry.has_system_columns && is_system_column(name)) return true;
    }
  }
  return false;
}

const Cte* CteScope::find(std::string_view name) const {
  for (const CteScope* scope = this; scope != nullptr; scope = scope->outer) {
    const auto at = std::ranges::find(scope->items, name, &Cte::name);
    if (at != scope->items.end()) return &*at;
  }
  return nullptr;
}

}  // namespace pgveil::rewriter
