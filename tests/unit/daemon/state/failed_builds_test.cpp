#include "daemon/state/failed_builds.hpp"

#include <doctest/doctest.h>

namespace pgveil::app {
namespace {

const FailedBuilds::Failure kFailure{"2026-01-31T12:00:00Z", "the source has no rows"};

TEST_CASE("a failed build is known until one succeeds") {
  FailedBuilds builds;
  CHECK(!builds.of("people", 0));
  builds.failed("people", 3, kFailure);
  CHECK(builds.of("people", 3) == kFailure);
  CHECK(!builds.of("visits", 3));
  builds.succeeded("visits");
  CHECK(builds.of("people", 3) == kFailure);
  builds.succeeded("people");
  CHECK(!builds.of("people", 3));
}

TEST_CASE("the last failure counts") {
  FailedBuilds builds;
  builds.failed("people", 3, kFailure);
  const FailedBuilds::Failure later{"2026-01-31T13:00:00Z", "the server is down"};
  builds.failed("people", 4, later);
  CHECK(builds.of("people", 4) == later);
}

TEST_CASE("a version that somebody published since the build began ends a failure") {
  FailedBuilds builds;
  builds.failed("people", 3, kFailure);
  CHECK(!builds.of("people", 4));
  builds.failed("never", 0, kFailure);
  CHECK(builds.of("never", 0) == kFailure);
  CHECK(!builds.of("never", 1));
}

TEST_CASE("a version that was withdrawn ends no failure") {
  FailedBuilds builds;
  builds.failed("people", 3, kFailure);
  CHECK(builds.of("people", 0) == kFailure);
}

TEST_CASE("a repair of the version is no build, so the failure stays known") {
  FailedBuilds builds;
  builds.failed("people", 3, kFailure);
  builds.repaired("people", 3, 4);
  CHECK(builds.of("people", 4) == kFailure);
  CHECK(!builds.of("people", 5));
  builds.repaired("people", 5, 6);  // of a version that somebody else published
  CHECK(!builds.of("people", 6));
  builds.repaired("visits", 1, 2);
  CHECK(!builds.of("visits", 2));
}

}  // namespace
}  // namespace pgveil::app
