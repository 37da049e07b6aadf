#include "proxy/session/registry.hpp"

#include <utility>

#include "common/assert.hpp"

namespace pgveil::session {

EntryPtr Registry::find(Kind kind, std::string_view name) const {
  const auto found = names(kind).find(name);
  return found == names(kind).end() ? nullptr : found->second.entry;
}

void Registry::put(Kind kind, std::string_view name, Slot slot) {
  Names& all = names(kind);
  const auto found = all.find(name);
  journal_.push_back({kind, std::string(name), found == all.end() ? Slot{} : found->second});
  if (found == all.end()) {
    all.emplace(std::string(name), std::move(slot));
  } else {
    found->second = std::move(slot);
  }
}

void Registry::put_statement(std::string_view name, EntryPtr entry) {
  put(Kind::statement, name, {.entry = std::move(entry), .life = PortalLife::session});
}

void Registry::put_portal(std::string_view name, EntryPtr entry, PortalLife life) {
  put(Kind::portal, name, {.entry = std::move(entry), .life = life});
}

void Registry::erase(Kind kind, std::string_view name) {
  Names& all = names(kind);
  const auto found = all.find(name);
  if (found == all.end()) return;
  journal_.push_back({kind, found->first, std::move(found->second)});
  all.erase(found);
}

void Registry::erase_all(Kind kind) {
  Names& all = names(kind);
  for (auto& [name, slot] : all) journal_.push_back({kind, name, std::move(slot)});
  all.clear();
}

void Registry::undo_to(std::size_t mark, NewNames new_names) {
  for (; journal_.size() > mark; journal_.pop_back()) {
    Change& change = journal_.back();
    if (change.before.entry != nullptr) {
      names(change.kind).insert_or_assign(change.name, std::move(change.before));
    } else if (new_names == NewNames::forget) {
      names(change.kind).erase(change.name);
    }
  }
}

void Registry::end_transaction() {
  PGVEIL_ASSERT(journal_.empty());
  std::erase_if(portals_, [](const auto& named) { return named.second.life == PortalLife::transaction; });
}

}  // namespace pgveil::session
