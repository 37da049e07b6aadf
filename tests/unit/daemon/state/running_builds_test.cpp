#include "daemon/state/running_builds.hpp"

#include <doctest/doctest.h>

#include <memory>
#include <string>
#include <thread>
#include <vector>

namespace pgveil::app {
namespace {

TEST_CASE("a build is seen from its begin to its end") {
  RunningBuilds builds;
  CHECK(builds.of("people").empty());
  {
    RunningBuilds::Build build(builds, {"people"});
    CHECK(builds.of("people") == "starting");
    build.reached({.stage = "counting", .done = 20'000});
    CHECK(builds.of("people") == "counting 20000");
    build.reached({.stage = "publishing"});
    CHECK(builds.of("people") == "publishing");
    CHECK(builds.of("peopl").empty());
    CHECK(builds.of("people2").empty());
  }
  CHECK(builds.of("people").empty());
}

TEST_CASE("of two builds of one policy the first is told, then the other") {
  RunningBuilds builds;
  auto first = std::make_unique<RunningBuilds::Build>(builds, std::vector<std::string>{"people"});
  RunningBuilds::Build second(builds, {"people"});
  second.reached({.stage = "counting", .done = 1});
  first->reached({.stage = "building the tree", .share = 0.075});
  CHECK(builds.of("people") == "building the tree, 7 %");
  first.reset();
  CHECK(builds.of("people") == "counting 1");
}

TEST_CASE("a build of several policies is told of each of them") {
  RunningBuilds builds;
  {
    RunningBuilds::Build build(builds, {"patients", "visits"});
    build.reached({.stage = "counting", .done = 3});
    RunningBuilds::Build other(builds, {"people"});
    for (const char* policy : {"patients", "visits"}) CHECK(builds.of(policy) == "counting 3");
    CHECK(builds.of("people") == "starting");
  }
  for (const char* policy : {"patients", "visits", "people"}) CHECK(builds.of(policy).empty());
}

TEST_CASE("threads may build at once") {
  RunningBuilds builds;
  std::vector<std::thread> threads;
  for (const char* policy : {"a", "b", "c"}) {
    threads.emplace_back([&builds, policy] {
      RunningBuilds::Build build(builds, {policy});
      for (std::uint64_t i = 0; i < 1000; ++i) {
        build.reached({.stage = "counting", .done = i});
        static_cast<void>(builds.of("a"));
      }
    });
  }
  for (auto& thread : threads) thread.join();
  CHECK(builds.of("a").empty());
}

}  // namespace
}  // namespace pgveil::app
