#include "engine/publish/row_order.hpp"

#include <algorithm>
#include <numeric>
#include <random>
#include <utility>

namespace pgveil::engine {
namespace {

// The place of each code among the column's values; NULL's is 0.
std::vector<std::uint32_t> ranks(const PublishedColumn& column) {
  std::vector<Code> order(column.values.size());
  std::iota(order.begin(), order.end(), Code{0});
  std::ranges::sort(order, {}, [&](Code code) -> const std::string& { return column.values[code]; });
  std::vector<std::uint32_t> rank(column.values.size());
  for (std::uint32_t i = 0; i < order.size(); ++i) rank[order[i]] = i + 1;
  return rank;
}

// A stable sort, so columns are sorted from the last to the first.
std::vector<std::uint32_t> sorted_by(const PublishedColumn& column, const std::vector<std::uint32_t>& rows) {
  const auto rank = ranks(column);
  const auto rank_of = [&](std::uint32_t row) {
    const Code code = column.codes[row];
    return code == kNullCode ? 0 : rank[code];
  };
  std::vector<std::uint32_t> begin(rank.size() + 2, 0);
  for (const auto row : rows) ++begin[rank_of(row) + 1];
  std::partial_sum(begin.begin(), begin.end(), begin.begin());
  std::vector<std::uint32_t> sorted(rows.size());
  for (const auto row : rows) sorted[begin[rank_of(row)]++] = row;
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
