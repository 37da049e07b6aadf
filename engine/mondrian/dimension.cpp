#include "engine/mondrian/dimension.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <bit>
#include <charconv>
#include <numeric>
#include <unordered_map>

#include "common/ascii.hpp"
#include "common/sqlstate.hpp"
#include "engine/publish/publication.hpp"

namespace pgveil::engine {
namespace {

constexpr int kMostDigits = 15;  // a double represents each such number exactly

std::optional<double> number_of(std::string_view text) {
  if (text.starts_with('+')) text.remove_prefix(1);
  double number = 0;
  const auto [end, error] =
      std::from_chars(text.data(), text.data() + text.size(), number, std::chars_format::fixed);
  const bool is_plain = !text.empty() && (is_digit(text.back()) || text.back() == '.') &&
                        (is_digit(text.front()) || text.front() == '-' || text.front() == '.');
  if (error != std::errc{} || end != text.data() + text.size() || !is_plain) return std::nullopt;
  if (std::ranges::count_if(text, is_digit) > kMostDigits) return std::nullopt;
  return number == 0 ? 0 : number;  // never −0
}

Error no_numbers(const Column& column, const std::vector<std::string>& values) {
  return {ErrorKind::configuration, std::string(sqlstate::kInvalidParameterValue),
          fmt::format("{} values of {} are no numbers of at most {} digits", values.size(), column.name,
                      kMostDigits),
          "give the attribute a hierarchy, or name the text that stands for NULL",
          fmt::format("{}", fmt::join(values, ", "))};
}

bool is_shorter(const std::string& one, const std::string& other) {
  return std::pair(one.size(), std::string_view(one)) < std::pair(other.size(), std::string_view(other));
}

// The hierarchy's rows, ordered so that each subtree of each level is contiguous. Siblings are ordered by
// their first row in the file.
std::vector<std::size_t> leaf_order(const Hierarchy& hierarchy) {
  const std::size_t width = hierarchy.rows.front().size();
  std::vector<std::vector<std::size_t>> first_row(hierarchy.rows.size(), std::vector<std::size_t>(width));
  for (std::size_t level = 0; level < width; ++level) {
    std::unordered_map<std::string_view, std::size_t> seen;
    for (std::size_t row = 0; row < hierarchy.rows.size(); ++row)
      first_row[row][width - 1 - level] = seen.emplace(hierarchy.rows[row][level], row).first->second;
  }
  std::vector<std::size_t> order(hierarchy.rows.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::sort(
      order, {}, [&](std::size_t row) -> const auto& { return first_row[row]; });
  return order;
}

// The lowest level at which both ends have the same value.
std::optional<unsigned> common_level(const LevelTables& levels, RankRange range) {
  for (unsigned level = 0; level <= levels.height(); ++level) {
    if (levels.code_at[level][range.low] == levels.code_at[level][range.high]) return level;
  }
  return std::nullopt;
}

bool mixes_null(const Dimension& dimension, RankRange range) {
  return dimension.null_rank && range.low == *dimension.null_rank && range.high != range.low;
}

// An element of an array as PostgreSQL writes it.
std::string array_element(const std::string& value) {
  const bool needs_quotes = value.empty() || value.find_first_of("{},\"\\ \t\n\r\v\f") != std::string::npos ||
                            lower(value) == "null";
  if (!needs_quotes) return value;
  std::string out = "\"";
  for (const char c : value) {
    if (c == '"' || c == '\\') out += '\\';
    out += c;
  }
  return out + '"';
}

}  // namespace

RankRange all_numbers(const Dimension& dimension) {
  return {dimension.null_rank && dimension.ranks() > 1 ? Rank{1} : Rank{0}, dimension.ranks() - 1};
}

Result<Dimension> numeric_dimension(const Column& column, std::optional<std::string_view> null_text) {
  std::vector<std::pair<double, Code>> numbers;
  std::vector<std::string> others;
  bool has_null = false;
  for (Code code = 0; code < column.values.size(); ++code) {
    const auto& value = column.values[code];
    const bool is_null = null_text == value;
    has_null = has_null || is_null;
    if (is_null) continue;
    const auto number = number_of(value);
    if (number) numbers.emplace_back(*number, code);
    if (!number) others.push_back(value);
  }
  if (!others.empty()) return no_numbers(column, others);
  std::ranges::sort(numbers);
  Dimension out;
  out.name = column.name;
  if (has_null) {
    out.null_rank = 0;
    out.values.emplace_back(*null_text);
    out.numbers.push_back(0);
  }
  out.rank_of.resize(column.values.size());
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    const auto& [number, code] = numbers[i];
    const auto& value = column.values[code];
    const bool is_known = i > 0 && numbers[i - 1].first == number;
    if (!is_known) out.values.push_back(value);
    if (!is_known) out.numbers.push_back(number);
    if (is_known && is_shorter(value, out.values.back())) out.values.back() = value;
    out.rank_of[code] = out.ranks() - 1;
  }
  return out;
}

Result<Dimension> categorical_dimension(const Column& column, const Hierarchy& hierarchy,
                                        std::optional<std::string_view> null_text) {
  if (auto checked = make_level_tables(column, hierarchy); !checked) return checked.error();
  std::unordered_map<std::string_view, Code> code_of;
  for (Code code = 0; code < column.values.size(); ++code) code_of.emplace(column.values[code], code);
  Dimension out;
  out.name = column.name;
  out.rank_of.resize(column.values.size());
  for (const auto row : leaf_order(hierarchy)) {
    const auto found = code_of.find(hierarchy.rows[row].front());
    if (found == code_of.end()) continue;
    out.rank_of[found->second] = out.ranks();
    if (null_text == hierarchy.rows[row].front()) out.null_rank = out.ranks();
    out.values.push_back(hierarchy.rows[row].front());
  }
  Column by_rank;
  by_rank.name = column.name;
  by_rank.values = out.values;
  auto levels = make_level_tables(by_rank, hierarchy);
  if (!levels) return levels.error();
  out.levels = std::move(*levels);
  return out;
}

double span(const Dimension& dimension, RankRange range) {
  if (range.low == range.high) return 0;
  if (!dimension.is_numeric()) return range.high - range.low;
  const auto ends = mixes_null(dimension, range) ? all_numbers(dimension) : range;
  return dimension.numbers[ends.high] - dimension.numbers[ends.low];
}

std::string label(const Dimension& dimension, RankRange range) {
  if (range.low == range.high) return dimension.values[range.low];
  if (!dimension.is_numeric()) {
    const auto level = common_level(*dimension.levels, range);
    if (!level) return std::string(kSuppressed);
    return dimension.levels->values[*level][dimension.levels->code_at[*level][range.low]];
  }
  if (mixes_null(dimension, range)) return std::string(kSuppressed);
  return fmt::format("[{},{}]", dimension.values[range.low], dimension.values[range.high]);
}

double certainty_penalty(const Dimension& dimension, RankRange range) {
  if (range.low == range.high) return 0;
  if (dimension.is_numeric()) {
    if (mixes_null(dimension, range)) return 1;
    const double whole = span(dimension, all_numbers(dimension));
    return whole == 0 ? 0 : span(dimension, range) / whole;
  }
  const auto level = common_level(*dimension.levels, range);
  if (!level) return 1;
  const auto code = dimension.levels->code_at[*level][range.low];
  return static_cast<double>(dimension.levels->hierarchy_rows[*level][code]) /
         static_cast<double>(dimension.levels->domain);
}

bool has_sets(const Dimension& dimension) {
  return !dimension.is_numeric() && dimension.ranks() <= kMostOfSet;
}

std::string label_of_set(const Dimension& dimension, RankSet set) {
  if (std::has_single_bit(set)) return dimension.values[static_cast<Rank>(std::countr_zero(set))];
  if (static_cast<std::uint64_t>(std::popcount(set)) == dimension.levels->domain)
    return std::string(kSuppressed);
  std::string out = "{";
  for (Rank rank = 0; rank < dimension.ranks(); ++rank) {
    if ((set >> rank & 1U) == 0) continue;
    if (out.size() > 1) out += ',';
    out += dimension.null_rank == rank ? "NULL" : array_element(dimension.values[rank]);
  }
  return out + "}";
}

double certainty_penalty_of_set(const Dimension& dimension, RankSet set) {
  const auto values = std::popcount(set);
  return values <= 1 ? 0 : static_cast<double>(values) / static_cast<double>(dimension.levels->domain);
}

}  // namespace pgveil::engine
