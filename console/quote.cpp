#include "console/quote.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "common/ascii.hpp"

namespace pgveil::console {
namespace {

bool is_plain_name(std::string_view name) {
  return !name.empty() && !is_digit(name.front()) &&
         std::ranges::all_of(name, [](char c) { return is_lower(c) || is_digit(c) || c == '_'; });
}

bool is_control(char c) {
  return static_cast<unsigned char>(c) < 0x20 || c == 0x7f;
}

std::string quoted(std::string_view text, char quote) {
  const bool escapes =
      std::any_of(text.begin(), text.end(), [](char c) { return is_control(c) || c == '\\'; });
  std::string out = escapes ? "E" : "";
  out += quote;
  for (const char c : text) {
    if (c == quote) {
      out += quote;
      out += quote;
    } else if (c == '\\') {
      out += "\\\\";
    } else if (c == '\n') {
      out += "\\n";
    } else if (c == '\t') {
      out += "\\t";
    } else if (is_control(c)) {
      out += fmt::format("\\x{:02x}", static_cast<unsigned char>(c));
    } else {
      out += c;
    }
  }
  out += quote;
  return out;
}

}  // namespace

std::string shown_name(std::string_view name) {
  return is_plain_name(name) ? std::string(name) : quoted(name, '"');
}

std::string shown_value(std::string_view value) {
  return quoted(value, '\'');
}

std::string shown_percent(std::uint64_t part, std::uint64_t whole, int digits) {
  if (whole == 0) return "";
  return fmt::format("{:.{}f}", 100.0 * static_cast<double>(part) / static_cast<double>(whole), digits);
}

}  // namespace pgveil::console
