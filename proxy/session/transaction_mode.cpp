#include "proxy/session/transaction_mode.hpp"

#include <algorithm>

namespace pgveil::session {

using Kind = rewriter::PathEffect::Kind;

void TransactionMode::end(bool by_default, bool is_chained) {
  // A failed transaction has lost the modes that it set itself.
  const bool kept = has_failed_ ? began_ : modes_.now;
  before_ = modes_.by_default = by_default;
  began_ = modes_.now = is_chained ? kept : by_default;
  savepoints_.clear();
  has_failed_ = false;
}

std::size_t TransactionMode::count_to(const std::string& name) const {
  const auto found = std::find_if(savepoints_.rbegin(), savepoints_.rend(),
                                  [&](const Savepoint& each) { return each.name == name; });
  return static_cast<std::size_t>(savepoints_.rend() - found);
}

void TransactionMode::apply(const rewriter::PathEffect& effect) {
  switch (effect.kind) {
    case Kind::set:
    case Kind::set_local:
    case Kind::reset:
    case Kind::reset_local: return;
    case Kind::reset_all: modes_.by_default = at_start_; return;
    case Kind::transaction_mode: modes_.now = effect.reads_only.value_or(modes_.by_default); return;
    case Kind::default_mode: modes_.by_default = effect.reads_only.value_or(at_start_); return;
    case Kind::commit: return end(has_failed_ ? before_ : modes_.by_default, effect.is_chained);
    case Kind::rollback: return end(before_, effect.is_chained);
    case Kind::savepoint: savepoints_.push_back({effect.savepoint, modes_}); return;
    case Kind::release:
      if (const std::size_t count = count_to(effect.savepoint)) savepoints_.resize(count - 1);
      return;
    case Kind::rollback_to:
      if (const std::size_t count = count_to(effect.savepoint)) {
        savepoints_.resize(count);
        modes_ = savepoints_.back().modes;
        has_failed_ = false;
      }
      return;
  }
}

}  // namespace pgveil::session
