#include "policy/utility/implied_columns.hpp"

#include <algorithm>
#include <optional>

#include "policy/counts/counts_view.hpp"
#include "policy/tree/released_together.hpp"

namespace pgveil::policy {

namespace {

// What is known of one attribute apart from the others.
struct Alone {
  std::uint64_t value_count = 0;  // that occur
  bool is_like_a_key = false;
};

Alone look_at(const CountsView& counts, std::size_t a, std::uint64_t k) {
  std::vector<std::uint64_t> rows(counts.attribute(a).values.size() + 1, 0);
  for (const std::uint32_t entry : counts.entries()) rows[counts.codes(a)[entry]] += counts.rows(entry);
  Alone alone;
  std::uint64_t all = 0;
  std::uint64_t in_crowds = 0;
  for (Code code = 1; code < rows.size(); ++code) {
    alone.value_count += rows[code] > 0 ? 1 : 0;
    all += rows[code];
    if (rows[code] >= k) in_crowds += rows[code];
  }
  alone.is_like_a_key = in_crowds < all - in_crowds;
  return alone;
}

bool follows(const CountsView& counts, std::size_t attribute, std::size_t by) {
  std::vector<Code> goes_with(counts.attribute(by).values.size() + 1, kNullCode);
  return std::ranges::all_of(counts.entries(), [&](std::uint32_t entry) {
    const Code value = counts.codes(attribute)[entry];
    const Code of = counts.codes(by)[entry];
    if (value == kNullCode || of == kNullCode) return true;
    if (goes_with[of] == kNullCode) goes_with[of] = value;
    return goes_with[of] == value;
  });
}

}  // namespace

std::vector<ImpliedColumn> implied_columns(const Counts& counts, std::uint64_t k) {
  const CountsView view(counts);
  std::vector<Alone> alone;
  for (std::size_t a = 0; a < view.attribute_count(); ++a) alone.push_back(look_at(view, a, k));
  std::vector<ImpliedColumn> implied;
  for (std::uint32_t a = 0; a < view.attribute_count(); ++a) {
    if (alone[a].value_count < 2) continue;
    std::optional<std::uint32_t> best;
    for (std::uint32_t by = 0; by < view.attribute_count(); ++by) {
      const bool is_level_of_it = source_of(view.attribute(by)) == source_of(view.attribute(a));
      if (is_level_of_it || alone[by].is_like_a_key || alone[by].value_count < alone[a].value_count) continue;
      if (best && alone[by].value_count >= alone[*best].value_count) continue;
      if (follows(view, a, by)) best = by;
    }
    if (best) implied.push_back({a, *best});
  }
  return implied;
}

}  // namespace pgveil::policy
