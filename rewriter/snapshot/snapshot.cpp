#include "rewriter/snapshot/snapshot.hpp"

#include <algorithm>

namespace pgveil::rewriter {
namespace {

bool is_exempt(const policy::PolicySpec& spec, const std::string& role) {
  return std::ranges::find(spec.exempt_roles, role) != spec.exempt_roles.end();
}

}  // namespace

bool Snapshot::lets_in(const std::map<std::uint32_t, Readers>& relations, const Relation& relation,
                       std::string_view role) {
  const auto at = relations.find(relation.oid);
  return at != relations.end() && (!at->second || at->second->contains(role));
}

bool Snapshot::is_open(const Relation& relation, std::string_view role) const {
  return lets_in(open_, relation, role);
}

const TableGuard* Snapshot::table_guard(const Relation& relation) const {
  const auto at = guards_.find(relation.oid);
  return at == guards_.end() ? nullptr : at->second.get();
}

const std::string* Snapshot::shut_because(const Relation& relation) const {
  const auto at = shut_.find(relation.oid);
  return at == shut_.end() ? nullptr : &at->second;
}

bool Snapshot::is_expanded(const Relation& relation, std::string_view role) const {
  return lets_in(expanded_, relation, role);
}

bool Snapshot::is_listed_view(const Relation& relation) const {
  return expanded_.contains(relation.oid);
}

bool Snapshot::asks_database(const Relation& relation) const {
  return from_database_.contains(relation.oid);
}

bool Snapshot::keeps_from_somebody(const std::map<std::uint32_t, Readers>& relations,
                                   const std::map<std::uint32_t, Readers>& later) {
  return std::ranges::any_of(relations, [&](const auto& relation) {
    const auto at = later.find(relation.first);
    if (at == later.end()) return true;
    const Readers& now = at->second;
    if (!now) return false;
    return !relation.second || !std::ranges::includes(*now, *relation.second);
  });
}

bool Snapshot::shows_more_than(const Snapshot& later) const {
  const auto is_kept = [&](const ProtectedTable& table) {
    if (!table.mask) return true;  // nothing to lose
    return std::ranges::any_of(later.protected_, [&](const ProtectedTable& other) {
      return other.state.spec->name == table.state.spec->name && (other.mask || other.is_waiting) &&
             std::ranges::includes(other.granted, table.granted);
    });
  };
  return !std::ranges::all_of(protected_, is_kept) || keeps_from_somebody(open_, later.open_) ||
         keeps_from_somebody(expanded_, later.expanded_);
}

std::set<std::string> Snapshot::roles() const {
  std::set<std::string> roles;
  for (const ProtectedTable& table : protected_) {
    roles.insert(table.granted.begin(), table.granted.end());
    for (const auto* some : {&table.state.spec->readers, &table.state.spec->exempt_roles})
      roles.insert(some->begin(), some->end());
  }
  for (const auto* listed : {&open_, &expanded_}) {
    for (const auto& [oid, readers] : *listed) {
      if (readers) roles.insert(readers->begin(), readers->end());
    }
  }
  return roles;
}

bool Snapshot::has_policy(const Relation& relation) const {
  return by_oid_.contains(relation.oid);
}

const Mask* Snapshot::catalog_mask(std::uint32_t oid) const {
  const auto at = catalog_masks_.find(oid);
  return at == catalog_masks_.end() ? nullptr : at->second.get();
}

const Mask* Snapshot::mask_for(std::uint32_t oid, const std::string& role) const {
  if (const auto at = catalog_masks_.find(oid); at != catalog_masks_.end()) return at->second.get();
  const ProtectedTable* table = policy_for(oid, role);
  if (table == nullptr) return nullptr;
  return is_exempt(*table->state.spec, role) && table->plain ? table->plain.get() : table->mask.get();
}

const Snapshot::ProtectedTable* Snapshot::policy_for(std::uint32_t oid, const std::string& role) const {
  const auto [first, last] = by_oid_.equal_range(oid);
  for (auto at = first; at != last; ++at) {
    const ProtectedTable& table = protected_[at->second];
    const auto lists = [&](const std::vector<std::string>& roles) {
      return std::ranges::find(roles, role) != roles.end();
    };
    if (lists(table.state.spec->readers) || lists(table.state.spec->exempt_roles) ||
        table.granted.contains(role)) {
      return &table;
    }
  }
  return nullptr;
}

}  // namespace pgveil::rewriter
