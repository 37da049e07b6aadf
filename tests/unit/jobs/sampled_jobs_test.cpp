// Jobs with `differential_privacy`: what is refused because it depends on the data, and what is published.
#include <doctest/doctest.h>
#include <fmt/format.h>

#include <map>
#include <set>
#include <sstream>

#include "jobs/cluster/job_description.hpp"
#include "jobs/run/anonymize.hpp"
#include "tests/unit/temporary_folder.hpp"

namespace pgveil::app::sampled_jobs_test {
namespace {

constexpr const char* kAttributes =
    "  age: {class: quasi_identifier, hierarchy: {intervals: {widths: [20, 60]}}, min_level: 1, max_level: "
    "1}\n"
    "  illness: {class: quasi_identifier, hierarchy: {tree: {all: [flu, cold]}}, min_level: 0, max_level: "
    "0}\n"
    "  name: {class: identifier}\n";
constexpr const char* kPrivacy = "differential_privacy: {epsilon: 1, delta: 0.01}\n";
constexpr const char* kSearch = "differential_privacy: {epsilon: 1, delta: 0.01, search_epsilon: 0.2}\n";

Result<Job> read(const std::string& attributes, const std::string& more,
                 const std::string& folder = "/jobs") {
  return read_job_text("version: 1\nname: sampled\ninput: {file: people.csv}\nattributes:\n" + attributes +
                           more + "output: {file: out.csv}\n",
                       folder + "/job.yaml");
}

std::string replaced(std::string text, const std::string& from, const std::string& to) {
  const auto at = text.find(from);
  REQUIRE_MESSAGE(at != std::string::npos, from);
  return text.replace(at, from.size(), to);
}

// 300 people of each kind: [20, 40) or [60, 80), flu or cold. Five have an age of their own.
std::string people() {
  std::string text = "name,age,illness\n";
  for (int i = 0; i < 600; ++i)
    text += fmt::format("n{},{},{}\n", i, i % 2 == 0 ? 20 + i % 20 : 60 + i % 20, i < 300 ? "flu" : "cold");
  for (int i = 0; i < 5; ++i) text += fmt::format("m{},{},flu\n", i, 100 + 20 * i);
  return text;
}

// Levels 0 to 3 of the age, and 0 to 1 of the illness.
std::string open_levels() {
  return replaced(replaced(kAttributes, ", min_level: 1, max_level: 1", ""), ", min_level: 0, max_level: 0",
                  "");
}

TEST_CASE("k follows from ε and δ, and small classes are left out") {
  const auto job = read(kAttributes, kPrivacy);
  REQUIRE_MESSAGE(job.has_value(), one_line(job.error()));
  CHECK(job->k == engine::smallest_k({1, 0.01}));
  CHECK(job->suppression == 1);
  CHECK(job->suppressed_records == engine::SuppressedRecords::drop);
  CHECK(describe_job(*job).error().public_message == "differential_privacy is for one machine only");
}

TEST_CASE("what depends on the data is refused, and what shows values as they are") {
  const struct {
    std::string attributes, more, words;
  } cases[] = {
      {kAttributes, "differential_privacy: {epsilon: 1}\n", "needs epsilon and delta"},
      {kAttributes, "differential_privacy: {epsilon: 0, delta: 0.01}\n", "out of range"},
      {kAttributes, "differential_privacy: {epsilon: 1, delta: 0.1}\n", "out of range"},
      {kAttributes, "differential_privacy: {epsilon: 1, delta: 0.01, k: 3}\n", "unknown key \"k\""},
      {kAttributes, std::string(kPrivacy) + "k: 5\n", "k and differential_privacy"},
      {kAttributes, std::string(kPrivacy) + "suppression: 5%\n", "suppression and differential_privacy"},
      {kAttributes, std::string(kPrivacy) + "suppressed_records: keep\n", "suppressed_records and"},
      {kAttributes, std::string(kPrivacy) + "local_recoding: 3\n", "local_recoding and differential_privacy"},
      {kAttributes, std::string(kPrivacy) + "risk: {average: 5%}\n", "risk and differential_privacy"},
      {kAttributes, std::string(kPrivacy) + "subset: {column: s, value: x}\n",
       "subset and differential_privacy"},
      {kAttributes, std::string(kPrivacy) + "unit: name\n", "unit and differential_privacy"},
      {kAttributes, std::string(kPrivacy) + "algorithm: least_loss\n",
       "levels, weights and continuous have no"},
      {replaced(replaced(kAttributes, ", min_level: 1, max_level: 1", ""), ", min_level: 0, max_level: 0",
                ""),
       std::string(kPrivacy) + "algorithm: mondrian\n", "an algorithm that makes groups"},
      {replaced(kAttributes, "min_level: 1, ", ""), kPrivacy, "age has no fixed level"},
      {replaced(kAttributes, "max_level: 1", "max_level: 2"), kPrivacy, "age has no fixed level"},
      {replaced(kAttributes, "class: identifier", "class: insensitive"), kPrivacy,
       "name is published as it is"},
      {replaced(kAttributes, "class: identifier", "class: sensitive"), kPrivacy,
       "name is published as it is"},
      {replaced(kAttributes, "intervals: {widths: [20, 60]}", "masking: {}"), kPrivacy, "age has a masking"},
      {replaced(kAttributes, "max_level: 1}", "max_level: 1, aggregate: mean}"), kPrivacy,
       "age is aggregated"},
      {kAttributes, kSearch, "each quasi-identifier has a fixed level"},
      {open_levels(), replaced(kSearch, "0.2", "0"), "out of range"},
      {open_levels(), replaced(kSearch, "0.2", "1"), "leaves nothing of epsilon for the sample"},
      {open_levels(), std::string(kSearch) + "metric: loss\n", "metric and search_epsilon"},
      {open_levels(), std::string(kSearch) + "gs: 0.5\n", "gs and search_epsilon"},
      {open_levels(), std::string(kSearch) + "algorithm: flash\n", "algorithm and search_epsilon"},
      {open_levels(), std::string(kSearch) + "limits: {checks: 3}\n", "limits and search_epsilon"},
  };
  for (const auto& [attributes, more, words] : cases) {
    CAPTURE(more);
    CAPTURE(words);
    const auto refused = read(attributes, more);
    REQUIRE(refused.has_error());
    const auto& message = refused.error().public_message;
    CHECK_MESSAGE(message.find(words) != std::string::npos, message);
  }
}

TEST_CASE("a sample is published in classes of k, and every run takes another one") {
  const TemporaryFolder folder;
  folder.write("people.csv", people());
  const auto job = read(kAttributes, kPrivacy, folder.path());
  REQUIRE(job.has_value());
  std::set<std::uint64_t> sizes;
  for (int run = 0; run < 8; ++run) {
    AnonymizeRequest request;
    request.job = *job;
    request.job.output.replace = true;
    const auto made = anonymize(request, {});
    REQUIRE_MESSAGE(made.has_value(), one_line(made.error()));
    CHECK(made->read_rows == 605);
    // 605 · 0.632 = 382.4, and six standard deviations of 11.9.
    CHECK(made->rows > 311);
    CHECK(made->rows < 454);
    CHECK(made->published_rows == made->rows - made->suppressed_rows);
    sizes.insert(made->rows);
    std::map<std::string, std::uint64_t> classes;
    std::istringstream text(folder.read("out.csv"));
    std::string line;
    std::getline(text, line);
    CHECK(line == "age,illness\r");
    while (std::getline(text, line)) ++classes[line];
    CHECK(classes.size() == 4);  // the ages of their own are left out
    for (const auto& [cells, records] : classes) CHECK(records >= job->k);
    CHECK(report_text(*made).find("(ε, δ) = (1, 0.01)") != std::string::npos);
    CHECK(report_json(*made).find("\"differential_privacy\":{\"epsilon\":") != std::string::npos);
  }
  CHECK(sizes.size() > 1);
}

// With 600 people, all choices but a few are much worse. The sample gets the rest of ε.
TEST_CASE("no record decides whether a hierarchy begins with a header") {
  const TemporaryFolder folder;
  folder.write("illness.csv", "strange;unknown\nflu;all\ncold;all\n");
  const auto attributes = replaced(replaced(kAttributes, "tree: {all: [flu, cold]}", "file: illness.csv"),
                                   "min_level: 0, max_level: 0", "min_level: 1, max_level: 1");
  for (const std::string more : {"", "o1,30,strange\n"}) {
    CAPTURE(more);
    folder.write("people.csv", people() + more);
    AnonymizeRequest request;
    request.job = *read(attributes, kPrivacy, folder.path());
    request.job.output.replace = true;
    std::get<JobFile>(request.job.attributes[1].hierarchy).separator = ';';
    const auto refused = anonymize(request, {});
    REQUIRE(refused.has_error());
    CHECK(refused.error().public_message.find("looks like a header") != std::string::npos);
    std::get<JobFile>(request.job.attributes[1].hierarchy).has_header = false;
    CHECK(anonymize(request, {}).has_value());
  }
}

TEST_CASE("levels are chosen privately") {
  const TemporaryFolder folder;
  folder.write("people.csv", people());
  const auto job = read(open_levels(), kSearch, folder.path());
  REQUIRE_MESSAGE(job.has_value(), one_line(job.error()));
  CHECK(job->k == engine::smallest_k({0.8, 0.01}));
  AnonymizeRequest request;
  request.job = *job;
  request.job.output.replace = true;
  int as_expected = 0;
  for (int run = 0; run < 8; ++run) {
    const auto made = anonymize(request, {});
    REQUIRE_MESSAGE(made.has_value(), one_line(made.error()));
    // The ages are 20 to 39 and 60 to 79, so level 1 has two classes.
    as_expected += made->levels == std::vector<unsigned>{1, 0} ? 1 : 0;
    CHECK(made->compared_privately == 8);
    CHECK(made->smallest_class >= job->k);
    CHECK(report_text(*made).find("; the levels were chosen from 8 transformations with 0.2 of ε") !=
          std::string::npos);
    CHECK(report_json(*made).find("\"search_epsilon\":2E-1,\"compared_privately\":8") != std::string::npos);
  }
  CHECK(as_expected >= 4);
  request.levels = std::vector<unsigned>{1, 0};
  CHECK(anonymize(request, {}).error().public_message ==
        "levels that are chosen privately cannot be listed or named");
  request.levels.reset();
  request.lists_only = true;
  CHECK(anonymize(request, {}).error().public_message ==
        "levels that are chosen privately cannot be listed or named");
  request.lists_only = false;
  AnonymizeHooks hooks;
  hooks.is_aborted = [] { return true; };
  CHECK(anonymize(request, hooks).error().public_message == "interrupted; nothing was published");
}

TEST_CASE("a sample of fewer than k records is refused, and the message says where k comes from") {
  const TemporaryFolder folder;
  folder.write("people.csv", "name,age,illness\nAnn,30,flu\nBob,31,cold\nEve,32,flu\n");
  for (const auto& [attributes, more] :
       {std::pair(std::string(kAttributes), kPrivacy), std::pair(open_levels(), kSearch)}) {
    CAPTURE(more);
    AnonymizeRequest request;
    request.job = *read(attributes, more, folder.path());
    const auto refused = anonymize(request, {});
    REQUIRE(refused.has_error());
    CHECK(refused.error().public_message ==
          fmt::format(
              "epsilon and delta need classes of at least {} records, but the sample of the input has fewer",
              request.job.k));
    CHECK(refused.error().hint.find("lower k") == std::string::npos);
    CHECK_FALSE(std::filesystem::exists(folder.path("out.csv")));
  }
}

TEST_CASE("a certificate and a frontier of a sampled job are refused") {
  const TemporaryFolder folder;
  folder.write("people.csv", people());
  AnonymizeRequest request;
  request.job = *read(kAttributes, kPrivacy, folder.path());
  const std::vector<std::uint64_t> thresholds{2};
  CHECK(search_thresholds(request, {}, thresholds).error().public_message ==
        "--frontier and differential_privacy");
  request.certificate_key = "";
  CHECK(anonymize(request, {}).error().public_message == "a certificate of a job with differential_privacy");
  request.certificate_key.reset();
  request.levels = std::vector<unsigned>{0, 0};
  CHECK(anonymize(request, {}).error().public_message == "level 0 of age is outside 1 to 1");
}

}  // namespace
}  // namespace pgveil::app::sampled_jobs_test
