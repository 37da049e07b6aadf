#include "engine/recount/shown_as.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

namespace pgveil::engine {
namespace {

bool has_all(const Hierarchy& hierarchy, std::size_t level, const std::set<std::string>& texts) {
  std::set<std::string> of_level;
  for (const auto& row : hierarchy.rows) of_level.insert(row[level]);
  return std::ranges::includes(of_level, texts);
}

// Whether both levels show each value alike, as far as it occurs in the texts.
bool shows_alike(const Hierarchy& hierarchy, std::size_t one, std::size_t other,
                 const std::set<std::string>& texts) {
  return std::ranges::all_of(hierarchy.rows, [&](const auto& row) {
    return row[one] == row[other] || (!texts.contains(row[one]) && !texts.contains(row[other]));
  });
}

}  // namespace

Result<ShownAs> ShownAs::make(const std::string& column, const Hierarchy& hierarchy, unsigned level) {
  ShownAs made;
  for (const auto& row : hierarchy.rows) {
    if (level >= row.size())
      return invalid_input(fmt::format("{} has no level {}", column, level),
                           fmt::format("it has levels 0 to {}", row.size() - 1));
    made.shown_.emplace(row.front(), row[level]);
  }
  return made;
}

const std::string* ShownAs::find(std::string_view value) const {
  const auto found = shown_.find(value);
  return found == shown_.end() ? nullptr : &found->second;
}

Result<unsigned> level_shown(const std::string& column, const Hierarchy& hierarchy,
                             const std::set<std::string>& texts) {
  std::vector<std::size_t> candidates;
  for (std::size_t level = 0; level < hierarchy.rows.front().size(); ++level) {
    if (has_all(hierarchy, level, texts)) candidates.push_back(level);
  }
  if (candidates.empty()) {
    return invalid_input(fmt::format("{} shows texts that no level of its hierarchy has", column),
                         "was it published by another job?");
  }
  for (const auto other : candidates) {
    if (!shows_alike(hierarchy, candidates.front(), other, texts))
      return invalid_input(fmt::format("which level {} is at can't be told by its texts", column),
                           "name the levels with --transformation");
  }
  return static_cast<unsigned>(candidates.front());
}

}  // namespace pgveil::engine
