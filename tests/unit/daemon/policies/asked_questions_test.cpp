#include "daemon/policies/asked_questions.hpp"

#include <doctest/doctest.h>

#include <algorithm>

#include "policy/spec/spec_reader.hpp"

namespace pgveil::app::testing {

namespace {

policy::PolicySpec clinic_policy() {
  return policy::read_policy_text(R"(version: 1
policies:
  - name: patients_k5
    database: hospital
    table: public.patients
    k: 5
    columns:
      city: {class: quasi_identifier}
      sex: {class: quasi_identifier}
      Birth Date: {class: quasi_identifier, generalize: {period: year, column: birth_year}}
      diagnosis: {class: sensitive}
)",
                                  "p.yaml")
      .value()
      .front();
}

std::string line(const std::string& sql, const std::string& verdict = "masked",
                 const std::string& policy = "patients_k5") {
  return R"({"at":"2026-11-24T12:00:00.000000Z","pid":1,"event":"statement","session":1,"verdict":")" +
         verdict + R"(","policies":[{"policy":")" + policy + R"(","version":3}],"sql":")" + sql +
         R"(","prev":"0"})";
}

}  // namespace

TEST_CASE("questions are the columns that a SELECT groups, lists or filters by") {
  const std::set<std::string> columns = {"Birth Date", "birth_year", "city", "sex"};
  struct Case {
    const char* sql;
    std::vector<QuestionColumns> expected;
  };
  const std::vector<Case> cases = {
      {"SELECT city, count(*) FROM patients GROUP BY city", {{"city"}}},
      {"SELECT p.city, p.sex, avg(cost) FROM public.patients AS p GROUP BY p.city, p.sex", {{"city", "sex"}}},
      {"SELECT sex, city, count(*) FROM patients GROUP BY ?, ?", {{"city", "sex"}}},
      {"SELECT DISTINCT city FROM patients", {{"city"}}},
      {"SELECT count(*) FROM patients WHERE city = ? AND birth_year > ?", {{"birth_year", "city"}}},
      {"SELECT count(*) FROM patients WHERE city IN (?, ?) LIMIT ?", {{"city"}}},
      {"SELECT date_trunc(?, \"Birth Date\") AS y, count(*) FROM patients GROUP BY y", {{"Birth Date"}}},
      {"SELECT city, count(*) FROM patients WHERE visited > now() - interval ? GROUP BY ROLLUP (city, sex)",
       {{"city", "sex"}}},
      {"SELECT x.city FROM (SELECT city, count(*) AS n FROM patients GROUP BY city) AS x WHERE n > ?",
       {{"city"}}},
      {"WITH a AS (SELECT sex, count(*) FROM patients GROUP BY sex) SELECT city, count(*) FROM patients "
       "GROUP "
       "BY city",
       {{"city"}, {"sex"}}},
      {"SELECT city FROM patients WHERE sex = $1", {}},
      {"SELECT diagnosis, count(*) FROM patients GROUP BY diagnosis", {}},
      {"SELECT count(*) FROM patients", {}},
      {"SELECT * FROM patients", {}},
  };
  for (const Case& one : cases) {
    CAPTURE(one.sql);
    auto found = questions_in(one.sql, columns);
    REQUIRE(found.has_value());
    std::ranges::sort(*found);
    CHECK(*found == one.expected);
  }
  CHECK(!questions_in("SELECT city, count(*) FROM pat…", columns));
}

TEST_CASE("only statements that the policy masked are counted, and proposed by how often they were asked") {
  const auto spec = clinic_policy();
  AskedQuestions asked;
  const std::string by_city = "SELECT city, count(*) FROM patients GROUP BY city";
  for (int i = 0; i < 3; ++i) REQUIRE(add_line(line(by_city), spec, asked).has_value());
  const std::string by_position = "SELECT \\\"Birth Date\\\", sex, count(*) FROM patients GROUP BY ?, ?";
  REQUIRE(add_line(line(by_position), spec, asked).has_value());
  REQUIRE(add_line(line("SELECT * FROM patients"), spec, asked).has_value());
  REQUIRE(add_line(line("SELECT city, count(*) FROM pati…"), spec, asked).has_value());
  REQUIRE(add_line(line(by_city, "refused"), spec, asked).has_value());
  REQUIRE(add_line(line(by_city, "exempt"), spec, asked).has_value());
  REQUIRE(add_line(line(by_city, "masked", "another"), spec, asked).has_value());
  REQUIRE(add_line(R"({"at":"x","pid":1,"event":"start","prev":"0"})", spec, asked).has_value());
  const auto yaml = workload_yaml(asked, spec);
  REQUIRE(yaml.has_value());
  CHECK(*yaml ==
        "# policy patients_k5 masked 6 statements; 1 of them ask none of these questions, 1 could not be "
        "read\n"
        "workload:\n"
        "  - {group_by: [city], weight: 3}  # asked 3 times\n"
        "  - {group_by: [\"Birth Date\", sex], weight: 1}  # asked 1 times\n");
}

TEST_CASE("what is proposed can be pasted into the policy, however often things were asked") {
  const auto spec = clinic_policy();
  AskedQuestions asked;
  asked.statements = 1;
  asked.times[{"city"}] = 1'234'567;
  asked.times[{"Birth Date", "sex"}] = 3;
  const std::string workload = workload_yaml(asked, spec).value();
  CHECK(workload.find("{group_by: [city], weight: 999}") != std::string::npos);
  CHECK(workload.find("weight: 1}  # asked 3 times") != std::string::npos);
  std::string text =
      "version: 1\npolicies:\n  - name: p\n    database: d\n    table: s.t\n    k: 2\n    columns:\n      "
      "city: "
      "{class: quasi_identifier}\n      sex: {class: quasi_identifier}\n      Birth Date: {class: "
      "quasi_identifier}\n";
  std::size_t at = 0;
  while (at < workload.size()) {
    const auto end = workload.find('\n', at);
    text += "    " + workload.substr(at, end + 1 - at);
    at = end + 1;
  }
  const auto read = policy::read_policy_text(text, "p.yaml");
  REQUIRE_MESSAGE(read.has_value(), one_line(read.error()));
  CHECK(read->front().growth.workload.size() == 2);
}

TEST_CASE("without statements or questions there is nothing to propose, and no log is no log") {
  const auto spec = clinic_policy();
  AskedQuestions asked;
  CHECK(workload_yaml(asked, spec).error().public_message ==
        "the log has no statement that policy patients_k5 masked");
  REQUIRE(add_line(line("SELECT * FROM patients"), spec, asked).has_value());
  CHECK(!workload_yaml(asked, spec));
  CHECK(!add_line("not a line", spec, asked));
  CHECK(!add_line(R"({"event":7})", spec, asked));
  CHECK(!add_line(R"([1])", spec, asked));
  CHECK(asked.statements == 1);
}

}  // namespace pgveil::app::testing
