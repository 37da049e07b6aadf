#include "proxy/net/registry.hpp"

#include <doctest/doctest.h>

#include <set>

#include "proxy/net/random.hpp"

namespace pgveil::net {

TEST_CASE("places are limited, keys are unique, and a place that is released is free") {
  Registry registry(50);
  std::vector<SessionKeys> all;
  std::set<std::uint32_t> pids;
  for (int i = 0; i < 50; ++i) {
    const auto keys = registry.reserve();
    REQUIRE(keys.has_value());
    CHECK(keys->pid > 0);
    CHECK(keys->pid <= 0x7fffffff);
    all.push_back(*keys);
    pids.insert(keys->pid);
  }
  CHECK(pids.size() == 50);
  CHECK_FALSE(registry.reserve().has_value());
  registry.release(all.front());
  CHECK(registry.count() == 49);
  CHECK(registry.reserve().has_value());
}

TEST_CASE("a place without a session yet is not found, and waiting for the last one ends") {
  Registry registry(1);
  CHECK(registry.wait_until_empty(std::chrono::milliseconds(0)));
  const auto keys = registry.reserve();
  REQUIRE(keys.has_value());
  CHECK(registry.find(*keys) == nullptr);
  CHECK_FALSE(registry.wait_until_empty(std::chrono::milliseconds(0)));
  registry.release(*keys);
  CHECK(registry.wait_until_empty(std::chrono::milliseconds(0)));
}

TEST_CASE("nonces are 24 characters and differ") {
  CHECK(random_nonce().size() == 24);
  CHECK(random_nonce() != random_nonce());
}

}  // namespace pgveil::net
