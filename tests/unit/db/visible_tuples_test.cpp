// The recount of an export (db/catalog/visible_tuples.hpp) is pure; it is tested here with the other parts of
// EXPORT.
#include <doctest/doctest.h>

#include "db/catalog/visible_tuples.hpp"

namespace pgveil::db {
namespace {

// state = OH releases the state; 3 OH rows of 2 units, 2 others (one NULL) of 2 units.
policy::Counts counts() {
  policy::Counts out;
  out.attributes = {{"state", 1, {"OH", "MA"}}};
  out.codes = {{1, 1, 2, policy::kNullCode}};
  out.rows = {2, 1, 1, 1};
  out.units = {1, 2, 3, 4};
  return out;
}

policy::DisclosureTree tree() {
  policy::DisclosureTree out;
  out.k = 2;
  out.attributes = {{"state", 1}};
  out.nodes = {{policy::Split{0, "OH"}, 1, 2, 5, 4}, {std::nullopt, 0, 0, 3, 2}, {std::nullopt, 0, 0, 2, 2}};
  return out;
}

using Written = std::map<VisibleTuple, std::uint64_t>;

TEST_CASE("the tree says which visible tuples there must be, with rows and units") {
  const auto expected = expected_tuples(tree(), counts());
  REQUIRE(expected.size() == 2);
  CHECK(expected.at({"OH"}).rows == 3);
  CHECK(expected.at({"OH"}).units == 2);
  CHECK(expected.at({std::nullopt}).rows == 2);
}

TEST_CASE("an output that is the tree's passes; any other does not") {
  const auto expected = expected_tuples(tree(), counts());
  CHECK(check_output(expected, Written{{{"OH"}, 3}, {{std::nullopt}, 2}}, 2).has_value());
  const std::vector<Written> wrong{
      {{{"OH"}, 3}},                                    // rows are missing
      {{{"OH"}, 2}, {{std::nullopt}, 3}},               // a row hides what it should show
      {{{"OH"}, 4}, {{std::nullopt}, 1}},               // a row shows what it should hide
      {{{"OH"}, 3}, {{"MA"}, 1}, {{std::nullopt}, 1}},  // a value nobody released
      {{{"MA"}, 3}, {{std::nullopt}, 2}},
      {}};
  for (const auto& written : wrong) {
    const auto checked = check_output(expected, written, 2);
    REQUIRE(checked.has_error());
    CHECK(checked.error().sqlstate == "42501");
    CHECK(one_line(checked.error()).find("MA") == std::string::npos);
  }
}

TEST_CASE("a tuple with enough rows but too few units is refused") {
  const auto expected = expected_tuples(tree(), counts());
  CHECK(check_output(expected, Written{{{"OH"}, 3}, {{std::nullopt}, 2}}, 3).has_error());
}

}  // namespace
}  // namespace pgveil::db
