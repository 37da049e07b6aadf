#include <fmt/format.h>

#include <algorithm>

#include "engine/data/builder_parts.hpp"

namespace pgveil::engine {
namespace {

// 18 digits scaled by up to 10^18 fit, and so do sums of a few.
__extension__ using Wide = __int128;
constexpr std::size_t kMaxDigits = 18;

// digits · 10^−scale.
struct Decimal {
  std::int64_t digits = 0;
  unsigned scale = 0;
};

std::optional<Decimal> decimal_of(std::string_view text) {
  const bool is_negative = text.starts_with('-');
  if (is_negative || text.starts_with('+')) text.remove_prefix(1);
  const auto dot = std::min(text.find('.'), text.size());
  const auto fraction = text.substr(std::min(dot + 1, text.size()));
  const auto whole = text.substr(0, dot);
  const auto is_digits = [](std::string_view part) {
    return !part.empty() && std::ranges::all_of(part, [](char c) { return c >= '0' && c <= '9'; });
  };
  if (!is_digits(whole) || (dot < text.size() && !is_digits(fraction))) return std::nullopt;
  if (whole.size() + fraction.size() > kMaxDigits) return std::nullopt;
  Decimal made{0, static_cast<unsigned>(fraction.size())};
  for (const auto part : {whole, fraction}) {
    for (const char c : part) made.digits = made.digits * 10 + (c - '0');
  }
  if (is_negative) made.digits = -made.digits;
  return made;
}

Wide scaled(const Decimal& number, unsigned scale) {
  Wide digits = number.digits;
  for (unsigned i = number.scale; i < scale; ++i) digits *= 10;
  return digits;
}

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

std::string text_of(Wide number, unsigned scale) {
  Wide unit = 1;
  for (unsigned i = 0; i < scale; ++i) unit *= 10;
  const Wide size = number < 0 ? -number : number;
  std::string text = fmt::format("{}{}", number < 0 ? "-" : "", size / unit);
  if (scale == 0) return text;
  std::string fraction = fmt::format("{:0>{}}", fmt::format("{}", size % unit), scale);
  fraction.erase(fraction.find_last_not_of('0') + 1);
  return fraction.empty() ? text : text + "." + fraction;
}

std::string label(const Scaled& rule, Wide value, Wide width) {
  if (rule.low && value < *rule.low) return "< " + text_of(*rule.low, rule.scale);
  if (rule.high && value >= *rule.high) return ">= " + text_of(*rule.high, rule.scale);
  Wide begin = rule.origin + floor_to_multiple(value - rule.origin, width);
  Wide end = begin + width;
  if (rule.low) begin = std::max(begin, *rule.low);
  if (rule.high) end = std::min(end, *rule.high);
  return fmt::format("[{}, {})", text_of(begin, rule.scale), text_of(end, rule.scale));
}

// The numbers of the rule and of the values, or what is none.
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

Scaled scaled(const Parsed& rule, unsigned scale) {
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
  const Scaled at_scale = scaled(*parsed_rule, numbers.scale());
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
