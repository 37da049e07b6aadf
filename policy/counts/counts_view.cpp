#include "policy/counts/counts_view.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <numeric>
#include <string_view>
#include <unordered_set>

#include "common/assert.hpp"

namespace pgveil::policy {

namespace {

void check_attribute(const Attribute& attribute, const std::vector<Code>& codes) {
  std::unordered_set<std::string_view> texts;
  texts.reserve(attribute.values.size());
  for (const std::string& text : attribute.values) {
    PGVEIL_ASSERT(texts.insert(text).second);
  }
  for (const Code code : codes) PGVEIL_ASSERT(code <= attribute.values.size());
}

void check_counts(const Counts& counts) {
  PGVEIL_ASSERT(counts.codes.size() == counts.attributes.size());
  PGVEIL_ASSERT(counts.size() < std::numeric_limits<std::uint32_t>::max());
  PGVEIL_ASSERT(counts.units.empty() || counts.units.size() == counts.size());
  for (std::size_t a = 0; a < counts.attributes.size(); ++a) {
    PGVEIL_ASSERT(counts.codes[a].size() == counts.size());
    check_attribute(counts.attributes[a], counts.codes[a]);
  }
  for (const SensitiveColumn& column : counts.sensitive) {
    PGVEIL_ASSERT(column.codes.size() == counts.size());
    for (const Code code : column.codes) PGVEIL_ASSERT(code <= column.value_count);
  }
}

}  // namespace

CountsView::CountsView(const Counts& counts) : counts_(counts), attributes_(counts.attributes.size()) {
  check_counts(counts);
  std::iota(attributes_.begin(), attributes_.end(), std::size_t{0});
  std::sort(attributes_.begin(), attributes_.end(), [&](std::size_t a, std::size_t b) {
    return counts.attributes[a].number < counts.attributes[b].number;
  });
  for (std::size_t a = 1; a < attributes_.size(); ++a) {
    PGVEIL_ASSERT(attribute(a - 1).number != attribute(a).number);
  }
  for (std::uint32_t entry = 0; entry < counts.size(); ++entry) {
    if (counts.rows[entry] > 0) entries_.push_back(entry);
  }
  if (counts.has_units()) {
    std::stable_sort(entries_.begin(), entries_.end(),
                     [&](std::uint32_t a, std::uint32_t b) { return counts.units[a] < counts.units[b]; });
  }
}

Error too_few_units(std::uint64_t k) {
  return not_permitted(fmt::format("the table has fewer than k = {} units", k),
                       "use a smaller k, or add people. Hiding columns is not enough");
}

}  // namespace pgveil::policy
