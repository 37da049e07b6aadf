// Jobs whose classes show one value of their own: read, run from file to file, applied to other rows.
#include "jobs/input/aggregates.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <map>
#include <sstream>

#include "jobs/cluster/job_description.hpp"
#include "jobs/run/anonymize.hpp"
#include "tests/unit/temporary_folder.hpp"

namespace pgveil::app {
namespace {

constexpr std::string_view kJob = R"(version: 1
name: people
input: {file: people.csv, separator: ;, "null": "?"}
attributes:
  zip: {class: quasi_identifier, hierarchy: {masking: {masked: [1]}}}
  age: {class: quasi_identifier, hierarchy: {intervals: {widths: [20]}}, aggregate: median}
  income: {class: quasi_identifier, aggregate: mean}
  illness: {class: sensitive}
k: 2
seed: 1
output: {file: out.csv, separator: ;}
)";

constexpr const char* kPeople =
    "zip;age;income;illness\n11;20;1000;flu\n12;23;2000;cold\n31;64;500;flu\n31;64;?;gout\n32;69;3001;flu\n";

std::string with(std::string_view from, std::string_view to) {
  std::string text(kJob);
  const auto at = text.find(from);
  REQUIRE_MESSAGE(at != std::string::npos, from);
  return text.replace(at, from.size(), to);
}

class Jobs {
 public:
  Jobs() { folder.write("people.csv", kPeople); }
  [[nodiscard]] Job job(const std::string& text = std::string(kJob)) const {
    auto read = read_job_text(text, folder.path("job.yaml"));
    REQUIRE_MESSAGE(read.has_value(), one_line(read.error()));
    return *read;
  }
  [[nodiscard]] Result<JobReport> run(const std::string& text = std::string(kJob)) const {
    AnonymizeRequest request;
    request.job = job(text);
    return anonymize(request, {});
  }
  [[nodiscard]] std::vector<std::string> lines() const {
    std::istringstream text(folder.read("out.csv"));
    std::vector<std::string> made;
    for (std::string line; std::getline(text, line);) made.push_back(line.substr(0, line.size() - 1));
    if (!made.empty()) std::sort(made.begin() + 1, made.end());
    return made;
  }

