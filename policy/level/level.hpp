#pragma once
// A level is a coarser value of a column. It is shown in a column of its own or in place of the exact value.
// A level is a total function of the column's canonical text, and thus of the quasi-identifier's value and of
// nothing else: no setting, time zone or collation changes it. Where it has no value (NULL, infinity in bins
// of equal width, a text that no hierarchy lists), nothing is shown. SQL tests for each of its values by the
// value's pre-image (preimage.hpp).
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace pgveil::policy {

// Numbers in levels are whole ten-thousandths, up to 10^14 on both sides of 0.
using Scaled = std::int64_t;
inline constexpr Scaled kScale = 10'000;
inline constexpr Scaled kLargestScaled = 100'000'000'000'000 * kScale;

// [origin + n × width, origin + (n + 1) × width)
struct Bins {
  Scaled width = kScale;
  Scaled origin = 0;
  bool operator==(const Bins&) const = default;
};
// (,first) [first,second) … [last,)
struct Bounds {
  std::vector<Scaled> cuts;  // ascending, at least one
  bool operator==(const Bounds&) const = default;
};
enum class Period { day, week, month, quarter, year, decade };
struct Prefix {
  std::uint32_t length = 1;  // characters; 1 to kMaxPrefix
  bool operator==(const Prefix&) const = default;
};
inline constexpr std::uint32_t kMaxPrefix = 1000;
// The groups that a hierarchy lists.
struct Groups {
  std::vector<std::pair<std::string, std::string>> labels;  // value and label, ascending by value
  bool operator==(const Groups&) const = default;
};
using LevelMethod = std::variant<Bins, Bounds, Period, Prefix, Groups>;

// label: a text: "[30,40)", "1987-Q2", "Ham*". start: the lower end, in the column's own type: 30,
// 1987-04-01.
enum class LevelShows { label, start };

struct Level {
  std::string source;      // the column it is a function of
  int source_number = 0;   // in the table; 0 in a policy not yet checked against a table
  std::uint32_t step = 1;  // 1, 2, … from fine to coarse, per source
  LevelShows shows = LevelShows::label;
  LevelMethod method;
  bool operator==(const Level&) const = default;
};

// The level's value of a column's canonical text; nullopt: it has none.
[[nodiscard]] std::optional<std::string> level_value(const Level& level, std::string_view text);

// Whether every value of `coarse` is a union of values of `fine`, wherever both have a value.
[[nodiscard]] bool refines(const LevelMethod& fine, const LevelMethod& coarse);

// "width 10", "bounds 18, 65", "period month", "prefix 3". The text is for people, and it is complete, so
// that hashes can be taken of it.
[[nodiscard]] std::string describe(const LevelMethod& method);
[[nodiscard]] std::string_view period_name(Period period);
[[nodiscard]] std::optional<Period> period_of(std::string_view name);

}  // namespace pgveil::policy
