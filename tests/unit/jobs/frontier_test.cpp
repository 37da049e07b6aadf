#include "jobs/run/frontier.hpp"

#include <doctest/doctest.h>

#include "jobs/run/anonymize.hpp"
#include "tests/unit/temporary_folder.hpp"

namespace pgveil::app {
namespace {

using Ks = std::vector<std::uint64_t>;

AnonymizeRequest people(const TemporaryFolder& folder, const std::string& more = "") {
  folder.write("people.csv", "age,city\n34,Oslo\n34,Oslo\n70,Rome\n70,Rome\n51,Bonn\n");
  folder.write("city.csv", "Oslo;*\nRome;*\nBonn;*\n");
  auto read = read_job_text(
      "version: 1\nname: people\ninput: {file: people.csv}\nattributes:\n"
      "  age: {class: quasi_identifier, hierarchy: {intervals: {widths: [20, 60]}}}\n"
      "  city: {class: quasi_identifier, hierarchy: {file: city.csv}}\n"
      "k: 2\noutput: {file: out.csv}\n" +
          more,
      folder.path("job.yaml"));
  REQUIRE_MESSAGE(read.has_value(), one_line(read.error()));
  AnonymizeRequest request;
  request.job = *read;
  return request;
}

TEST_CASE("thresholds are numbers for k or shares for the risk, ascending and each once") {
  CHECK(*thresholds_of("10,2,5,2") == Ks{2, 5, 10});
  CHECK(*thresholds_of("50%,20%,3%,5") == Ks{2, 5, 34});
  CHECK(*thresholds_of("100%,33.3%,33.4%,0.1%") == Ks{1, 3, 4, 1000});
  for (const auto* bad : {"", ",", "2,", "0", "-1", "2.5", "1e3", "two", "0%", "101%", "nan%", "inf%", "%",
                          "0.00000000001%", "4294967297", "99999999999999999999"}) {
    CAPTURE(bad);
    REQUIRE(thresholds_of(bad).has_error());
    CHECK(thresholds_of(bad).error().kind == ErrorKind::usage);
  }
  std::string many = "1";
  for (int k = 2; k <= 64; ++k) many += "," + std::to_string(k);
  CHECK(thresholds_of(many).has_value());
  CHECK(thresholds_of(many + ",65").has_error());
}

TEST_CASE("the frontier has the optimum of each threshold, and publishes nothing") {
  const TemporaryFolder folder;
  const auto request = people(folder);
  const auto made = search_thresholds(request, {}, Ks{1, 2, 3, 5});
  REQUIRE(made.has_value());
  REQUIRE(made->size() == 4);
  for (const auto& report : *made) {
    CAPTURE(report.k);
    auto alone = request;
    alone.job.k = report.k;
    alone.lists_only = true;
    const auto expected = anonymize(alone, {});
    REQUIRE(expected.has_value());
    CHECK(report.levels == expected->levels);
    CHECK(report.search->optimum->score == expected->search->optimum->score);
  }
  CHECK_FALSE(std::filesystem::exists(folder.path("out.csv")));
  const auto text = frontier_text(*made);
  CHECK(text.find("at most 0 suppressed") != std::string::npos);
  CHECK(text.find("20 %") != std::string::npos);
  const auto json = frontier_json(*made);
  CHECK(json.find("\"k\":5,\"risk\":2E-1,") != std::string::npos);
  // All stars are needed for 3 already, so 3 costs as much as 5 and shields less.
  CHECK((*made)[2].levels == (*made)[3].levels);
  CHECK(json.find("\"is_on_frontier\":false") != std::string::npos);
  CHECK(text.find("|......") != std::string::npos);
}

TEST_CASE("a threshold that nothing keeps is a row of the frontier") {
  const TemporaryFolder folder;
  auto request = people(folder);
  request.job.attributes[0].max_level = 0;
  const auto made = search_thresholds(request, {}, Ks{1, 4});
  REQUIRE(made.has_value());
  CHECK(frontier_text(*made).find("nothing is anonymous") != std::string::npos);
  CHECK(frontier_json(*made).find("\"k\":4,\"risk\":2.5E-1,\"checks\":") != std::string::npos);
}

TEST_CASE("a threshold above the number of rows is a row of the frontier that says so") {
  const TemporaryFolder folder;
  const auto made = search_thresholds(people(folder), {}, Ks{2, 5, 6});
  REQUIRE(made.has_value());
  CHECK((*made)[1].search->optimum.has_value());
  CHECK_FALSE(is_unproven(made->back()));
  CHECK(frontier_text(*made).find("more than the rows") != std::string::npos);
  const auto json = frontier_json(*made);
  CHECK(json.find("\"checks\":0,\"is_proven\":true}]") != std::string::npos);
  CHECK(json.find("\"k\":6,\"risk\":") != std::string::npos);
}

TEST_CASE("an interrupt ends the frontier with what there is") {
  const TemporaryFolder folder;
  AnonymizeHooks hooks;
  int asked = 0;
  hooks.wants_best_so_far = [&] { return ++asked > 3; };
  const auto made = search_thresholds(people(folder, "algorithm: breadth_first\n"), hooks, Ks{2, 3, 5});
  REQUIRE(made.has_value());
  CHECK(made->size() == 1);
  CHECK(is_unproven(made->front()));
}

}  // namespace
}  // namespace pgveil::app
