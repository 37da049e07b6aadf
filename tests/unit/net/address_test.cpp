#include "proxy/net/address.hpp"

#include <doctest/doctest.h>

#include <vector>

namespace pgveil::net {

TEST_CASE("only addresses are loopback, never names that look like them") {
  for (const char* text : {"127.0.0.1", "127.1.2.3", "::1", "::ffff:127.0.0.1"}) {
    CAPTURE(text);
    CHECK(is_address(text));
    CHECK(is_loopback(text));
  }
  for (const char* text : {"10.0.0.1", "0.0.0.0", "::", "::ffff:10.0.0.1", "128.0.0.1"}) {
    CAPTURE(text);
    CHECK(is_address(text));
    CHECK_FALSE(is_loopback(text));
  }
  for (const char* text : {"localhost", "127.lan.example", "127.1", "127.", "127.0.0.1.5", "127.0.0.256", "",
                           "127.0.0.1 ", "[::1]", "1270.0.0.1"}) {
    CAPTURE(text);
    CHECK_FALSE(is_address(text));
    CHECK_FALSE(is_loopback(text));
  }
}

TEST_CASE("an IPv4 address is a neighbourhood of its own, an IPv6 one has 64 bits of it") {
  const auto of = [](const char* text) { return neighbourhood_of(asio::ip::make_address(text)); };
  CHECK(of("10.0.0.1") != of("10.0.0.2"));
  CHECK(of("::ffff:10.0.0.1") == of("10.0.0.1"));
  CHECK(of("2001:db8:1:2::1") == of("2001:db8:1:2:ffff::9"));
  CHECK(of("2001:db8:1:2::1") != of("2001:db8:1:3::1"));
}

TEST_CASE("a Host is ours when it is an address of that kind, localhost or a name of the list") {
  const std::vector<std::string> names{"pgveil.example.org"};
  for (const char* host :
       {"localhost", "localhost:80", "127.0.0.1:9127", "[::1]:1", "pgveil.example.org:443"}) {
    CAPTURE(host);
    CHECK(is_own_host(host, HostAddresses::loopback, names));
  }
  for (const char* host : {"10.0.0.1", "10.0.0.1:80", "[2001:db8::1]:80"}) {
    CAPTURE(host);
    CHECK(is_own_host(host, HostAddresses::any, names));
    CHECK_FALSE(is_own_host(host, HostAddresses::loopback, names));
  }
  for (const char* host : {"", ":80", "evil.example", "localhost.evil.example", "127.0.0.1.evil.example",
                           "10.0.0.1:", "10.0.0.1:x", "10.0.0.1:123456", "[10.0.0.1]", "::1", "[::1", "[]",
                           "[::1]x", "PGVEIL.example.org", "pgveil.example.org."}) {
    CAPTURE(host);
    CHECK_FALSE(is_own_host(host, HostAddresses::any, names));
  }
}

}  // namespace pgveil::net