  TemporaryFolder folder;
};

TEST_CASE("an attribute without a hierarchy stands at its top, and no metric minds") {
  const Jobs jobs;
  const auto job = jobs.job();
  const auto& income = job.attributes[2];
  CHECK(is_aggregated_alone(income));
  CHECK(income.min_level == 1U);
  CHECK(income.max_level == 1U);
  CHECK(income.weight == 0);
  CHECK_FALSE(is_aggregated_alone(job.attributes[1]));
  CHECK(aggregated_columns(job).size() == 2);
  CHECK(aggregated_columns(job)[0].how == engine::Microaggregate::median);
  CHECK_FALSE(is_aggregated_alone(job.attributes[0]));
}

TEST_CASE("what can't be aggregated, or not beside something else, is refused with the fix") {
  const struct {
    std::string_view from, to, message;
  } cases[] = {
      {"aggregate: median", "aggregate: medium", "did you mean \"median\"?"},
      {"class: sensitive", "class: sensitive, aggregate: mean", "for quasi-identifiers only"},
      {"class: sensitive", "class: insensitive, aggregate: mean", "not for this class"},
      {"class: sensitive", "class: identifier, aggregate: mean", "not for this class"},
      {"aggregate: mean}", "aggregate: mean, max_level: 1}",
       "max_level of an attribute that is aggregated without a hierarchy"},
      {"aggregate: mean}", "aggregate: mean, weight: 2}",
       "weight of an attribute that is aggregated without"},
      {"aggregate: mean}", "aggregate: mean, continuous: true}", "continuous of an attribute"},
      {"aggregate: mean}", "aggregate: mean, numeric: true}",
       "income is numeric, which only mondrian and least_loss can use"},
      {"k: 2\n", "k: 2\nalgorithm: mondrian\n", "age: aggregate has no meaning with algorithm: mondrian"},
      {"k: 2\n", "k: 2\nlocal_recoding: 3\n", "aggregate and local_recoding"},
      {"k: 2\n", "k: 2\nsubset: {column: illness, value: flu}\n", "aggregate and subset"},
      {"k: 2\n", "k: 2\nrisk: {average: 5%}\n", "aggregate and risks of the whole table"},
      {"class: sensitive", "class: sensitive, delta_disclosure: 1", "aggregate and delta_disclosure"},
      {"  zip: {class: quasi_identifier, hierarchy: {masking: {masked: [1]}}}\n"
       "  age: {class: quasi_identifier, hierarchy: {intervals: {widths: [20]}}, aggregate: median}\n",
       "", "all quasi-identifiers are aggregated without a hierarchy"},
  };
  for (const auto& [from, to, message] : cases) {
    CAPTURE(to);
    const auto refused = read_job_text(with(from, to), "/jobs/job.yaml");
    REQUIRE(refused.has_error());
    CHECK(refused.error().kind == ErrorKind::configuration);
    CHECK_MESSAGE(refused.error().public_message.find(message) != std::string::npos,
                  refused.error().public_message);
  }
  CHECK(read_job_text(with("k: 2\n", "k: 2\nrisk: {highest: 50%}\n"), "/jobs/job.yaml").has_value());
  const auto described = describe_job(*read_job_text(kJob, "/jobs/job.yaml"));
  REQUIRE(described.has_error());
  CHECK(described.error().public_message == "aggregate is for one machine only");
}

TEST_CASE("a job publishes what its classes have in the middle, and says what that loses") {
  const Jobs jobs;
  auto made = jobs.run();
  REQUIRE_MESSAGE(made.has_value(), one_line(made.error()));
  CHECK(made->levels == std::vector<unsigned>{1, 1, 1});
  CHECK(jobs.lines() == std::vector<std::string>{"zip;age;income;illness", "1*;21.5;1500;cold",
                                                 "1*;21.5;1500;flu", "3*;64;1750.5;flu", "3*;64;1750.5;flu",
                                                 "3*;64;1750.5;gout"});
  CHECK(made->classes == 2);
  CHECK(made->smallest_class == 2);
  CHECK(made->suppressed_rows == 0);
  REQUIRE(made->aggregates.size() == 2);
  CHECK(made->aggregates[0].column == "age");
  CHECK(made->aggregates[0].error == doctest::Approx((2 * 2.25 + 25) / 5 / (49 * 49)));
  CHECK(made->certainty_penalties[1] == doctest::Approx((2 * 3 + 3 * 5) / 5.0 / 49));
  CHECK(report_text(*made).find("aggregated       age: median, error 0.") != std::string::npos);
  CHECK(report_json(*made).find("\"aggregates\":[{\"column\":\"age\",\"function\":\"median\",\"error\":") !=
        std::string::npos);
  made->phases.clear();  // whose digits are any
  for (const auto& text : {report_text(*made), report_json(*made)}) {
    for (const auto* value : {"21.5", "1750", "1500", "gout"}) CHECK(text.find(value) == std::string::npos);
  }
}

TEST_CASE("what is suppressed shows nothing of itself") {
  const Jobs jobs;
  jobs.folder.write("people.csv", std::string(kPeople) + "77;40;9999;cold\n78;41;8888;flu\n91;1;7777;flu\n");
  const auto text = with("k: 2\n", "k: 2\nsuppression: 40%\noutliers: as_reference\n");
  const auto made = jobs.run(text);
  REQUIRE_MESSAGE(made.has_value(), one_line(made.error()));
  CHECK(made->suppressed_rows == 1);
  CHECK(made->classes == 3);
  const auto lines = jobs.lines();
  CHECK(std::ranges::count(lines, "*;*;*;flu") == 1);
  CHECK(std::ranges::count(lines, "7*;40.5;9443.5;flu") == 1);
  // By itself one record breaks k, so it is left out.
  AnonymizeRequest request;
  request.job = jobs.job(with("k: 2\n", "k: 2\nsuppression: 40%\n"));
  request.job.output.replace = true;
  const auto again = anonymize(request, {});
  REQUIRE_MESSAGE(again.has_value(), one_line(again.error()));
  CHECK(again->suppressed_rows == 1);
  CHECK(again->dropped_rows == 1);
  CHECK(again->published_rows == 7);
  // With drop it is left out, whatever it is by itself.
  request.job = jobs.job(with("k: 2\n", "k: 2\nsuppression: 40%\nsuppressed_records: drop\n"));
  request.job.output.replace = true;
  const auto dropped = anonymize(request, {});
  REQUIRE_MESSAGE(dropped.has_value(), one_line(dropped.error()));
  CHECK(dropped->suppressed_rows == 1);
  CHECK(dropped->dropped_rows == 1);
  CHECK(dropped->published_rows == 7);
  // A transformation that is not anonymous is not made so.
  request.job = jobs.job(with("output: {file: out.csv", "output: {file: other.csv"));
  request.levels = std::vector<unsigned>{0, 0, 1};
  const auto refused = anonymize(request, {});
  REQUIRE(refused.has_error());
  CHECK(refused.error().public_message.find("is not anonymous") != std::string::npos);
  request.levels = std::vector<unsigned>{1, 1, 0};  // the raw values
  CHECK(anonymize(request, {}).has_error());
}

TEST_CASE("a scheme's levels give other rows their own aggregates") {
  const Jobs jobs;
  REQUIRE(jobs.run().has_value());
  jobs.folder.write("people.csv", "zip;age;income;illness\n11;22;10;flu\n11;32;20;cold\n");
  AnonymizeRequest request;
  request.job = jobs.job();
  request.job.output.replace = true;
  request.levels = std::vector<unsigned>{1, 1, 1};
  request.heights = std::vector<unsigned>{2, 2, 1};
  const auto made = anonymize(request, {});
  REQUIRE_MESSAGE(made.has_value(), one_line(made.error()));
  CHECK(jobs.lines() == std::vector<std::string>{"zip;age;income;illness", "1*;27;15;cold", "1*;27;15;flu"});
}

TEST_CASE("values that are no numbers are refused before anything is written") {
  const Jobs jobs;
  jobs.folder.write("people.csv", std::string(kPeople) + "31;60;a lot;flu\n");
  const auto made = jobs.run();
  REQUIRE(made.has_error());
  CHECK(made.error().public_message == "1 values of income are no numbers of at most 18 digits");
  CHECK(made.error().private_detail == "a lot");
  CHECK(std::ranges::count(jobs.folder.names(), "out.csv") == 0);
}

}  // namespace
}  // namespace pgveil::app
