#include "common/wanted_server.hpp"

#include <doctest/doctest.h>

namespace pgveil {
namespace {

TEST_CASE("places are written as they are read") {
  CHECK(text_of(HostPort{"db1", 5433}) == "db1:5433");
  CHECK(text_of(HostPort{"::1", 5432}) == "[::1]:5432");
  CHECK(text_of(HostPort{"/run/a:b", 1}) == "/run/a:b:1");
  CHECK(text_of(std::vector<HostPort>{{"a", 1}, {"b", 2}}) == "a:1, b:2");
}

TEST_CASE("servers are tried in their order, preferred ones first") {
  using enum WantedServer;
  const auto kPrimary = std::optional(ServerKind::primary);
  const auto kStandby = std::optional(ServerKind::standby);
  using Attempts = std::vector<ServerAttempt>;
  CHECK(attempts_for(any, {1, 0}) == Attempts{{1, std::nullopt}, {0, std::nullopt}});
  CHECK(attempts_for(primary, {0, 1}) == Attempts{{0, kPrimary}, {1, kPrimary}});
  CHECK(attempts_for(standby, {0}) == Attempts{{0, kStandby}});
  CHECK(attempts_for(prefer_standby, {0, 1}) ==
        Attempts{{0, kStandby}, {1, kStandby}, {0, std::nullopt}, {1, std::nullopt}});
  CHECK(attempts_for(prefer_primary, {0}) == Attempts{{0, kPrimary}, {0, std::nullopt}});
  CHECK(attempts_for(any, {}).empty());
}

}  // namespace
}  // namespace pgveil
