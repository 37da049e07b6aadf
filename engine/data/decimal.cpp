#include "engine/data/decimal.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "common/ascii.hpp"

namespace pgveil::engine {
namespace {

constexpr std::size_t kMaxDigits = 18;

}  // namespace

std::optional<Decimal> decimal_of(std::string_view text) {
  const bool is_negative = text.starts_with('-');
  if (is_negative || text.starts_with('+')) text.remove_prefix(1);
  const auto dot = std::min(text.find('.'), text.size());
  const auto fraction = text.substr(std::min(dot + 1, text.size()));
  const auto whole = text.substr(0, dot);
  if (!are_digits(whole) || (dot < text.size() && !are_digits(fraction))) return std::nullopt;
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

std::string decimal_text(Wide number, unsigned scale) {
  Wide unit = 1;
  for (unsigned i = 0; i < scale; ++i) unit *= 10;
  const Wide size = number < 0 ? -number : number;
  std::string text = fmt::format("{}{}", number < 0 ? "-" : "", size / unit);
  if (scale == 0) return text;
  std::string fraction = fmt::format("{:0>{}}", fmt::format("{}", size % unit), scale);
  fraction.erase(fraction.find_last_not_of('0') + 1);
  return fraction.empty() ? text : text + "." + fraction;
}

}  // namespace pgveil::engine
