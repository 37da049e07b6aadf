// What pgveil-spark says, and what it does not.
#include "jobs/cluster/spark_lines.hpp"

#include <doctest/doctest.h>
#include <fmt/format.h>

namespace pgveil::app {
namespace {

constexpr std::string_view kQuality =
    R"({"groups": 3, "smallest": 2, "largest": 4, "discernibility_penalty": 29.0, "certainty_penalty": 1.5, "certainty_penalties": [1, 0.5]})";

std::string report(std::string_view quality = kQuality, std::string_view parts = "[4, 5]") {
  return fmt::format(
      R"({{"report": {{"job": "a", "records": 9, "k": 2, "seed": 1, "sampled": 9, "parts": 2, )"
      R"("records_by_part": {}, "notes": ["merged"], )"
      R"("phases_ms": {{"start": 1.5, "write": 2}}, "quality": {{"tight": {}, "region": {}}}}}}})",
      parts, quality, quality);
}

template <class Line>
Line read(std::string_view text) {
  const auto line = read_spark_line(text);
  REQUIRE(line.has_value());
  REQUIRE(line->has_value());
  REQUIRE(std::holds_alternative<Line>(**line));
  return std::get<Line>(**line);
}

TEST_CASE("progress names a phase and counts tasks") {
  const auto progress =
      read<SparkProgress>(R"({"progress": {"phase": "anonymize", "tasks": 8, "done": 3, "executors": 2}})");
  CHECK(progress == SparkProgress{SparkPhase::anonymize, 8, 3, 2});
}

TEST_CASE("a report has all its figures") {
  const auto told = read<SparkReport>(report());
  CHECK(told.records == 9);
  CHECK(told.records_by_part == std::vector<std::uint64_t>{4, 5});
  CHECK(told.tight.groups == 3);
  CHECK(told.region.certainty_penalties == std::vector<double>{1, 0.5});
  CHECK(told.notes == std::vector<std::string>{"merged"});
  CHECK(told.phases_ms == std::vector<std::pair<std::string, double>>{{"start", 1.5}, {"write", 2}});
}

TEST_CASE("a failure is one line without control characters") {
  CHECK(read<SparkFailure>(R"({"error": "no\u001b[2J such\nthing"})").what == "no [2J such thing");
  CHECK(read<SparkFailure>(fmt::format(R"({{"error": "{}"}})", std::string(5'000, 'x'))).what.size() ==
        2'000);
}

TEST_CASE("a long failure is cut between characters") {
  std::string what = "x";
  for (int i = 0; i < 1'000; ++i) what += "\u00fc";
  CHECK(read<SparkFailure>(fmt::format(R"({{"error": "{}"}})", what)).what.size() == 1'999);
}

TEST_CASE("what Java prints beside it is passed over") {
  for (const char* line : {"", "WARN something", "{", R"({"level": "WARN"})", R"(x {"error": "y"})"}) {
    CAPTURE(line);
    const auto read = read_spark_line(line);
    REQUIRE(read.has_value());
    CHECK_FALSE(read->has_value());
  }
}

TEST_CASE("what begins as a line of ours and is none is refused") {
  const std::string whole = report();
  for (std::size_t size = std::string_view(R"({"report": )").size(); size < whole.size(); ++size) {
    CAPTURE(size);
    CHECK_FALSE(read_spark_line(whole.substr(0, size)).has_value());
  }
  for (const std::string& line :
       {std::string(R"({"progress": {"phase": "elsewhere", "tasks": 8, "done": 3, "executors": 2}})"),
        std::string(R"({"progress": {"phase": "write", "tasks": -1, "done": 3, "executors": 2}})"),
        std::string(R"({"progress": {"phase": "write", "tasks": 1, "done": 3}})"),
        std::string(R"({"progress": "write"})"), std::string(R"({"error": ""})"),
        std::string(R"({"error": 7})"), std::string(R"({"error": "a", "report": {}})"), report("{}"),
        report(kQuality, "7"), report(kQuality, "[\"7\"]"), report("[]")}) {
    CAPTURE(line);
    CHECK_FALSE(read_spark_line(line).has_value());
  }
}

}  // namespace
}  // namespace pgveil::app
