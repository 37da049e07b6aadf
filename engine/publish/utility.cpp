#include "engine/publish/utility.hpp"

#include <algorithm>
#include <cmath>
#include <unordered_map>

#include "engine/publish/column_summary.hpp"

namespace pgveil::engine {
namespace {

// A column as codes; kNullCode: no value.
using Codes = std::vector<Code>;

Codes codes_of(const Column& column, std::span<const std::uint8_t> subset,
               const std::optional<std::string>& null_text) {
  const auto null = std::ranges::find_if(column.values, [&](const auto& it) { return it == null_text; });
  const auto null_code = static_cast<Code>(null - column.values.begin());
  Codes made;
  for (std::size_t row = 0; row < column.codes.size(); ++row) {
    if (!subset.empty() && subset[row] == 0) continue;
    const Code code = column.codes.at(row);
    made.push_back(code == null_code ? kNullCode : code);
  }
  return made;
}

Codes codes_of(const PublishedColumn& column) {
  Codes made = column.codes.all();
  if (!column.is_quasi_identifier) return made;
  const auto star = std::ranges::find(column.values, kSuppressed);
  const auto star_code = static_cast<Code>(star - column.values.begin());
  std::ranges::replace(made, star_code, kNullCode);
  return made;
}

ColumnShape shape_of(const Codes& codes, std::uint64_t records) {
  std::unordered_map<Code, std::uint64_t> counts;
  ColumnShape made;
  for (const auto code : codes) {
    if (code == kNullCode) continue;
    ++counts[code];
    ++made.records;
  }
  made.missing = records - made.records;
  made.distinct = counts.size();
  std::vector<std::uint64_t> sizes;
  for (const auto& [code, count] : counts) sizes.push_back(count);
  std::ranges::sort(sizes);  // so that the sum does not depend on the order
  for (const auto size : sizes) {
    const double share = static_cast<double>(size) / static_cast<double>(made.records);
    made.entropy -= share * std::log2(share);
    made.most_frequent = share;
  }
  made.entropy = std::max(0.0, made.entropy);
  return made;
}

// χ² ÷ N = Σ n_ij² ÷ (n_i · n_j) − 1; V² = χ² ÷ N ÷ (the smaller number of values − 1). Cramér, Mathematical
// Methods of Statistics, 1946.
double cramers_v(const Codes& one, const Codes& other) {
  std::unordered_map<std::uint64_t, std::uint64_t> both;
  std::unordered_map<Code, std::uint64_t> of_one, of_other;
  for (std::size_t row = 0; row < one.size(); ++row) {
    if (one[row] == kNullCode || other[row] == kNullCode) continue;
    ++both[std::uint64_t{one[row]} << 32 | other[row]];
    ++of_one[one[row]];
    ++of_other[other[row]];
  }
  const std::size_t fewer = std::min(of_one.size(), of_other.size());
  if (fewer < 2) return 0;
  std::vector<double> terms;
  for (const auto& [key, count] : both) {
    const auto n = static_cast<double>(count);
    const auto margins = static_cast<double>(of_one[static_cast<Code>(key >> 32)]) *
                         static_cast<double>(of_other[static_cast<Code>(key & UINT32_MAX)]);
    terms.push_back(n * n / margins);
  }
  std::ranges::sort(terms);
  double sum = -1;
  for (const auto term : terms) sum += term;
  return std::sqrt(std::clamp(sum / static_cast<double>(fewer - 1), 0.0, 1.0));
}

std::optional<NumberUtility> compared(const ColumnSummary& summary) {
  if (!summary.before.numbers || !summary.after.numbers) return std::nullopt;
  const auto& before = *summary.before.numbers;
  const auto& after = *summary.after.numbers;
  NumberUtility made;
  const double range = before.greatest - before.least;
  if (range <= 0) return made;
  made.mean_shift = std::fabs(after.mean - before.mean) / range;
  made.median_shift = std::fabs(after.median - before.median) / range;
  made.deviation = std::sqrt(after.variance / before.variance);
  made.range = (after.greatest - after.least) / range;
  return made;
}

}  // namespace

Utility measure_utility(const Table& table, std::span<const std::uint8_t> subset,
                        const std::optional<std::string>& null_text, const Publication& publication) {
  Utility made;
  std::vector<Codes> before, after;
  for (const auto& published : publication.columns) {
    before.push_back(codes_of(*table.find(published.name), subset, null_text));
    after.push_back(codes_of(published));
    const std::uint64_t records = before.back().size();
    made.columns.push_back({published.name, published.is_quasi_identifier, shape_of(before.back(), records),
                            shape_of(after.back(), records)});
  }
  const auto summaries = summarize_columns(table, subset, null_text, publication);
  for (std::size_t i = 0; i < summaries.size(); ++i) made.columns[i].numbers = compared(summaries[i]);
  const std::size_t paired = std::min(before.size(), kMostPaired);
  made.has_all_pairs = paired == before.size();
  for (std::size_t i = 0; i < paired; ++i) {
    for (std::size_t j = i + 1; j < paired; ++j) {
      made.pairs.push_back({publication.columns[i].name, publication.columns[j].name,
                            cramers_v(before[i], before[j]), cramers_v(after[i], after[j])});
    }
  }
  return made;
}

}  // namespace pgveil::engine
