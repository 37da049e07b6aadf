#include <doctest/doctest.h>

#include "daemon/access/sign_in_links.hpp"

namespace pgveil::app {
namespace {

using std::chrono::seconds;

const SignInLinks::Time kStart{};
constexpr const char* kPage = "http://127.0.0.1:6480/";

TEST_CASE("a sign-in link leads to the page, and its token is behind the #") {
  SignInLinks links;
  links.open(kPage);
  const auto link = links.make("operator", "verifier", "abc", kStart);
  REQUIRE(link.has_value());
  CHECK(*link == "http://127.0.0.1:6480/#sign-in=abc");
}

TEST_CASE("a sign-in link works once") {
  SignInLinks links;
  links.open(kPage);
  REQUIRE(links.make("operator", "verifier", "abc", kStart).has_value());
  const auto holder = links.take("abc", kStart);
  REQUIRE(holder);
  CHECK(holder->role == "operator");
  CHECK(holder->verifier == "verifier");
  CHECK_FALSE(links.take("abc", kStart));
}

TEST_CASE("a sign-in link works until it is ten minutes old") {
  SignInLinks links;
  links.open(kPage);
  REQUIRE(links.make("operator", "verifier", "abc", kStart).has_value());
  REQUIRE(links.make("watcher", "verifier", "def", kStart).has_value());
  CHECK(links.take("abc", kStart + SignInLinks::kLife - seconds(1)));
  CHECK_FALSE(links.take("def", kStart + SignInLinks::kLife));
  CHECK_FALSE(links.take("def", kStart));  // it was used up by that
}

TEST_CASE("what is no sign-in link takes nobody's away") {
  SignInLinks links;
  links.open(kPage);
  REQUIRE(links.make("operator", "verifier", "abc", kStart).has_value());
  for (const char* guess : {"", "ab", "abcd", "ABC", "abc ", "operator"})
    CHECK_FALSE(links.take(guess, kStart));
  CHECK(links.take("abc", kStart));
}

TEST_CASE("a role's new sign-in link replaces its earlier one, and no other role's") {
  SignInLinks links;
  links.open(kPage);
  REQUIRE(links.make("operator", "verifier", "first", kStart).has_value());
  REQUIRE(links.make("watcher", "verifier", "other", kStart).has_value());
  REQUIRE(links.make("operator", "verifier", "second", kStart).has_value());
  CHECK_FALSE(links.take("first", kStart));
  CHECK(links.take("other", kStart));
  CHECK(links.take("second", kStart));
}

TEST_CASE("without a page no sign-in links are made, and when it goes none works") {
  SignInLinks links;
  const auto early = links.make("operator", "verifier", "abc", kStart);
  REQUIRE(early.has_error());
  CHECK(early.error().sqlstate == "55000");
  CHECK_FALSE(links.take("abc", kStart));
  links.open(kPage);
  REQUIRE(links.make("operator", "verifier", "abc", kStart).has_value());
  links.close();
  CHECK_FALSE(links.take("abc", kStart));
  CHECK(links.make("operator", "verifier", "def", kStart).has_error());
}

}  // namespace
}  // namespace pgveil::app
