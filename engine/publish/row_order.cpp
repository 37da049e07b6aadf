#include "engine/publish/row_order.hpp"

#include <algorithm>
#include <numeric>
#include <random>
#include <utility>

namespace pgveil::engine {
namespace {

// The place of each code plus 1 among the column's values; NULL's is 0.
std::vector<std::uint32_t> ranks(const PublishedColumn& column) {
  std::vector<Code> order(column.values.size());
  std::iota(order.begin(), order.end(), Code{0});
  std::ranges::sort(order, {}, [&](Code code) -> const std::string& { return column.values[code]; });
  std::vector<std::uint32_t> rank(column.values.size() + 1, 0);
  for (std::uint32_t i = 0; i < order.size(); ++i) rank[order[i] + 1] = i + 1;
  return rank;
}

// A stable sort, so columns are sorted from the last to the first.
std::vector<std::uint32_t> sorted_by(const PublishedColumn& column, const std::vector<std::uint32_t>& rows) {
  const auto rank = ranks(column);
  std::vector<std::uint32_t> begin(rank.size() + 1, 0);
  std::vector<std::uint32_t> sorted(rows.size());
  column.codes.visit_above([&](const auto codes) {
    for (const auto row : rows) ++begin[rank[codes[row]] + 1];
    std::partial_sum(begin.begin(), begin.end(), begin.begin());
    for (const auto row : rows) sorted[begin[rank[codes[row]]]++] = row;
  });
  return sorted;
}

// Uniform in [0, below). std::uniform_int_distribution differs between libraries.
std::uint64_t draw(std::mt19937_64& random, std::uint64_t below) {
  const std::uint64_t limit = UINT64_MAX - UINT64_MAX % below;
  std::uint64_t drawn = random();
  while (drawn >= limit) drawn = random();
  return drawn % below;
}

}  // namespace

std::vector<std::uint32_t> sorted_rows(std::span<const PublishedColumn> columns) {
  std::vector<std::uint32_t> rows(columns.empty() ? 0 : columns.front().codes.size());
  std::iota(rows.begin(), rows.end(), 0U);
  for (std::size_t i = columns.size(); i-- > 0;) rows = sorted_by(columns[i], rows);
  return rows;
}

void shuffle(std::vector<std::uint32_t>& rows, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  for (std::size_t i = rows.size(); i > 1; --i) std::swap(rows[i - 1], rows[draw(random, i)]);
}

}  // namespace pgveil::engine
