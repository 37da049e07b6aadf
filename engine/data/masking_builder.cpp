#include <fmt/format.h>

#include <algorithm>

#include "engine/data/builder_parts.hpp"

namespace pgveil::engine {
namespace {

// Where each code point begins, and the end. Bytes that are not UTF-8 count as characters of their own.
std::vector<std::size_t> boundaries(std::string_view text) {
  std::vector<std::size_t> found;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const bool continues = (static_cast<unsigned char>(text[i]) & 0xC0) == 0x80;
    if (!continues || found.empty()) found.push_back(i);
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

Result<BuiltRows> build(const Masking& rule, std::string_view column, std::span<const std::string> values) {
  std::size_t longest = 1;
  for (const auto& value : values) longest = std::max(longest, boundaries(value).size() - 1);
  auto counts = rule.masked;
  for (std::size_t i = 0; i < counts.size(); ++i) {
    if (counts[i] > (i == 0 ? 0 : counts[i - 1])) continue;
    return rule_error(fmt::format("the masking of {} does not rise at level {}", column, i + 1),
                      "each level masks more characters than the one below");
  }
  if (counts.empty()) {
    for (std::size_t count = 1; count < longest; ++count) counts.push_back(count);
  }
  std::erase_if(counts, [longest](std::size_t count) { return count >= longest; });
  counts.push_back(longest);
  BuiltRows built{counts.size() + 1, {}};
  for (const auto& value : values) {
    auto& row = built.rows.emplace_back(1, value);
    for (const auto count : counts) row.push_back(masked(value, longest, count, rule.kept));
  }
  return built;
}

}  // namespace pgveil::engine
