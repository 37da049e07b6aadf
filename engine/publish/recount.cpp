#include "engine/publish/recount.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "common/sqlstate.hpp"

namespace pgveil::engine {
namespace {

Error recount_failed(std::string message) {
  return Error{.kind = ErrorKind::policy,
               .sqlstate = std::string(sqlstate::kInsufficientPrivilege),
               .public_message = "the output did not pass the recount: " + std::move(message),
               .hint = "nothing was published. This is a bug in pgveil; please report it"};
}

// Writes each cell with its length, so that different tuples have different keys. No cell has the length of
// NULL.
void write_key(Cells cells, std::string& key) {
  key.clear();
  for (const auto& cell : cells) {
    const std::uint64_t length = cell ? cell->size() : UINT64_MAX;
    key.append(reinterpret_cast<const char*>(&length), sizeof length);
    if (cell) key.append(*cell);
  }
}

}  // namespace

void Recount::add(Cells quasi_identifiers, bool shows_more, std::uint64_t count) {
  write_key(quasi_identifiers, key_);
  auto place = classes_.find(key_);
  if (place == classes_.end()) {
    place = classes_.emplace(key_, Class()).first;
    place->second.is_starred =
        std::ranges::all_of(quasi_identifiers, [](const auto& cell) { return cell == kSuppressed; });
  }
  auto& found = place->second;
  found.shows_more = found.shows_more || shows_more;
  found.rows += count;
  rows_ += count;
}

void Recount::add(const Recount& other) {
  for (const auto& [key, counted] : other.classes_) {
    const auto [place, is_new] = classes_.emplace(key, counted);
    if (is_new) continue;
    place->second.rows += counted.rows;
    place->second.shows_more = place->second.shows_more || counted.shows_more;
  }
  rows_ += other.rows_;
}

Result<void> Recount::check(std::uint64_t k, SuppressedRecords suppressed_records, std::uint64_t rows) const {
  if (rows_ != rows) return recount_failed(fmt::format("it has {} rows instead of {}", rows_, rows));
  std::uint64_t small = 0;
  for (const auto& [key, found] : classes_) {
    if (found.rows >= k) continue;
    const bool is_allowed =
        found.is_starred && (suppressed_records == SuppressedRecords::keep ||
                             (suppressed_records == SuppressedRecords::keep_or_hide && !found.shows_more));
    if (!is_allowed) ++small;
  }
  if (small == 0) return {};
  return recount_failed(fmt::format("{} classes have fewer than k = {} rows", small, k));
}

}  // namespace pgveil::engine
