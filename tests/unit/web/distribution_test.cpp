#include "web/api/distribution.hpp"

#include <doctest/doctest.h>

#include <boost/json/array.hpp>

namespace pgveil::app {
namespace {

policy::Counts counted(std::vector<std::string> values, std::vector<policy::Code> codes,
                       std::vector<std::uint64_t> rows, std::vector<policy::Code> units = {}) {
  return {{{"city", 2, std::move(values)}}, {std::move(codes)}, std::move(rows), std::move(units)};
}

std::uint64_t rows_of(const boost::json::object& answer, std::string_view value) {
  for (const auto& it : answer.at("values").as_array())
    if (it.as_object().at("value").as_string() == value)
      return it.as_object().at("rows").to_number<std::uint64_t>();
  return 0;
}

TEST_CASE("values of fewer than k units are told together, and figures are multiples of k") {
  const auto answer =
      count_values(counted({"Aber", "Bree", "Cork", "Dale"}, {1, 2, 3, 4, 0}, {103, 5, 4, 2, 7}), 5);
  CHECK(answer.at("grain") == 5);
  CHECK(answer.at("values").as_array().size() == 2);
  CHECK(rows_of(answer, "Aber") == 105);
  CHECK(rows_of(answer, "Bree") == 5);
  CHECK(answer.at("rare_rows") == 5);  // of 6
  CHECK(answer.at("null_rows") == 5);  // of 7
  CHECK(answer.at("rows") == 120);     // of 121
}

TEST_CASE("no two tables that differ by one row of a value are told apart by more than a step of k") {
  for (std::uint64_t rows = 50; rows < 100; ++rows) {
    const auto answer = count_values(counted({"Aber"}, {1}, {rows}), 5);
    CHECK(rows_of(answer, "Aber") % 5 == 0);
    CHECK(rows_of(answer, "Aber") + 2 >= rows);
    CHECK(rows_of(answer, "Aber") <= rows + 2);
  }
}

TEST_CASE("units count, not their rows, and the grain is as coarse as the unit that has most") {
  // Unit 1 has 40 rows of Aber and one of Bree, units 2 and 3 have one row of Bree each.
  const auto answer = count_values(counted({"Aber", "Bree"}, {1, 2, 2, 2}, {40, 1, 1, 1}, {1, 1, 2, 3}), 2);
  CHECK(answer.at("grain") == 82);
  CHECK(answer.at("values").as_array().size() == 1);
  CHECK(rows_of(answer, "Aber") == 0);
  CHECK(answer.at("rare_rows") == 0);
}

TEST_CASE("a unit that is NULL does not make a value common") {
  const auto answer = count_values(counted({"Aber"}, {1, 1, 1}, {1, 1, 1}, {0, 0, 1}), 2);
  CHECK(answer.at("values").as_array().empty());
}

TEST_CASE("equal figures come in the order of their values, whatever lies behind them") {
  const auto answer = count_values(counted({"Bree", "Aber"}, {1, 2}, {11, 10}), 5);
  const auto& values = answer.at("values").as_array();
  REQUIRE(values.size() == 2);
  CHECK(values[0].as_object().at("value") == "Aber");
}

TEST_CASE("beyond the most values only a sum is told") {
  std::vector<std::string> names;
  std::vector<policy::Code> codes;
  const std::size_t many = Distributions::kMostValues + 3;
  for (std::size_t i = 0; i < many; ++i) {
    names.push_back("v" + std::to_string(i));
    codes.push_back(static_cast<policy::Code>(i + 1));
  }
  const auto answer = count_values(counted(names, codes, std::vector<std::uint64_t>(many, 4)), 2);
  CHECK(answer.at("values").as_array().size() == Distributions::kMostValues);
  CHECK(answer.at("other_values") == 3);
  CHECK(answer.at("other_rows") == 12);
}

}  // namespace
}  // namespace pgveil::app
