#pragma once
// The history keeps snapshots of the classes of earlier checks, within a budget of bytes, so that later
// checks can start from them (Kohlmayer et al. 2012, section IV-B c; ARX, Framework, "Maintaining a buffer of
// snapshots").
#include <algorithm>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "engine/check/grouping.hpp"
#include "engine/check/plan.hpp"

namespace pgveil::engine {

struct HistoryLimits {
  double share_of_rows = 0.2;        // a snapshot has at most this share of the rows' number as classes
  double share_of_source = 0.8;      // … and at most this share of the classes it was made from
  std::optional<std::size_t> bytes;  // all snapshots together; default: default_bytes

  // About a fifth of what 200 entries take (Kohlmayer et al. 2012). Large tables have relatively fewer
  // classes.
  [[nodiscard]] static std::size_t default_bytes(std::uint64_t rows) {
    constexpr std::uint64_t many = 1 << 16;
    return 64 * std::min(rows, many) + 8 * (std::max(rows, many) - many);
  }
};

class History {
 public:
  History(const HistoryLimits& limits, std::uint64_t rows)
      : limits_(limits), budget_(limits.bytes.value_or(HistoryLimits::default_bytes(rows))), rows_(rows) {}

  [[nodiscard]] bool wants(std::uint64_t classes, std::uint64_t source_classes) const {
    return static_cast<double>(classes) <= limits_.share_of_rows * static_cast<double>(rows_) &&
           static_cast<double>(classes) <= limits_.share_of_source * static_cast<double>(source_classes) &&
           classes * kBytesPerClass <= budget_;
  }

  // Makes room as ARX does (ARX, Framework): first it drops snapshots that are no longer useful (is_useless:
  // all their direct generalizations are settled), then the least recently used. It looks through all of them
  // only when half of them are new.
  template <class IsUseless>
  void store(const Transformation& transformation, const Classes& classes, IsUseless&& is_useless) {
    const std::size_t needed = classes.size() * kBytesPerClass;
    ++stored_since_sweep_;
    if (bytes_ + needed > budget_ && stored_since_sweep_ * 2 >= entries_.size()) evict_if(is_useless);
    while (bytes_ + needed > budget_) evict_least_recently_used();
    // Copied by assignment: exactly as large as needed.
    infos_.push_back({transformation, classes.size()});
    entries_.push_back(
        {Classes{{classes.rows.begin(), classes.rows.end()}, {classes.counts.begin(), classes.counts.end()}},
         ++clock_});
    bytes_ += needed;
    peak_bytes_ = std::max(peak_bytes_, bytes_);
    ++stored_;
  }

  [[nodiscard]] std::span<const Available> infos() const { return infos_; }
  [[nodiscard]] const Classes& classes(std::size_t index) const { return entries_[index].classes; }
  void touch(std::size_t index) { entries_[index].last_used = ++clock_; }
  void clear() {
    infos_.clear();
    entries_.clear();
    bytes_ = 0;
  }
  [[nodiscard]] std::uint64_t stored() const { return stored_; }
  [[nodiscard]] std::size_t peak_bytes() const { return peak_bytes_; }

 private:
  struct Entry {
    Classes classes;
    std::uint64_t last_used = 0;
  };

  template <class IsUseless>
  void evict_if(IsUseless&& is_useless) {
    stored_since_sweep_ = 0;
    for (std::size_t i = entries_.size(); i-- > 0;) {
      if (is_useless(infos_[i].transformation)) evict(i);
    }
  }
  void evict_least_recently_used() {
    const auto oldest = std::ranges::min_element(entries_, {}, &Entry::last_used);
    evict(static_cast<std::size_t>(oldest - entries_.begin()));
  }
  void evict(std::size_t index) {
    bytes_ -= entries_[index].classes.size() * kBytesPerClass;
    std::swap(entries_[index], entries_.back());
    std::swap(infos_[index], infos_.back());
    entries_.pop_back();
    infos_.pop_back();
  }

  HistoryLimits limits_;
  std::size_t budget_;
  std::size_t stored_since_sweep_ = 0;
  std::uint64_t rows_;
  std::vector<Available> infos_;
  std::vector<Entry> entries_;
  std::uint64_t clock_ = 0;
  std::uint64_t stored_ = 0;
  std::size_t bytes_ = 0;
  std::size_t peak_bytes_ = 0;
};

}  // namespace pgveil::engine
