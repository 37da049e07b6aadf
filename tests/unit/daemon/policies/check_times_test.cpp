#include "daemon/policies/check_times.hpp"

#include <doctest/doctest.h>

#include <utility>

namespace pgveil::app::testing {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

std::shared_ptr<const policy::PolicySpec> policy(std::string name, std::int64_t check_every_ms) {
  auto spec = std::make_shared<policy::PolicySpec>();
  spec->name = std::move(name);
  spec->drift.check_every_ms = check_every_ms;
  return spec;
}

std::string name_of(const std::shared_ptr<const policy::PolicySpec>& spec) {
  return spec ? spec->name : "none";
}

const CheckTimes::Time kBegin{seconds(1000)};

}  // namespace

TEST_CASE("each policy is checked at once, and then every so often") {
  const Specs specs = {policy("a", 1000), policy("b", 3000)};
  CheckTimes times;
  for (const auto* name : {"a", "b"}) {
    CHECK(times.pause(specs, kBegin, milliseconds(50), milliseconds(1000)) == milliseconds(50));
    const auto due = times.most_overdue(specs, kBegin);
    REQUIRE(name_of(due) == name);
    times.done(*due, kBegin);
  }
  CHECK(times.most_overdue(specs, kBegin) == nullptr);
  CHECK(times.pause(specs, kBegin, milliseconds(50), milliseconds(5000)) == milliseconds(1000));
  CHECK(times.pause(specs, kBegin, milliseconds(50), milliseconds(700)) == milliseconds(700));
  CHECK(times.most_overdue(specs, kBegin + milliseconds(999)) == nullptr);
  CHECK(name_of(times.most_overdue(specs, kBegin + seconds(1))) == "a");
}

TEST_CASE("who has waited longest is first, whatever the order and the intervals") {
  const Specs specs = {policy("often", 10), policy("rare", 1000)};
  CheckTimes times;
  for (const auto& spec : specs) times.done(*spec, kBegin);
  auto now = kBegin + milliseconds(999);
  int often = 0;
  for (; name_of(times.most_overdue(specs, now)) == "often" && often < 1000; ++often) {
    times.done(*specs[0], now);
    now += milliseconds(20);  // each check takes longer than the interval
  }
  CHECK(often < 60);
  CHECK(name_of(times.most_overdue(specs, now)) == "rare");
}

TEST_CASE("a check that comes late does not put off the one after it, and none is made up for") {
  const Specs specs = {policy("a", 1000)};
  CheckTimes times;
  times.done(*specs[0], kBegin);
  times.done(*specs[0], kBegin + milliseconds(1400));
  CHECK(name_of(times.most_overdue(specs, kBegin + milliseconds(2000))) == "a");
  times.done(*specs[0], kBegin + milliseconds(9000));
  CHECK(name_of(times.most_overdue(specs, kBegin + milliseconds(9000))) == "a");
  times.done(*specs[0], kBegin + milliseconds(9000));
  CHECK(times.most_overdue(specs, kBegin + milliseconds(9999)) == nullptr);
}

TEST_CASE("another check_every counts from the last check") {
  CheckTimes times;
  const Specs daily = {policy("a", 86'400'000)};
  const Specs each_second = {policy("a", 1000)};
  times.done(*daily[0], kBegin);
  CHECK(times.most_overdue(daily, kBegin + seconds(5)) == nullptr);
  CHECK(name_of(times.most_overdue(each_second, kBegin + seconds(5))) == "a");
  times.done(*each_second[0], kBegin + seconds(5));
  CHECK(times.most_overdue(daily, kBegin + seconds(90)) == nullptr);
}

}  // namespace pgveil::app::testing
