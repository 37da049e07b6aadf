#include <doctest/doctest.h>

#include <algorithm>

#include "console/console.hpp"
#include "console/health.hpp"

namespace pgveil::console {
namespace {

using Row = std::vector<std::optional<std::string>>;

// A table with all columns of the command, in which these cells are set.
TextTable answer(const Command& command,
                 const std::vector<std::vector<std::pair<std::string, std::string>>>& rows) {
  TextTable table{columns_of(command), {}};
  for (const auto& cells : rows) {
    Row row(table.columns.size());
    for (const auto& [name, value] : cells) {
      const auto at = std::ranges::find(table.columns, name) - table.columns.begin();
      row[static_cast<std::size_t>(at)] = value;
    }
    table.rows.push_back(std::move(row));
  }
  return table;
}

const TextTable& version() {
  static const TextTable table = answer(ShowVersion{}, {{{"version", "pgveil 0.1.0"}}});
  return table;
}

Result<Health> health(const std::vector<std::vector<std::pair<std::string, std::string>>>& databases,
                      const std::vector<std::vector<std::pair<std::string, std::string>>>& policies) {
  return health_of(version(), answer(ShowDatabases{}, databases), answer(ShowPolicies{}, policies),
                   1'767'225'600 + 90'061);  // 2026-01-02T01:01:01Z
}

TEST_CASE("a pgveil whose policies are open and whose databases answer is healthy") {
  const auto got = health({{{"name", "demo"}, {"disabled", "0"}, {"paused", "0"}}},
                          {{{"policy", "p"},
                            {"database", "demo"},
                            {"state", "open"},
                            {"version", "3"},
                            {"built_at", "2026-01-01T00:00:00Z"}}});
  REQUIRE(got.has_value());
  CHECK(got->version == "pgveil 0.1.0");
  REQUIRE(got->policies.size() == 1);
  CHECK(got->policies[0].version == 3U);
  CHECK(got->policies[0].age_seconds == 90'061);
  CHECK(problems_of(*got).empty());
}

TEST_CASE("each thing that is wrong is one problem") {
  const auto got = health({{{"name", "a"}, {"disabled", "1"}, {"paused", "0"}},
                           {{"name", "b"}, {"disabled", "0"}, {"paused", "1"}}},
                          {{{"policy", "p"}, {"state", "closed"}, {"closed_because", "build needed"}},
                           {{"policy", "q"}, {"state", "open"}, {"last_failure", "2026-01-01T00:00:00Z"}}});
  REQUIRE(got.has_value());
  CHECK(problems_of(*got) ==
        std::vector<std::string>{"database a can't be used", "database b is paused",
                                 "policy p is closed: build needed",
                                 "the last build of policy q failed, at 2026-01-01T00:00:00Z"});
  CHECK_FALSE(got->policies[0].version);
  CHECK_FALSE(got->policies[0].age_seconds);
}

TEST_CASE("a state that is not known does not count as usable or open") {
  const auto got = health({{{"name", "a"}}}, {{{"policy", "p"}, {"state", "half open"}}});
  REQUIRE(got.has_value());
  CHECK(problems_of(*got).size() == 2);
}

TEST_CASE("a build in the future has age 0, and a time that is none has no age") {
  const auto got = health({}, {{{"state", "open"}, {"built_at", "2027-01-01T00:00:00Z"}},
                               {{"state", "open"}, {"built_at", "yesterday"}}});
  REQUIRE(got.has_value());
  CHECK(got->policies[0].age_seconds == 0);
  CHECK_FALSE(got->policies[1].age_seconds);
}

TEST_CASE("an answer without the columns is another program's") {
  const auto got = health_of(version(), answer(ShowDatabases{}, {}), TextTable{{"policy"}, {{"p"}}}, 0);
  REQUIRE(got.has_error());
  CHECK(got.error().kind == ErrorKind::protocol);
}

TEST_CASE("an age has its two largest units") {
  CHECK(age_text(0) == "0 s");
  CHECK(age_text(59) == "59 s");
  CHECK(age_text(60) == "1 min");
  CHECK(age_text(3'600) == "1 h 0 min");
  CHECK(age_text(90'061) == "1 d 1 h");
}

}  // namespace
}  // namespace pgveil::console
