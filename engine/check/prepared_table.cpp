#include "engine/check/prepared_table.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "common/assert.hpp"
#include "common/sqlstate.hpp"

namespace pgveil::engine {
namespace {

constexpr std::size_t kMaxRows = UINT32_MAX;  // a class counts its rows in four bytes

Error refused(ErrorKind kind, std::string message, std::string hint) {
  const auto state =
      kind == ErrorKind::limit ? sqlstate::kProgramLimitExceeded : sqlstate::kInvalidParameterValue;
  return Error{.kind = kind,
               .sqlstate = std::string(state),
               .public_message = std::move(message),
               .hint = std::move(hint)};
}

Result<void> check_sizes(const Table& table, std::size_t attributes) {
  if (attributes == 0) {
    return refused(ErrorKind::configuration, "there is no quasi-identifier", "name at least one column");
  }
  if (attributes > kMaxAttributes) {
    return refused(ErrorKind::limit,
                   fmt::format("{} quasi-identifiers, {} are possible", attributes, kMaxAttributes),
                   "join or leave out columns");
  }
  if (table.rows() == 0)
    return refused(ErrorKind::configuration, "the table has no rows", "there is nothing to publish");
  if (table.rows() > kMaxRows) {
    return refused(ErrorKind::limit, fmt::format("{} rows, {} are possible", table.rows(), kMaxRows),
                   "split the table");
  }
  return {};
}

// Indexes of the quasi-identifiers in the order of their names.
Result<std::vector<std::size_t>> name_order(std::span<const QuasiIdentifier> given) {
  std::vector<std::size_t> order(given.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::sort(order, {}, [&](std::size_t i) -> const std::string& { return given[i].column; });
  for (std::size_t i = 1; i < order.size(); ++i) {
    if (given[order[i - 1]].column != given[order[i]].column) continue;
    return refused(ErrorKind::configuration,
                   fmt::format("{} is a quasi-identifier twice", given[order[i]].column), "name it once");
  }
  return order;
}

std::vector<std::uint64_t> histogram(const Column& column) {
  std::vector<std::uint64_t> counts(column.values.size(), 0);
  column.codes.visit([&](auto codes) {
    for (const auto code : codes) ++counts[code];
  });
  return counts;
}

Lattice whole_lattice(std::span<const LevelTables> attributes) {
  Lattice lattice;
  lattice.attributes = attributes.size();
  for (std::size_t j = 0; j < attributes.size(); ++j) {
    lattice.top.set_level(j, attributes[j].height());
    lattice.dropped.set_level(j, attributes[j].height() + 1);
  }
  return lattice;
}

}  // namespace

Transformation PreparedTable::from_given(std::span<const unsigned> levels) const {
  PGVEIL_ASSERT(levels.size() == given_order.size());
  Transformation made;
  for (std::size_t i = 0; i < levels.size(); ++i) made.set_level(given_order[i], levels[i]);
  return made;
}

std::vector<unsigned> PreparedTable::to_given(const Transformation& transformation) const {
  std::vector<unsigned> levels;
  for (const auto attribute : given_order) levels.push_back(transformation.level(attribute));
  return levels;
}

Result<PreparedTable> prepare(const Table& table, std::span<const QuasiIdentifier> quasi_identifiers) {
  if (const auto sizes = check_sizes(table, quasi_identifiers.size()); sizes.has_error())
    return sizes.error();
  const auto order = name_order(quasi_identifiers);
  if (order.has_error()) return order.error();

  std::vector<LevelTables> attributes;
  std::vector<const CodeColumn*> columns;
  std::vector<std::vector<std::uint64_t>> histograms;
  for (const auto i : *order) {
    const auto* column = table.find(quasi_identifiers[i].column);
    if (column == nullptr) {
      return refused(ErrorKind::configuration,
                     fmt::format("the table has no column {}", quasi_identifiers[i].column),
                     "names are case-sensitive");
    }
    auto tables = make_level_tables(*column, quasi_identifiers[i].hierarchy);
    if (tables.has_error()) return tables.error();
    columns.push_back(&column->codes);
    attributes.push_back(std::move(*tables));
    histograms.push_back(histogram(*column));
  }
  std::vector<std::size_t> given_order(order->size());
  for (std::size_t j = 0; j < order->size(); ++j) given_order[(*order)[j]] = j;

  const auto lattice = whole_lattice(attributes);
  auto distinct = make_distinct_rows(columns, attributes);
  return PreparedTable{std::move(attributes), std::move(given_order), std::move(histograms),
                       table.rows(),          std::move(distinct),    lattice};
}

}  // namespace pgveil::engine
