#include "daemon/statements/pass_times.hpp"

#include <doctest/doctest.h>

#include <thread>

using namespace std::chrono_literals;
using pgveil::app::PassClock;
using pgveil::app::PassTimes;
using pgveil::rewriter::Pass;

TEST_CASE("times of a pass are summed up") {
  PassTimes times;
  CHECK(times.total(Pass::verify) == 0ns);
  times.add(Pass::verify, 5ns);
  times.add(Pass::verify, 7ns);
  CHECK(times.total(Pass::verify) == 12ns);
  CHECK(times.total(Pass::verify_sent) == 0ns);
}

TEST_CASE("a clock gives a pass the time until the next begins, and none after the end") {
  PassTimes times;
  PassClock clock(times);
  clock.begins(Pass::parse);
  std::this_thread::sleep_for(2ms);
  clock.begins(Pass::resolve);
  clock.ends();
  const auto parsed = times.total(Pass::parse);
  const auto resolved = times.total(Pass::resolve);
  CHECK(parsed >= 2ms);
  std::this_thread::sleep_for(1ms);
  clock.ends();
  clock.begins(Pass::print);
  CHECK(times.total(Pass::parse) == parsed);
  CHECK(times.total(Pass::resolve) == resolved);
  CHECK(times.total(Pass::print) == 0ns);
}

TEST_CASE("threads add to the same times") {
  PassTimes times;
  const auto work = [&] {
    for (int i = 0; i < 1000; ++i) times.add(Pass::print, 1ns);
  };
  std::thread other(work);
  work();
  other.join();
  CHECK(times.total(Pass::print) == 2000ns);
}
