#include "proxy/net/session_registry.hpp"

#include <doctest/doctest.h>

#include <set>

#include "common/assert.hpp"
#include "proxy/net/random.hpp"

namespace pgveil::net {

namespace {

SessionPid reserved(SessionRegistry& registry, const std::string& neighbourhood = "10.0.0.1") {
  const auto place = registry.reserve(neighbourhood);
  REQUIRE(place.has_value());
  return place->pid;
}

SessionPid logged_in(SessionRegistry& registry, const std::string& role = "bi") {
  const auto pid = reserved(registry);
  REQUIRE(registry.admit(pid, role, false) == Admission::in);
  return pid;
}

}  // namespace

TEST_CASE("pids are unique, and a place that is released is free") {
  SessionRegistry registry({.clients = 50});
  std::vector<SessionPid> all;
  std::set<std::uint32_t> pids;
  for (int i = 0; i < 50; ++i) {
    all.push_back(logged_in(registry));
    CHECK(all.back() > 0);
    CHECK(all.back() <= 0x7fffffff);
    pids.insert(all.back());
  }
  CHECK(pids.size() == 50);
  CHECK(registry.admit(reserved(registry), "bi", false) == Admission::too_many);
  registry.release(all.front());
  CHECK(registry.admit(reserved(registry), "bi", false) == Admission::in);
  CHECK(registry.count() == 51);
  CHECK(registry.count_logging_in() == 1);
}

TEST_CASE("those who have not logged in take no place of those who have, nor these theirs") {
  SessionRegistry registry({.clients = 2, .logging_in = 3});
  for (int i = 0; i < 3; ++i) reserved(registry);
  const auto one = logged_in(registry);
  const auto two = logged_in(registry);
  CHECK(registry.admit(reserved(registry), "bi", false) == Admission::too_many);
  registry.release(one);
  registry.release(two);
  CHECK(logged_in(registry) != 0);
}

TEST_CASE("whose place went to another does not come in any more") {
  SessionRegistry registry({.clients = 10, .logging_in = 1});
  const auto slow = reserved(registry);
  const auto quick = reserved(registry);
  CHECK(registry.admit(slow, "bi", false) == Admission::too_late);
  CHECK(registry.admit(quick, "bi", false) == Admission::in);
}

TEST_CASE("those who are put out and still there do not heap up") {
  SessionRegistry registry({.clients = 10, .logging_in = 2});
  std::vector<SessionPid> all;
  for (std::size_t i = 0; i < 2 + kMostPutOut; ++i) all.push_back(reserved(registry));
  CHECK_FALSE(registry.reserve("10.0.0.2").has_value());
  registry.release(all.front());
  CHECK(registry.reserve("10.0.0.2").has_value());
  CHECK_FALSE(registry.reserve("10.0.0.2").has_value());
}

TEST_CASE("some places are kept, and taken by those whom they are kept for alone") {
  SessionRegistry registry({.clients = 1, .kept = 2});
  static_cast<void>(logged_in(registry));
  CHECK(registry.admit(reserved(registry), "bi", false) == Admission::too_many);
  const auto operator_keys = reserved(registry);
  CHECK(registry.admit(operator_keys, "operator", true) == Admission::in);
  CHECK(registry.admit(reserved(registry), "operator", true) == Admission::in);
  CHECK(registry.admit(reserved(registry), "operator", true) == Admission::too_many);
  registry.release(operator_keys);
  CHECK(registry.admit(reserved(registry), "bi", false) == Admission::too_many);
  CHECK(registry.admit(reserved(registry), "operator", true) == Admission::in);
}

TEST_CASE("a role's own limit counts those who have logged in") {
  SessionRegistry registry({.clients = 10, .one_role = 1});
  const auto first = logged_in(registry, "bi");
  CHECK(registry.admit(reserved(registry), "bi", false) == Admission::too_many_role);
  CHECK(registry.admit(reserved(registry), "other", false) == Admission::in);
  registry.release(first);
  CHECK(registry.admit(reserved(registry), "bi", false) == Admission::in);
}

TEST_CASE("a place without a session yet is not found, and waiting for the last one ends") {
  SessionRegistry registry({.clients = 1});
  CHECK(registry.wait_until_empty(std::chrono::milliseconds(0)));
  const auto pid = reserved(registry);
  CHECK(registry.find(pid, "") == nullptr);
  CHECK(registry.find(pid, registry.make_secret(pid, 32)) == nullptr);
  CHECK_FALSE(registry.wait_until_empty(std::chrono::milliseconds(0)));
  registry.release(pid);
  CHECK(registry.wait_until_empty(std::chrono::milliseconds(0)));
}

TEST_CASE("secrets have the size that was asked for and differ") {
  SessionRegistry registry({.clients = 2});
  const auto one = reserved(registry);
  const auto two = reserved(registry);
  const std::string secret = registry.make_secret(one, 32);
  CHECK(secret.size() == 32);
  CHECK(registry.make_secret(two, 32) != secret);
  CHECK_THROWS_AS(static_cast<void>(registry.make_secret(one, 4)), Bug);  // once for each session
}

TEST_CASE("nonces are 24 characters and differ") {
  CHECK(random_nonce().size() == 24);
  CHECK(random_nonce() != random_nonce());
}

}  // namespace pgveil::net
