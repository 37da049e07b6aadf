// A driver that does not come to an end, that is not there, and that is told to stop.
#include "jobs/cluster/spark_groups.hpp"

#include <doctest/doctest.h>

#include <filesystem>

#include "jobs/input/data.hpp"
#include "tests/unit/temporary_folder.hpp"

namespace pgveil::app {
namespace {

struct Case {
  TemporaryFolder folder;
  Job job;
  engine::Table table;

  Case() {
    auto read = read_job_text(
        "version: 1\nname: a\ninput: {file: a.csv}\nattributes: {age: {class: quasi_identifier, numeric: "
        "true}}\n"
        "k: 2\nalgorithm: mondrian\noutput: {file: b.csv}\n",
        "/a/job.yaml");
    auto people = engine::read_table("age\n31\n40\n", ',');
    REQUIRE(read.has_value());
    REQUIRE(people.has_value());
    job = std::move(*read);
    table = std::move(*people);
  }

  std::string script(const std::string& lines) {
    folder.write("driver", "#!/bin/sh\n" + lines + "\n", 0700);
    return folder.path("driver");
  }

  SparkOrder order(std::string command) {
    SparkOrder made;
    made.command = std::move(command);
    made.folder = folder.path("run");
    return made;
  }

  Error refused(SparkOrder order, SparkHooks hooks = {}) {
    const auto none = [](const JobAttribute&) -> Result<engine::Hierarchy> { return engine::Hierarchy(); };
    const auto made = groups_on_spark(std::move(order), std::move(hooks))(job, table, none);
    REQUIRE_FALSE(made.has_value());
    CHECK_FALSE(std::filesystem::exists(folder.path("run")));
    return made.error();
  }
};

TEST_CASE("a driver that takes too long is ended") {
  Case it;
  auto order = it.order(it.script("cat >/dev/null"));
  order.most = std::chrono::milliseconds(100);
  CHECK(it.refused(order).public_message == "the cluster took longer than 0 minutes");
}

TEST_CASE("a driver is told to stop, and what it says then does not matter") {
  Case it;
  SparkHooks hooks;
  hooks.is_aborted = [] { return true; };
  CHECK(it.refused(it.order(it.script("cat >/dev/null; echo '{\"error\": \"x\"}'")), hooks).kind ==
        ErrorKind::usage);
}

TEST_CASE("why it failed is for the author alone") {
  Case it;
  std::string words;
  SparkHooks hooks;
  hooks.words = [&](const std::string& said) { words = said; };
  const auto error = it.refused(it.order(it.script("echo '{\"error\": \"31 is odd\"}'")), hooks);
  CHECK(error.public_message.find("31") == std::string::npos);
  CHECK(words == "31 is odd");
}

TEST_CASE("a driver that is not there is an error") {
  Case it;
  CHECK(it.refused(it.order("/nonexistent/pgveil-spark")).kind == ErrorKind::io);
}

}  // namespace
}  // namespace pgveil::app
