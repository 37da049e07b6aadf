// What a run of the page keeps of the files that it read, and what is told of it.
#include "web/api/page_jobs.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <boost/json/array.hpp>
#include <chrono>
#include <filesystem>
#include <memory>
#include <string>
#include <thread>

#include "tests/unit/temporary_folder.hpp"
#include "web/api/page_job_json.hpp"

namespace pgveil::app::page_jobs_test {
namespace {

constexpr const char* kJob =
    "version: 1\nname: people\ninput: {file: people.csv}\nattributes:\n"
    "  age: {class: quasi_identifier, hierarchy: {masking: {}}}\n"
    "  ill: {class: insensitive}\nk: 2\nseed: 1\noutput: {file: out.csv}\n";
constexpr std::string_view kPeople = "age,ill\n31,flu\n32,flu\n41,gout\n42,flu\n";

ProcessFolder folder_below(const std::string& parent) {
  auto made = ProcessFolder::make(parent);
  REQUIRE_MESSAGE(made.has_value(), one_line(made.error()));
  return std::move(*made);
}

class Desk {
 public:
  std::string upload() {
    const auto now = std::chrono::steady_clock::now();
    const auto id = jobs.uploads().begin("ann", "people.csv", kPeople.size(), now);
    REQUIRE(id.has_value());
    REQUIRE(jobs.uploads().append("ann", *id, 0, kPeople, now).has_value());
    return *id;
  }
  PageJobRun ended(const std::string& id) {
    for (int tries = 0; tries < 3000; ++tries) {
      auto run = jobs.run("ann", id);
      REQUIRE(run.has_value());
      if (run->run.state != JobState::running) return *run;
      std::this_thread::sleep_for(std::chrono::milliseconds(10));
    }
    FAIL("the run does not end");
    return {};
  }
  // Of the CSV files anywhere in the folder.
  [[nodiscard]] bool has(const std::string& name) const {
    const std::filesystem::recursive_directory_iterator all(folder.path());
    return std::ranges::any_of(all, [&](const auto& it) { return it.path().filename() == name; });
  }

  TemporaryFolder folder;
  std::shared_ptr<const Present> present = std::make_shared<Present>();
  JobRunner runner{[this] { return present; }};
  PageJobs jobs{folder_below(folder.path()), runner};
};

TEST_CASE("the raw file of a run goes when the run has ended, and its risks stay") {
  Desk desk;
  const auto upload = desk.upload();
  const auto id = desk.jobs.start({desk.present, "ann"}, {kJob, {{"people.csv", upload}}});
  REQUIRE_MESSAGE(id.has_value(), one_line(id.error()));
  REQUIRE(desk.jobs.uploads().drop("ann", upload).has_value());
  const auto run = desk.ended(*id);
  REQUIRE_MESSAGE(run.run.state == JobState::done, run.run.message);
  desk.jobs.tidy();
  CHECK_FALSE(desk.has(upload + ".csv"));
  CHECK(desk.has(*id + ".csv"));
  const auto measures = desk.jobs.measures("ann", *id);
  REQUIRE_MESSAGE(measures.has_value(), one_line(measures.error()));
  REQUIRE(measures->before.has_value());
  CHECK(measures->before->rows == 4);
  CHECK(measures->before->smallest == 1);
  REQUIRE(measures->after.has_value());
  CHECK(measures->after->smallest >= 2);
}

TEST_CASE("an upload that is still there can be used by another run") {
  Desk desk;
  const auto upload = desk.upload();
  for (int times = 0; times < 2; ++times) {
    const auto id = desk.jobs.start({desk.present, "ann"}, {kJob, {{"people.csv", upload}}});
    REQUIRE_MESSAGE(id.has_value(), one_line(id.error()));
    CHECK(desk.ended(*id).run.state == JobState::done);
    desk.jobs.tidy();
    CHECK(desk.has(upload + ".csv"));
  }
}

TEST_CASE("a run without figures has its state and nothing that it found") {
  PageJobRun made;
  made.run.state = JobState::done;
  made.run.best = 0.5;
  made.run.bound = 0.25;
  auto report = std::make_shared<JobReport>();
  report->certainty_penalties = {0.5};
  made.run.report = report;
  const auto told = run_json(without_figures(made));
  CHECK(told.at("state") == "done");
  for (const char* key : {"best", "bound", "report"}) {
    CAPTURE(key);
    CHECK(told.at(key).is_null());
  }
  CHECK(told.at("losses").as_array().empty());
  made.run.failure = Error{ErrorKind::policy, "42501", "7 records are too few", ""};
  made.run.checks = 9;
  const auto failed = run_json(without_figures(made));
  CHECK(failed.at("message").is_null());
  CHECK(failed.at("checks") == 0);
}

}  // namespace
}  // namespace pgveil::app::page_jobs_test
