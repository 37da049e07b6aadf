#include "web/http/monitoring.hpp"

#include <doctest/doctest.h>

#include <vector>

#include "unit/net/peer.hpp"

namespace pgveil::net {
namespace {

using net_test::Peer;

std::unique_ptr<HttpServer> serve() {
  auto server = HttpServer::start(
      {.section = "metrics", .host = "127.0.0.1", .port = 0, .threads = 1},
      monitoring_handler({[] { return std::string("metric 1\n"); }, [] { return std::string(); }},
                         {"pgveil.example.org"}));
  REQUIRE(server.has_value());
  return std::move(*server);
}

// The status line of what is answered to GET /metrics with these headers.
std::string asked(const HttpServer& server, const std::string& headers, const std::string& from = {}) {
  const Peer visitor = Peer::connect_to(server.port(), from);
  visitor.send_bytes("GET /metrics HTTP/1.1\r\n" + headers + "\r\n");
  return visitor.receive(12);
}

}  // namespace

TEST_CASE("requests that are begun and left keep nobody away") {
  const auto web = serve();
  std::vector<Peer> half;
  for (int i = 0; i < 200; ++i) {
    half.push_back(Peer::connect_to(web->port()));
    half.back().send_bytes("GET /healthz HTTP/1.1\r\nHost: localhost\r\n");
    if (i % 20 == 0) CHECK(asked(*web, "Host: localhost\r\n") == "HTTP/1.1 200");
  }
  CHECK(asked(*web, "Host: localhost\r\n") == "HTTP/1.1 200");
  CHECK(asked(*web, "Host: localhost\r\n", "127.0.0.2") == "HTTP/1.1 200");
  CHECK(half.front().is_at_end());
}

TEST_CASE("who came from elsewhere keeps the place while one address fills all") {
  const auto web = serve();
  const Peer slow = Peer::connect_to(web->port(), "127.0.0.2");
  slow.send_bytes("GET /metrics HTTP/1.1\r\n");
  std::vector<Peer> half;
  for (int i = 0; i < 100; ++i) half.push_back(Peer::connect_to(web->port()));
  CHECK(half.front().is_at_end());
  slow.send_bytes("Host: localhost\r\n\r\n");
  CHECK(slow.receive(12) == "HTTP/1.1 200");
}

TEST_CASE("a page under a name that is not ours is not answered") {
  const auto web = serve();
  for (const char* host :
       {"localhost:9127", "127.0.0.1", "10.0.0.7:9127", "[2001:db8::1]", "pgveil.example.org"}) {
    CAPTURE(host);
    CHECK(asked(*web, std::string("Host: ") + host + "\r\n") == "HTTP/1.1 200");
  }
  CHECK(asked(*web, "") == "HTTP/1.1 200");  // no browser leaves it out
  for (const char* host : {"evil.example", "localhost.evil.example:9127", ""}) {
    CAPTURE(host);
    CHECK(asked(*web, std::string("Host: ") + host + "\r\n") == "HTTP/1.1 421");
  }
  CHECK(asked(*web, "Host: localhost\r\nHost: evil.example\r\n") == "HTTP/1.1 421");
}

TEST_CASE("HEAD is answered like GET, without the body, and nothing else is") {
  const auto server = serve();
  // What is answered, up to the end of the head, and whether more bytes follow.
  const auto asked_by = [&](const std::string& method, std::size_t body_bytes) {
    const Peer visitor = Peer::connect_to(server->port());
    visitor.send_bytes(method + " /metrics HTTP/1.1\r\nHost: localhost\r\n\r\n");
    std::string text;
    while (!text.ends_with("\r\n\r\n")) text += visitor.receive(1);
    text += visitor.receive(body_bytes);
    CHECK(visitor.is_at_end());
    return text;
  };
  const std::string head = asked_by("HEAD", 0);
  CHECK(head.starts_with("HTTP/1.1 200"));
  CHECK(head.find("Content-Length: 9\r\n") != std::string::npos);
  CHECK(asked_by("GET", 9) == head + "metric 1\n");
  CHECK(asked_by("POST", 9).starts_with("HTTP/1.1 405"));
}

TEST_CASE("a header that does not end is given up") {
  const auto web = serve();
  const Peer slow = Peer::connect_to(web->port());
  slow.send_bytes("GET /metrics HTTP/1.1\r\nX: ");
  CHECK(slow.is_at_end());
}

}  // namespace pgveil::net
