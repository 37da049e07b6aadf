#include "common/sql_position.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>

namespace pgveil {
namespace {

constexpr std::size_t kMostBytes = 110;  // of a line, before "..."
constexpr std::size_t kBytesBefore = 60;

struct Place {
  int line = 1;
  int column = 1;
  std::size_t at = 0;  // bytes
  std::size_t line_start = 0;
  std::size_t line_end = 0;
};

bool is_continuation(char c) {
  return (static_cast<unsigned char>(c) & 0xc0) == 0x80;
}

Place place_of(std::string_view sql, int position) {
  Place place;
  int character = 0;
  for (; place.at < sql.size(); ++place.at) {
    const char c = sql[place.at];
    if (!is_continuation(c) && ++character == position) break;
    if (c == '\n') {
      ++place.line;
      place.line_start = place.at + 1;
      place.column = 1;
    } else if (!is_continuation(c)) {
      ++place.column;
    }
  }
  place.line_end = std::min(sql.find('\n', place.line_start), sql.size());
  return place;
}

std::size_t at_character(std::string_view sql, std::size_t at) {
  while (at > 0 && at < sql.size() && is_continuation(sql[at])) --at;
  return at;
}

// White space as wide as the text: tabs stay tabs.
std::string blank(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (!is_continuation(c)) out += c == '\t' ? '\t' : ' ';
  }
  return out;
}

}  // namespace

std::string line_and_column(std::string_view sql, int position) {
  if (position <= 0) return {};
  const Place place = place_of(sql, position);
  return fmt::format("line {}, column {}", place.line, place.column);
}

std::string caret_lines(std::string_view sql, int position) {
  if (position <= 0) return {};
  const Place place = place_of(sql, position);
  std::size_t first = place.line_start;
  std::size_t last = place.line_end;
  if (last - first > kMostBytes) {
    if (place.at - first > kBytesBefore) first = at_character(sql, place.at - kBytesBefore);
    if (last - first > kMostBytes) last = at_character(sql, first + kMostBytes);
  }
  const std::string_view before = first > place.line_start ? "..." : "";
  const std::string_view after = last < place.line_end ? "..." : "";
  return fmt::format("  {}{}{}\n  {}{}^\n", before, sql.substr(first, last - first), after, blank(before),
                     blank(sql.substr(first, place.at - first)));
}

}  // namespace pgveil
