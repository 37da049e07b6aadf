#include "daemon/state/rebuilds.hpp"

#include <doctest/doctest.h>

#include <memory>
#include <utility>
#include <vector>

#include "common/clock.hpp"

namespace pgveil::app {

namespace {

constexpr std::int64_t kBuilt = 1'769'860'800;  // 2026-01-31T12:00:00Z
constexpr std::int64_t kDay = 24 * 60 * 60;

policy::PolicySpec daily() {
  policy::PolicySpec spec;
  spec.name = "people";
  spec.rebuild_every_ms = kDay * 1000;
  return spec;
}

policy::Specs alone(policy::PolicySpec spec) {
  return {std::make_shared<const policy::PolicySpec>(std::move(spec))};
}

policy::PolicyVersion built(std::string at) {
  policy::PolicyVersion version;
  version.policy = "people";
  version.number = 1;
  version.built_at = std::move(at);
  return version;
}

}  // namespace

TEST_CASE("times of versions are read back") {
  CHECK(utc_seconds("2026-01-31T12:00:00Z") == kBuilt);
  CHECK(utc_seconds("1970-01-01T00:00:00Z") == 0);
  CHECK(!utc_seconds("2026-01-31 12:00:00"));
  CHECK(!utc_seconds("2026-01-31T12:00:00Z and more"));
  CHECK(!utc_seconds(""));
  CHECK(utc_seconds(utc_now()).has_value());
}

TEST_CASE("a rebuild is due when the version is as old as asked for, and then by this process's own builds") {
  Rebuilds rebuilds;
  const auto version = built("2026-01-31T12:00:00Z");
  CHECK(!rebuilds.is_due(daily(), &version, kBuilt + kDay - 1));
  CHECK(rebuilds.is_due(daily(), &version, kBuilt + kDay));
  rebuilds.done(alone(daily()), true, kBuilt + kDay + 5);
  const auto repaired = built("2026-02-01T20:00:00Z");
  CHECK(!rebuilds.is_due(daily(), &repaired, kBuilt + 2 * kDay));
  CHECK(rebuilds.is_due(daily(), &repaired, kBuilt + 2 * kDay + 5));
}

TEST_CASE("a rebuild that failed is tried again after an hour, or sooner if it is asked for more often") {
  Rebuilds rebuilds;
  const auto version = built("2026-01-31T12:00:00Z");
  CHECK(rebuilds.is_due(daily(), &version, kBuilt + kDay));
  rebuilds.done(alone(daily()), false, kBuilt + kDay);
  CHECK(!rebuilds.is_due(daily(), &version, kBuilt + kDay + 3599));
  CHECK(rebuilds.is_due(daily(), &version, kBuilt + kDay + 3600));
  auto often = daily();
  often.rebuild_every_ms = 60'000;
  rebuilds.done(alone(often), false, kBuilt);
  CHECK(rebuilds.is_due(often, &version, kBuilt + 60));
}

TEST_CASE("an interval that is changed counts from the same build as the one before") {
  Rebuilds rebuilds;
  const auto version = built("2026-01-31T12:00:00Z");
  auto weekly = daily();
  weekly.rebuild_every_ms = 7 * kDay * 1000;
  CHECK(!rebuilds.is_due(weekly, &version, kBuilt + 1));
  CHECK(!rebuilds.is_due(daily(), &version, kBuilt + kDay - 1));
  CHECK(rebuilds.is_due(daily(), &version, kBuilt + kDay));
  rebuilds.done(alone(daily()), true, kBuilt + kDay);
  CHECK(!rebuilds.is_due(weekly, &version, kBuilt + 8 * kDay - 1));
  CHECK(rebuilds.is_due(weekly, &version, kBuilt + 8 * kDay));
  rebuilds.done(alone(weekly), false, kBuilt + 8 * kDay);
  CHECK(rebuilds.is_due(daily(), &version, kBuilt + 8 * kDay + 3600));
}

TEST_CASE("an interval that was taken out and written again begins with the version that is there") {
  Rebuilds rebuilds;
  const auto first = built("2026-01-31T12:00:00Z");
  CHECK(rebuilds.is_due(daily(), &first, kBuilt + kDay));
  rebuilds.done(alone(daily()), true, kBuilt + kDay);
  auto never = daily();
  never.rebuild_every_ms = std::nullopt;
  CHECK(!rebuilds.is_due(never, &first, kBuilt + 2 * kDay));
  const auto later = built("2026-02-03T12:00:00Z");
  CHECK(!rebuilds.is_due(daily(), &later, kBuilt + 3 * kDay + 1));
  CHECK(rebuilds.is_due(daily(), &later, kBuilt + 4 * kDay));
}

TEST_CASE("a clock that is set back does not delay builds by more than the interval") {
  Rebuilds rebuilds;
  const auto version = built("2026-01-31T12:00:00Z");
  rebuilds.done(alone(daily()), true, kBuilt + 1000 * kDay);
  CHECK(!rebuilds.is_due(daily(), &version, kBuilt));
  CHECK(!rebuilds.is_due(daily(), &version, kBuilt + kDay - 1));
  CHECK(rebuilds.is_due(daily(), &version, kBuilt + kDay));
}

TEST_CASE("policies that are built together are built once in each interval") {
  Rebuilds rebuilds;
  policy::Specs members;
  for (const char* name : {"patients", "visits", "stays"}) {
    auto spec = daily();
    spec.name = name;
    if (spec.name == "visits") spec.rebuild_every_ms = 2 * kDay * 1000;
    if (spec.name == "stays") spec.rebuild_every_ms = std::nullopt;
    members.push_back(std::make_shared<const policy::PolicySpec>(std::move(spec)));
  }
  const auto version = built("2026-01-31T12:00:00Z");
  const auto are_due = [&](std::int64_t now) {
    std::vector<bool> due;
    for (const auto& spec : members) due.push_back(rebuilds.is_due(*spec, &version, now));
    return due;
  };
  using Due = std::vector<bool>;
  CHECK(are_due(kBuilt + 2 * kDay) == Due{true, true, false});
  rebuilds.done(members, true, kBuilt + 2 * kDay);
  CHECK(are_due(kBuilt + 3 * kDay - 1) == Due{false, false, false});
  CHECK(are_due(kBuilt + 3 * kDay) == Due{true, false, false});
  rebuilds.done(members, false, kBuilt + 3 * kDay);
  CHECK(are_due(kBuilt + 3 * kDay + 3599) == Due{false, false, false});
  CHECK(are_due(kBuilt + 3 * kDay + 3600) == Due{true, true, false});
}

TEST_CASE("a policy whose version was not looked at yet waits for the build of its neighbours, too") {
  Rebuilds rebuilds;
  const auto version = built("2026-01-31T12:00:00Z");
  rebuilds.done(alone(daily()), true, kBuilt + kDay);
  CHECK(!rebuilds.is_due(daily(), &version, kBuilt + 2 * kDay - 1));
  CHECK(rebuilds.is_due(daily(), &version, kBuilt + 2 * kDay));
}

TEST_CASE("nothing is built that nobody asked for or that was never built") {
  Rebuilds rebuilds;
  auto never = daily();
  never.rebuild_every_ms = std::nullopt;
  const auto version = built("2000-01-01T00:00:00Z");
  CHECK(!rebuilds.is_due(never, &version, kBuilt));
  CHECK(!rebuilds.is_due(daily(), nullptr, kBuilt));
  CHECK(rebuilds.is_due(daily(), &version, kBuilt));
}

}  // namespace pgveil::app
