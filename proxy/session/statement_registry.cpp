#include "proxy/session/statement_registry.hpp"

#include <algorithm>
#include <utility>

#include "common/assert.hpp"

namespace pgveil::session {

EntryPtr StatementRegistry::find(Kind kind, std::string_view name) const {
  const auto found = names(kind).find(name);
  return found == names(kind).end() ? nullptr : found->second.entry;
}

void StatementRegistry::put(Kind kind, std::string_view name, Slot slot) {
  Names& all = names(kind);
  const auto found = all.find(name);
  journal_.push_back({kind, std::string(name), found == all.end() ? Slot{} : found->second});
  count(slot.entry);
  if (found == all.end()) {
    all.emplace(std::string(name), std::move(slot));
  } else {
    uncount(found->second.entry);
    found->second = std::move(slot);
  }
}

void StatementRegistry::put_statement(std::string_view name, EntryPtr entry) {
  put(Kind::statement, name, {.entry = std::move(entry), .life = PortalLife::session});
}

void StatementRegistry::put_portal(std::string_view name, EntryPtr entry, PortalLife life) {
  put(Kind::portal, name, {.entry = std::move(entry), .life = life});
}

void StatementRegistry::update(Kind kind, std::string_view name, EntryPtr entry) {
  const auto found = names(kind).find(name);
  PGVEIL_ASSERT(found != names(kind).end());
  uncount(found->second.entry);
  count(entry);
  found->second.entry = std::move(entry);
}

void StatementRegistry::erase(Kind kind, std::string_view name) {
  Names& all = names(kind);
  const auto found = all.find(name);
  if (found == all.end()) return;
  uncount(found->second.entry);
  journal_.push_back({kind, found->first, std::move(found->second)});
  all.erase(found);
}

void StatementRegistry::erase_all(Kind kind) {
  Names& all = names(kind);
  for (auto& [name, slot] : all) {
    uncount(slot.entry);
    journal_.push_back({kind, name, std::move(slot)});
  }
  all.clear();
}

void StatementRegistry::undo_to(std::size_t mark, NewNames new_names) {
  for (; journal_.size() > mark; journal_.pop_back()) {
    Change& change = journal_.back();
    Names& all = names(change.kind);
    const auto now = all.find(change.name);
    if (change.before.entry == nullptr && new_names == NewNames::keep) continue;
    if (now != all.end()) {
      uncount(now->second.entry);
      all.erase(now);
    }
    if (change.before.entry == nullptr) continue;
    count(change.before.entry);
    all.emplace(change.name, std::move(change.before));
  }
}

bool StatementRegistry::holds_cursor() const {
  return std::ranges::any_of(portals_,
                             [](const auto& named) { return named.second.life == PortalLife::session; });
}

void StatementRegistry::end_transaction() {
  PGVEIL_ASSERT(journal_.empty());
  std::erase_if(portals_, [this](const auto& named) {
    if (named.second.life != PortalLife::transaction) return false;
    uncount(named.second.entry);
    return true;
  });
}

}  // namespace pgveil::session
