#include "daemon/state/last_checks.hpp"

#include <doctest/doctest.h>

namespace pgveil::app {
namespace {

TEST_CASE("a check is of the version that it compared, and of no other") {
  LastChecks checks;
  CHECK_FALSE(checks.of("people", 3).has_value());
  checks.checked("people", 3, {"2026-01-31T12:00:00Z", "ok"});
  CHECK(checks.of("people", 3) == LastChecks::Check{"2026-01-31T12:00:00Z", "ok"});
  CHECK_FALSE(checks.of("people", 4).has_value());
  CHECK_FALSE(checks.of("staff", 3).has_value());
  checks.checked("people", 4, {"2026-01-31T13:00:00Z", "2 splits fell below k"});
  CHECK(checks.of("people", 4)->finding == "2 splits fell below k");
  CHECK_FALSE(checks.of("people", 3).has_value());
}

}  // namespace
}  // namespace pgveil::app
