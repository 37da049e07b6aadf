#include "proxy/wire/startup.hpp"

#include <doctest/doctest.h>

#include "common/assert.hpp"

using namespace pgveil;
using namespace pgveil::wire;

namespace {

std::string body_of(const StartupPacket& packet) {
  std::string bytes;
  std::visit([&](const auto& kind) { encode(kind, bytes); }, packet);
  return bytes.substr(4);
}

const StartupPacket kPackets[] = {
    SslRequest{},
    GssEncRequest{},
    CancelRequest{.pid = 1, .secret = {std::string(4, '\xff')}},
    CancelRequest{.pid = 1, .secret = {std::string("\0\1\2\3four", 8)}},
    StartupMessage{
        .major = 3, .minor = 0, .parameters = {{"user", "ann"}, {"database", "demo"}, {"options", ""}}},
    StartupMessage{.major = 3, .minor = 2, .parameters = {}},
};

}  // namespace

TEST_CASE("every start-up packet is read back as it was written") {
  for (const StartupPacket& packet : kPackets) {
    const auto decoded = decode_startup(body_of(packet));
    REQUIRE(decoded.has_value());
    CHECK((*decoded == packet));
  }
}

TEST_CASE("a start-up packet that is cut anywhere, or followed by a byte, is refused") {
  for (const StartupPacket& packet : kPackets) {
    const std::string body = body_of(packet);
    for (std::size_t size = 0; size < body.size(); ++size) {
      CAPTURE(size);
      // The rest of a cancel request is its secret, so a part of it may be a shorter secret.
      const bool is_secret = std::holds_alternative<CancelRequest>(packet) && size >= 12;
      CHECK(decode_startup(std::string_view(body).substr(0, size)).has_value() == is_secret);
    }
    if (std::holds_alternative<CancelRequest>(packet)) continue;
    CHECK_FALSE(decode_startup(body + 'x').has_value());
  }
}

TEST_CASE("the secret of a cancel request has 4 to 256 bytes") {
  const std::string head = body_of(CancelRequest{.pid = 7}).substr(0, 8);
  for (const std::size_t size : {4, 5, 32, 255, 256}) {
    const auto decoded = decode_startup(head + std::string(size, 's'));
    REQUIRE(decoded.has_value());
    CHECK((std::get<CancelRequest>(*decoded) == CancelRequest{.pid = 7, .secret = {std::string(size, 's')}}));
  }
  for (const std::size_t size : {0, 3, 257, 9'000})
    CHECK_FALSE(decode_startup(head + std::string(size, 's')).has_value());
  std::string bytes;
  CHECK_THROWS_AS(encode(CancelRequest{.pid = 7, .secret = {"abc"}}, bytes), Bug);
  CHECK_THROWS_AS(encode(CancelRequest{.pid = 7, .secret = {std::string(257, 's')}}, bytes), Bug);
}

TEST_CASE("of another major version only the version is read") {
  const auto decoded = decode_startup(std::string_view("\0\2\0\0whatever follows", 20));
  REQUIRE(decoded.has_value());
  CHECK((std::get<StartupMessage>(*decoded) == StartupMessage{.major = 2, .minor = 0, .parameters = {}}));
}

TEST_CASE("a parameter without a name is never written") {
  std::string bytes;
  CHECK_THROWS_AS(encode(StartupMessage{.parameters = {{"", "x"}}}, bytes), Bug);
}
