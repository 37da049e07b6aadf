#include "engine/check/prepared_table.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "common/assert.hpp"
#include "engine/data/continuous.hpp"

namespace pgveil::engine {
namespace {

constexpr std::size_t kMaxRows = UINT32_MAX;  // a class counts its rows in four bytes

Result<void> check_sizes(const Table& table, std::size_t attributes, const PrivacyColumns& privacy) {
  const std::size_t others = privacy.sensitive.size() + (privacy.subset.empty() ? 0 : 1);
  if (attributes == 0) {
    return error_of_kind(ErrorKind::configuration, "there is no quasi-identifier",
                         "name at least one column");
  }
  if (attributes > kMaxAttributes) {
    return error_of_kind(ErrorKind::limit,
                         fmt::format("{} quasi-identifiers, {} are possible", attributes, kMaxAttributes),
                         "join or leave out columns");
  }
  if (attributes + others > kMaxAttributes) {
    return error_of_kind(
        ErrorKind::limit,
        fmt::format("{} quasi-identifiers and {} other columns that privacy models look at, {} "
                    "are possible together",
                    attributes, others, kMaxAttributes),
        "join or leave out columns");
  }
  if (!privacy.subset.empty() && std::ranges::count(privacy.subset, 0) == std::ssize(privacy.subset))
    return error_of_kind(ErrorKind::configuration, "the subset has no record", "there is nothing to publish");
  if (table.rows() == 0)
    return error_of_kind(ErrorKind::configuration, "the table has no rows", "there is nothing to publish");
  if (table.rows() > kMaxRows) {
    return error_of_kind(ErrorKind::limit, fmt::format("{} rows, {} are possible", table.rows(), kMaxRows),
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
    return error_of_kind(ErrorKind::configuration,
                         fmt::format("{} is a quasi-identifier twice", given[order[i]].column),
                         "name it once");
  }
  return order;
}

std::vector<std::uint64_t> histogram(const Column& column, std::span<const std::uint8_t> subset) {
  std::vector<std::uint64_t> counts(column.values.size(), 0);
  column.codes.visit([&](auto codes) {
    for (std::size_t row = 0; row < codes.size(); ++row) {
      if (subset.empty() || subset[row] != 0) ++counts[codes[row]];
    }
  });
  return counts;
}

Error no_such_column(const std::string& name) {
  return error_of_kind(ErrorKind::configuration, fmt::format("the table has no column {}", name),
                       "names are case-sensitive");
}

Result<std::vector<SensitiveValues>> sensitive_values(const Table& table,
                                                      std::span<const QuasiIdentifier> quasi_identifiers,
                                                      const PrivacyColumns& privacy) {
  std::vector<SensitiveValues> made;
  for (const auto& given : privacy.sensitive) {
    const auto is_it = [&](const auto& other) { return other.column == given.column; };
    if (std::ranges::any_of(quasi_identifiers, is_it)) {
      return error_of_kind(ErrorKind::configuration,
                           fmt::format("{} is sensitive and a quasi-identifier", given.column),
                           "make it one of them: who knows a value to find a record by does not learn it");
    }
    if (std::ranges::count_if(privacy.sensitive, is_it) > 1)
      return error_of_kind(ErrorKind::configuration, fmt::format("{} is sensitive twice", given.column),
                           "name it once");
    const auto* column = table.find(given.column);
    if (column == nullptr) return no_such_column(given.column);
    auto values = make_sensitive_values(*column, given, privacy.subset);
    if (!values) return values.error();
    made.push_back(std::move(*values));
  }
  return made;
}

// A column that tells whether a record is in the subset, as code 1.
CodeColumn membership(std::span<const std::uint8_t> subset) {
  CodeColumn made;
  for (const auto is_in : subset) made.push_back(is_in != 0 ? 1 : 0);
  return made;
}

LevelTables raw_values(const std::string& name, std::size_t values) {
  LevelTables made;
  made.name = name;
  made.code_at.resize(1);
  for (std::size_t code = 0; code < values; ++code) made.code_at.front().push_back(static_cast<Code>(code));
  made.values.resize(1);
  made.values.front().resize(values);
  return made;
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

Result<PreparedTable> prepare(const Table& table, std::span<const QuasiIdentifier> quasi_identifiers,
                              const PrivacyColumns& privacy) {
  if (const auto sizes = check_sizes(table, quasi_identifiers.size(), privacy); sizes.has_error())
    return sizes.error();
  PGVEIL_ASSERT(privacy.subset.empty() || privacy.subset.size() == table.rows());
  const auto order = name_order(quasi_identifiers);
  if (order.has_error()) return order.error();

  PreparedTable made;
  std::vector<const CodeColumn*> columns;
  made.given_order.resize(order->size());
  for (const auto i : *order) {
    const auto* column = table.find(quasi_identifiers[i].column);
    if (column == nullptr) return no_such_column(quasi_identifiers[i].column);
    auto tables = make_level_tables(*column, quasi_identifiers[i].hierarchy);
    if (tables.has_error()) return tables.error();
    const auto& given = quasi_identifiers[i];
    if (given.is_continuous) {
      if (auto measured = measure_spans(given.hierarchy, given.null_text, *tables); !measured)
        return measured.error();
    }
    made.given_order[i] = columns.size();
    columns.push_back(&column->codes);
    made.attributes.push_back(std::move(*tables));
    made.histograms.push_back(histogram(*column, privacy.subset));
  }
  auto sensitive = sensitive_values(table, quasi_identifiers, privacy);
  if (!sensitive) return sensitive.error();
  made.sensitive = std::move(*sensitive);
  for (const auto& given : privacy.sensitive) {
    const auto* column = table.find(given.column);
    columns.push_back(&column->codes);
    made.others.push_back(raw_values(given.column, column->values.size()));
  }
  const auto member = membership(privacy.subset);
  if (!privacy.subset.empty()) {
    columns.push_back(&member);
    made.others.push_back(raw_values("", 2));
  }
  made.subset = privacy.subset;
  made.rows = table.rows() - static_cast<std::uint64_t>(std::ranges::count(privacy.subset, 0));
  std::vector<const LevelTables*> attributes;
  for (const auto& it : made.attributes) attributes.push_back(&it);
  for (const auto& it : made.others) attributes.push_back(&it);
  made.distinct = make_distinct_rows(columns, attributes, made.attributes.size());
  made.lattice = whole_lattice(made.attributes);
  return made;
}

}  // namespace pgveil::engine
