#include "jobs/input/alike_values.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <map>
#include <string_view>
#include <tuple>
#include <utility>

#include "common/ascii.hpp"

namespace pgveil::app {
namespace {

constexpr std::int64_t kMostExponent = 1'000'000;  // far beyond the numbers that can be ordered

// Of "e-3", "E+2" or nothing. nullopt: the text is no exponent.
std::optional<std::int64_t> exponent_of(std::string_view text) {
  if (text.empty()) return 0;
  text.remove_prefix(1);
  const bool is_negative = text.starts_with('-');
  if (is_negative || text.starts_with('+')) text.remove_prefix(1);
  std::int64_t made = 0;
  if (!are_digits(text)) return std::nullopt;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), made);
  if (error != std::errc{} || made > kMostExponent) return std::nullopt;
  return is_negative ? -made : made;
}

// The same text for all decimals that are equal: its digits without zeros at either end, and the power of
// ten. nullopt: it is no decimal.
std::optional<std::string> number_key(std::string_view text) {
  const bool is_negative = text.starts_with('-');
  if (is_negative || text.starts_with('+')) text.remove_prefix(1);
  const auto end = std::min(text.find_first_of("eE"), text.size());
  auto exponent = exponent_of(text.substr(end));
  if (!exponent) return std::nullopt;
  const auto dot = std::min(text.find('.'), end);
  std::string digits(text.substr(0, dot));
  if (dot < end) {
    const auto fraction = text.substr(dot + 1, end - dot - 1);
    digits += fraction;
    *exponent -= static_cast<std::int64_t>(fraction.size());
  }
  if (!are_digits(digits)) return std::nullopt;
  const auto last = digits.find_last_not_of('0');
  if (last == std::string::npos) return "0";
  *exponent += static_cast<std::int64_t>(digits.size() - last - 1);
  digits.resize(last + 1);
  return fmt::format("{}{}e{}", is_negative ? "-" : "", digits.substr(digits.find_first_not_of('0')),
                     *exponent);
}

bool is_plainer(const std::string& one, const std::string& other) {
  const auto key = [](const std::string& it) {
    return std::tuple(it.find_first_of("eE") != std::string::npos, it.size(), std::string_view(it));
  };
  return key(one) < key(other);
}

// nullopt: the column does not have both.
std::optional<engine::Column> with_empty_as_null(const engine::Column& column, const std::string& null_text) {
  const auto has = [&](std::string_view text) {
    return std::ranges::find(column.values, text) != column.values.end();
  };
  if (null_text.empty() || !has("") || !has(null_text)) return std::nullopt;
  auto texts = column.values;
  std::ranges::replace(texts, std::string(), null_text);
  return engine::with_texts(column, texts);
}

}  // namespace

std::optional<engine::Column> with_joined_numbers(const engine::Column& column,
                                                  const std::optional<std::string>& null_text) {
  std::map<std::string, std::string> plainest;  // by the number
  std::vector<std::optional<std::string>> keys;
  for (const auto& value : column.values) {
    const auto& key = keys.emplace_back(value == null_text ? std::nullopt : number_key(value));
    if (!key) continue;
    const auto [found, is_new] = plainest.emplace(*key, value);
    if (!is_new && is_plainer(value, found->second)) found->second = value;
  }
  auto texts = column.values;
  for (std::size_t code = 0; code < texts.size(); ++code) {
    if (keys[code]) texts[code] = plainest.at(*keys[code]);
  }
  if (texts == column.values) return std::nullopt;
  return engine::with_texts(column, texts);
}

std::vector<engine::Column> join_alike_values(const Job& job, engine::Table& table) {
  std::vector<engine::Column> before;
  for (const auto& attribute : job.attributes) {
    if (attribute.models.empty()) continue;
    const auto column = std::ranges::find(table.columns, attribute.name, &engine::Column::name);
    if (column == table.columns.end()) continue;
    auto made = job.output.file && job.null_text ? with_empty_as_null(*column, *job.null_text) : std::nullopt;
    if (auto joined = with_joined_numbers(made ? *made : *column, job.null_text)) made = std::move(joined);
    if (made) before.push_back(std::exchange(*column, std::move(*made)));
  }
  return before;
}

}  // namespace pgveil::app
