#include "rewriter/catalog/open_pattern.hpp"

#include <algorithm>

namespace pgveil::rewriter {

bool is_pattern(std::string_view entry) {
  return entry.ends_with('*');
}

bool matches_name(std::string_view pattern, std::string_view name) {
  return is_pattern(pattern) ? name.starts_with(pattern.substr(0, pattern.size() - 1)) : name == pattern;
}

bool matches(const OpenPattern& pattern, std::string_view schema, std::string_view name) {
  const std::string_view text = pattern.text;
  const auto dot = text.find('.');
  return dot != std::string_view::npos && text.substr(0, dot) == schema &&
         matches_name(text.substr(dot + 1), name) &&
         std::ranges::none_of(pattern.except,
                              [&](const std::string& except) { return matches_name(except, name); });
}

}  // namespace pgveil::rewriter
