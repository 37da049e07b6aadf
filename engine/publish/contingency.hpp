#pragma once
// How often two columns of a table have each pair of values, before and after: VALUES AND COUNTS OF THE
// INPUT. Only for the owner of the data, who asks for it by name; it goes into no report, message or log.
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "common/error.hpp"
#include "engine/data/table.hpp"
#include "engine/publish/publication.hpp"

namespace pgveil::engine {

inline constexpr std::size_t kMostCrossed = 50;

struct CrossedValues {
  std::vector<std::optional<std::string>> values;  // the most frequent first, ties by text; nullopt: NULL
  bool has_others = false;                         // one more row or column stands for all other values
  [[nodiscard]] std::size_t size() const { return values.size() + (has_others ? 1 : 0); }
};

struct CrossTable {
  CrossedValues first, second;                     // at most kMostCrossed of each
  std::vector<std::vector<std::uint64_t>> counts;  // [first][second]
};

struct Contingency {
  std::string first, second;
  CrossTable before, after;
};

// Like measure_utility, except that a suppressed cell is the value `*`. Errors, kind usage: a column that is
// not published, or the same column twice.
[[nodiscard]] Result<Contingency> measure_contingency(const Table& table,
                                                      std::span<const std::uint8_t> subset,
                                                      const std::optional<std::string>& null_text,
                                                      const Publication& publication, std::string_view first,
                                                      std::string_view second);

}  // namespace pgveil::engine
