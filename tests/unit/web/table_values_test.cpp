// What who sets up a job over a table is told of its columns.
#include "web/api/table_values.hpp"

#include <doctest/doctest.h>

#include <boost/json/array.hpp>
#include <boost/json/serialize.hpp>

namespace pgveil::app {
namespace {

db::ColumnValues column(std::string name, std::uint64_t distinct,
                        std::optional<std::vector<std::string>> values = std::nullopt) {
  db::ColumnValues made;
  made.name = std::move(name);
  made.type = "text";
  made.distinct = distinct;
  made.values = std::move(values);
  return made;
}

boost::json::object told(db::ColumnValues of, std::uint64_t rows = 100) {
  const auto answer = values_json({rows, {std::move(of)}});
  return answer.at("columns").as_array().at(0).as_object();
}

TEST_CASE("a column is told as an upload's is, with its type") {
  auto town = column("town", 2, std::vector<std::string>{"Aber", "Bree"});
  town.nulls = 7;
  town.counts = {90, 3};
  CHECK(boost::json::serialize(values_json({100, {town}})) ==
        R"({"rows":100,"columns":[{"name":"town","type":"text","distinct":2,"empty":7,"kind":"text",)"
        R"("values":["Aber","Bree"],"counts":[90,3],"hints":["a place smaller than a state"]}]})");
}

TEST_CASE("numbers have a range and nothing else has one") {
  auto age = column("pay", 300);
  age.numbers = {-1.5, 90};
  const auto answer = told(age);
  CHECK(answer.at("kind") == "number");
  CHECK(answer.at("least") == -1.5);
  CHECK(answer.at("greatest") == 90.0);
  CHECK(answer.at("values").is_null());
  CHECK_FALSE(told(column("pay", 300)).contains("least"));
}

TEST_CASE("dates are those of PostgreSQL, and those that the values look like") {
  auto born = column("a", 300);
  born.are_dates = true;
  CHECK(told(born).at("kind") == "date");
  CHECK(told(column("a", 1, std::vector<std::string>{"29.02.2024"})).at("kind") == "date");
  CHECK(told(column("a", 2, std::vector<std::string>{"29.02.2024", "soon"})).at("kind") == "text");
  CHECK(told(column("a", 0, std::vector<std::string>{})).at("kind") == "text");
}

TEST_CASE("a value that is no UTF-8 is not told, nor are those beside it") {
  const auto answer = told(column("a", 2, std::vector<std::string>{"b", "\xff"}));
  CHECK(answer.at("values").is_null());
  CHECK(answer.at("counts").is_null());
}

TEST_CASE("a column whose every row has another value is hinted at from twenty rows on") {
  CHECK_FALSE(told(column("a", 20), 20).at("hints").as_array().empty());
  CHECK(told(column("a", 19), 20).at("hints").as_array().empty());
  CHECK(told(column("a", 19), 19).at("hints").as_array().empty());
}

TEST_CASE("values hint where they are told, and names where they are not") {
  const std::vector<std::string> addresses{"a@example.org", "b@example.org"};
  CHECK_FALSE(told(column("a", 2, addresses)).at("hints").as_array().empty());
  CHECK(told(column("a", 2)).at("hints").as_array().empty());
  CHECK_FALSE(told(column("email", 2)).at("hints").as_array().empty());
}

}  // namespace
}  // namespace pgveil::app
