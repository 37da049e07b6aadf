#include <doctest/doctest.h>

#include "web/api/guard.hpp"

namespace pgveil::app {
namespace {

net::HttpRequest get(std::string host) {
  return {"GET", "/", {{"host", std::move(host)}}, "", {}};
}

net::HttpRequest post() {
  return {
      "POST",
      "/api/v1/explain",
      {{"host", "localhost:8080"}, {"origin", "http://localhost:8080"}, {"content-type", "application/json"}},
      "{}",
      {}};
}

TEST_CASE("the page answers under names that nobody else can give it") {
  for (const char* host : {"127.0.0.1:80", "localhost", "localhost:8080", "[::1]:1", "[::1]", "127.9.9.9"}) {
    CAPTURE(host);
    CHECK(wrong_host(get(host)) == nullptr);
  }
  for (const char* host :
       {"", "evil.example", "127.0.0.1.evil.example", "127.evil.example", "localhost.evil.example:80",
        "localhost:80:90", "localhost:", "localhost:x", "[::1", "[::1]evil", "[::2]", "10.0.0.1",
        "evil.example:127.0.0.1", "LOCALHOST", "127.0.0.1 ", "127.0.1"}) {
    CAPTURE(host);
    CHECK(wrong_host(get(host)) != nullptr);
  }
  CHECK(wrong_host({"GET", "/", {}, "", {}}) != nullptr);
}

TEST_CASE("over TLS the page also answers under the names of the configuration") {
  const std::vector<std::string> names{"pgveil.example.org", "10.0.0.1"};
  const auto encrypted = [](const char* host) {
    net::HttpRequest request = get(host);
    request.is_encrypted = true;
    return request;
  };
  for (const char* host : {"pgveil.example.org", "pgveil.example.org:6480", "10.0.0.1:1", "localhost"}) {
    CAPTURE(host);
    CHECK(wrong_host(encrypted(host), names) == nullptr);
  }
  for (const char* host :
       {"example.org", "pgveil.example.org.evil.example", "PGVEIL.example.org", "10.0.0.2"}) {
    CAPTURE(host);
    CHECK(wrong_host(encrypted(host), names) != nullptr);
  }
  CHECK(wrong_host(get("pgveil.example.org"), names) != nullptr);
}

TEST_CASE("over TLS the page comes from its https address") {
  auto request = post();
  request.is_encrypted = true;
  CHECK(wrong_origin(request) != nullptr);
  request.headers["origin"] = "https://localhost:8080";
  CHECK(wrong_origin(request) == nullptr);
}

TEST_CASE("what changes something comes from the page itself, as JSON") {
  CHECK(wrong_origin(post()) == nullptr);
  for (const char* origin : {"", "null", "http://evil.example", "http://localhost:8081",
                             "https://localhost:8080", "http://localhost:8080/"}) {
    CAPTURE(origin);
    auto request = post();
    request.headers["origin"] = origin;
    CHECK(wrong_origin(request) != nullptr);
  }
  for (const char* type : {"", "text/plain", "application/x-www-form-urlencoded", "application/jsonx"}) {
    CAPTURE(type);
    auto request = post();
    request.headers["content-type"] = type;
    CHECK(wrong_origin(request) != nullptr);
  }
  auto request = post();
  request.headers["content-type"] = "application/json;charset=UTF-8";
  CHECK(wrong_origin(request) == nullptr);
}

TEST_CASE("what a browser says to come from another site is refused, reading too") {
  for (const char* site : {"cross-site", "same-site", "none", "anything"}) {
    CAPTURE(site);
    auto request = get("localhost");
    request.headers["sec-fetch-site"] = site;
    CHECK(wrong_origin(request) != nullptr);
  }
  auto request = get("localhost");
  CHECK(wrong_origin(request) == nullptr);
  request.headers["sec-fetch-site"] = "same-origin";
  CHECK(wrong_origin(request) == nullptr);
  request.headers["origin"] = "http://evil.example";
  CHECK(wrong_origin(request) != nullptr);
}

TEST_CASE("a cookie is found by its whole name, and only once") {
  auto request = get("localhost");
  request.headers["cookie"] = "xpgveil=1; pgveil=2;pgveil_session=tok=en; other";
  CHECK(cookie(request, "pgveil_session") == "tok=en");
  CHECK(cookie(request, "pgveil") == "2");
  CHECK(cookie(request, "session").empty());
  request.headers["cookie"] = "pgveil=1; pgveil=2";
  CHECK(cookie(request, "pgveil").empty());
}

TEST_CASE("no secret is like none") {
  CHECK(is_same_secret("abc", "abc"));
  CHECK_FALSE(is_same_secret("abc", "abd"));
  CHECK_FALSE(is_same_secret("abc", "ab"));
  CHECK_FALSE(is_same_secret("", ""));
}

}  // namespace
}  // namespace pgveil::app
