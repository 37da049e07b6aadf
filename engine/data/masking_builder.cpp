#include <fmt/format.h>

#include <algorithm>

#include "engine/data/builder_parts.hpp"

namespace pgveil::engine {
namespace {

bool continues_character(char byte) {
  return (static_cast<unsigned char>(byte) & 0xC0) == 0x80;
}

// Where each code point begins, and the end. A first byte that continues none counts as a character, too.
std::vector<std::size_t> boundaries(std::string_view text) {
  std::vector<std::size_t> found;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (!continues_character(text[i]) || found.empty()) found.push_back(i);
  }
  found.push_back(text.size());
  return found;
}

std::string masked(std::string_view text, std::size_t longest, std::size_t count, KeptSide kept) {
  const auto at = boundaries(text);
  const std::size_t length = at.size() - 1;
  const std::size_t stays = std::min(longest - std::min(count, longest), length);
  const std::string stars(longest - stays, '*');
  switch (kept) {
    case KeptSide::prefix: return std::string(text.substr(0, at[stays])) + stars;
    case KeptSide::suffix: return stars + std::string(text.substr(at[length - stays]));
  }
  return stars;
}

}  // namespace

std::size_t characters(std::string_view text) {
  const auto begun = static_cast<std::size_t>(
      std::ranges::count_if(text, [](char byte) { return !continues_character(byte); }));
  return begun + (!text.empty() && continues_character(text.front()) ? 1 : 0);
}

Result<BuiltRows> build(const Masking& rule, std::string_view column, std::span<const std::string> values) {
  std::size_t longest = 1;
  for (const auto& value : values) longest = std::max(longest, characters(value));
  auto counts = rule.masked;
  for (std::size_t i = 0; i < counts.size(); ++i) {
    if (counts[i] > (i == 0 ? 0 : counts[i - 1])) continue;
    return rule_error(fmt::format("the masking of {} does not rise at level {}", column, i + 1),
                      "each level masks more characters than the one below");
  }
  if (counts.empty()) {
    auto possible = check_width(longest + 1, column,
                                "list the masked characters of each level, as in masked: [5, 10, 20]");
    if (!possible) return possible.error();
    for (std::size_t count = 1; count < longest; ++count) counts.push_back(count);
  }
  std::erase_if(counts, [longest](std::size_t count) { return count >= longest; });
  counts.push_back(longest);
  if (auto possible = check_width(counts.size() + 1, column, "choose fewer levels"); !possible)
    return possible.error();
  BuiltRows built{counts.size() + 1, {}};
  for (const auto& value : values) {
    auto& row = built.rows.emplace_back(1, value);
    for (const auto count : counts) row.push_back(masked(value, longest, count, rule.kept));
  }
  return built;
}

}  // namespace pgveil::engine
