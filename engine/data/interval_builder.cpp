#include <fmt/format.h>

#include <algorithm>

#include "engine/data/builder_parts.hpp"
#include "engine/data/decimal.hpp"

namespace pgveil::engine {
namespace {

Wide floor_to_multiple(Wide number, Wide width) {
  const Wide rest = number % width;
  return number - (rest < 0 ? rest + width : rest);
}

// The rule with all numbers at one scale.
struct Scaled {
  unsigned scale = 0;
  Wide origin = 0;
  std::vector<Wide> widths;
  std::optional<Wide> low, high;
};

std::string label(const Scaled& rule, Wide value, Wide width) {
  if (rule.low && value < *rule.low) return "< " + decimal_text(*rule.low, rule.scale);
  if (rule.high && value >= *rule.high) return ">= " + decimal_text(*rule.high, rule.scale);
  Wide begin = rule.origin + floor_to_multiple(value - rule.origin, width);
  Wide end = begin + width;
  if (rule.low) begin = std::max(begin, *rule.low);
  if (rule.high) end = std::min(end, *rule.high);
  return fmt::format("[{}, {})", decimal_text(begin, rule.scale), decimal_text(end, rule.scale));
}

// The numbers of the rule and of the values, and those texts that are no number.
class Numbers {
 public:
  Decimal add(std::string_view text) {
    const auto number = decimal_of(text);
    if (!number) strange_.emplace_back(text);
    scale_ = std::max(scale_, number ? number->scale : 0);
    return number.value_or(Decimal{});
  }
  [[nodiscard]] const std::vector<std::string>& strange() const { return strange_; }
  [[nodiscard]] unsigned scale() const { return scale_; }

 private:
  unsigned scale_ = 0;
  std::vector<std::string> strange_;
};

struct Parsed {
  Decimal origin;
  std::vector<Decimal> widths;
  std::optional<Decimal> low, high;
};

Result<Parsed> parsed(const Intervals& rule, std::string_view column, Numbers& numbers) {
  Parsed made;
  made.origin = numbers.add(rule.origin);
  for (const auto& width : rule.widths) made.widths.push_back(numbers.add(width));
  if (rule.low) made.low = numbers.add(*rule.low);
  if (rule.high) made.high = numbers.add(*rule.high);
  if (numbers.strange().empty() && !rule.widths.empty()) return made;
  if (rule.widths.empty()) {
    return rule_error(fmt::format("the intervals of {} have no width", column), "list at least one");
  }
  return rule_error(fmt::format("the intervals of {}: {} is no number", column, numbers.strange().front()),
                    "write decimals of at most 18 digits");
}

Scaled at_scale_of(const Parsed& rule, unsigned scale) {
  Scaled made{scale, scaled(rule.origin, scale), {}, std::nullopt, std::nullopt};
  for (const auto& width : rule.widths) made.widths.push_back(scaled(width, scale));
  if (rule.low) made.low = scaled(*rule.low, scale);
  if (rule.high) made.high = scaled(*rule.high, scale);
  return made;
}

Result<void> check(const Scaled& rule, std::string_view column) {
  for (std::size_t i = 0; i < rule.widths.size(); ++i) {
    if (rule.widths[i] <= 0) {
      return rule_error(fmt::format("the intervals of {}: width {} is not positive", column, i + 1),
                        "write widths above 0");
    }
    if (i > 0 && (rule.widths[i] % rule.widths[i - 1] != 0 || rule.widths[i] == rule.widths[i - 1])) {
      return rule_error(
          fmt::format("the intervals of {}: width {} is no larger multiple of the one before", column, i + 1),
          "each level must join whole intervals of the one below, as in [5, 10, 20]");
    }
  }
  if (!rule.low || !rule.high || *rule.low < *rule.high) return {};
  return rule_error(fmt::format("the intervals of {}: low is not below high", column),
                    "everything would be outside");
}

}  // namespace

Result<BuiltRows> build(const Intervals& rule, std::string_view column, std::span<const std::string> values) {
  Numbers numbers;
  const auto parsed_rule = parsed(rule, column, numbers);
  if (parsed_rule.has_error()) return parsed_rule.error();
  std::vector<Decimal> parsed_values;
  for (const auto& value : values) parsed_values.push_back(numbers.add(value));
  if (!numbers.strange().empty()) {
    return values_error(
        fmt::format("{} values of {} are no numbers, but it has intervals", numbers.strange().size(), column),
        "intervals take decimals of at most 18 digits; use a hierarchy file for other values",
        numbers.strange());
  }
  const Scaled at_scale = at_scale_of(*parsed_rule, numbers.scale());
  if (const auto valid = check(at_scale, column); valid.has_error()) return valid.error();
  BuiltRows built{rule.widths.size() + 2, {}};
  for (std::size_t i = 0; i < values.size(); ++i) {
    auto& row = built.rows.emplace_back(1, values[i]);
    const Wide value = scaled(parsed_values[i], numbers.scale());
    for (const Wide width : at_scale.widths) row.push_back(label(at_scale, value, width));
    row.emplace_back(kEverything);
  }
  return built;
}

}  // namespace pgveil::engine
