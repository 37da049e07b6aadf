#include "draft/yaml_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "common/ascii.hpp"

namespace pgveil::draft {
namespace {

constexpr std::size_t kLine = 110;

// Words that YAML reads as something else than a text.
constexpr auto kReserved =
    std::to_array<std::string_view>({"true", "false", "yes", "no", "on", "off", "null", "y", "n"});

bool is_plain_name(std::string_view name) {
  if (name.empty() || !(is_letter(name.front()) || name.front() == '_')) return false;
  if (!std::ranges::all_of(name, [](char c) { return is_letter(c) || is_digit(c) || c == '_' || c == '.'; }))
    return false;
  return std::ranges::find(kReserved, lower(name)) == kReserved.end();
}

bool is_control(char c) {
  return static_cast<unsigned char>(c) < 0x20 || c == 0x7f;
}

}  // namespace

std::string yaml_name(std::string_view name) {
  if (is_plain_name(name)) return std::string(name);
  std::string out = "\"";
  for (const char c : name) {
    if (is_control(c)) {
      out += fmt::format("\\x{:02x}", static_cast<unsigned>(static_cast<unsigned char>(c)));
    } else {
      if (c == '"' || c == '\\') out += '\\';
      out += c;
    }
  }
  return out + '"';
}

std::string in_comment(std::string_view text) {
  std::string out(text);
  std::ranges::replace_if(out, is_control, '?');
  return out;
}

std::string comment(std::string_view text, std::string_view indent) {
  const std::string begin = std::string(indent) + "#";
  std::string out;
  std::string line = begin;
  const std::string clean = in_comment(text);
  for (std::size_t at = 0; at < clean.size();) {
    const std::size_t end = std::min(clean.find(' ', at), clean.size());
    const auto word = std::string_view(clean).substr(at, end - at);
    if (line.size() + 1 + word.size() > kLine && line.size() > begin.size()) {
      out += line + "\n";
      line = begin;
    }
    line += " ";
    line += word;
    at = end + 1;
  }
  return out + line + "\n";
}

}  // namespace pgveil::draft
