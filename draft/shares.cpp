#include "draft/shares.hpp"

#include <algorithm>
#include <charconv>
#include <map>
#include <set>
#include <vector>

namespace pgveil::draft {
namespace {

constexpr std::size_t kLeastRows = 20;  // of a sample
constexpr std::size_t kFewRows = 2;
constexpr std::size_t kManyRows = 4;

// The rows of the sample with one value, and the persons among them.
struct Sharers {
  std::size_t rows = 0;
  std::set<engine::Code> persons;  // empty without a unit
};

using SharersByValue = std::map<std::string, Sharers, std::less<>>;

SharersByValue sharers_of(const engine::Table& sample, std::size_t column, std::optional<std::size_t> unit,
                          const Coarser& coarser) {
  const auto& sampled = sample.columns[column];
  std::vector<Sharers*> by_code(sampled.values.size(), nullptr);
  SharersByValue sharers;
  for (std::size_t code = 0; code < sampled.values.size(); ++code) {
    if (sampled.values[code] != kSampleNull) by_code[code] = &sharers[coarser(sampled.values[code])];
  }
  for (std::size_t row = 0; row < sampled.codes.size(); ++row) {
    auto* of = by_code[sampled.codes.at(row)];
    if (of == nullptr) continue;
    ++of->rows;
    if (unit) of->persons.insert(sample.columns[*unit].codes.at(row));
  }
  return sharers;
}

}  // namespace

std::optional<double> shared_share(const TableFacts& table, std::size_t column,
                                   std::optional<std::size_t> unit, double persons,
                                   std::optional<double> values, const Coarser& coarser) {
  if (!table.sample || column >= table.sample->columns.size()) return std::nullopt;
  if (table.sample->rows() < kLeastRows && !table.is_sample_whole) return std::nullopt;
  const auto sampled_rows = static_cast<double>(table.sample->rows());
  const double scale = table.is_sample_whole ? 1 : std::max(1.0, table.rows.value_or(0) / sampled_rows);
  // A value that is a few times in a part of the table may be there by chance, unless all values are
  // frequent.
  const bool are_frequent = values && table.rows.value_or(0) >= persons * *values;
  const std::size_t least_rows = table.is_sample_whole ? 1 : are_frequent ? kFewRows : kManyRows;
  std::size_t rows = 0;
  std::size_t shared = 0;
  for (const auto& [value, of] : sharers_of(*table.sample, column, unit, coarser)) {
    rows += of.rows;
    if (of.rows < least_rows) continue;
    if (static_cast<double>(unit ? of.persons.size() : of.rows) * scale >= persons) shared += of.rows;
  }
  if (rows == 0) return std::nullopt;
  return static_cast<double>(shared) / static_cast<double>(rows);
}

Coarser prefix_of(std::size_t characters) {
  return [characters](std::string_view value) {
    std::size_t end = 0;
    for (std::size_t seen = 0; end < value.size(); ++end) {
      const bool begins = (static_cast<unsigned char>(value[end]) & 0xc0U) != 0x80U;
      if (begins && seen++ == characters) break;
    }
    return std::string(value.substr(0, end));
  };
}

Coarser bin_of(std::int64_t width) {
  return [width](std::string_view value) {
    std::int64_t number = 0;
    const auto [end, error] = std::from_chars(value.data(), value.data() + value.size(), number);
    if (error != std::errc{} || end != value.data() + value.size()) return std::string(value);
    const std::int64_t below = number % width < 0 ? number % width + width : number % width;
    return std::to_string(number - below);
  };
}

}  // namespace pgveil::draft
