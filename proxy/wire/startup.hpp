#pragma once
// The packets that open a connection: length and body without a tag, told apart by a 32-bit code.
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "common/error.hpp"
#include "proxy/wire/primitives.hpp"

namespace pgveil::wire {

// The codes are fixed by PostgreSQL (major 1234 can never be a protocol version).
inline constexpr std::uint32_t kCancelRequestCode = 1234U << 16 | 5678;
inline constexpr std::uint32_t kSslRequestCode = 1234U << 16 | 5679;
inline constexpr std::uint32_t kGssEncRequestCode = 1234U << 16 | 5680;

// Protocol 3.0, and 3.2 with its longer cancel keys. There is no 3.1.
inline constexpr std::uint16_t kProtocolMajor = 3;
inline constexpr std::uint16_t kNewestMinor = 2;
[[nodiscard]] constexpr std::uint32_t protocol_version(std::uint16_t minor) {
  return static_cast<std::uint32_t>(kProtocolMajor) << 16 | minor;
}

struct SslRequest {
  bool operator==(const SslRequest&) const = default;
};

struct GssEncRequest {
  bool operator==(const GssEncRequest&) const = default;
};

struct CancelRequest {
  std::uint32_t pid = 0;
  CancelSecret secret = {};
  bool operator==(const CancelRequest&) const = default;
};

struct StartupMessage {
  std::uint16_t major = kProtocolMajor;
  std::uint16_t minor = 0;
  std::vector<std::pair<std::string, std::string>> parameters = {};  // in the order of the packet
  bool operator==(const StartupMessage&) const = default;
};

using StartupPacket = std::variant<SslRequest, GssEncRequest, CancelRequest, StartupMessage>;

// body: from Framer::peek_startup. Errors (08P01): the packet is malformed. A StartupMessage of another major
// version is returned without parameters, because its layout is unknown.
[[nodiscard]] Result<StartupPacket> decode_startup(std::string_view body);

// Appends the whole packet.
void encode(const SslRequest& packet, std::string& out);
void encode(const GssEncRequest& packet, std::string& out);
void encode(const CancelRequest& packet, std::string& out);
void encode(const StartupMessage& packet, std::string& out);

}  // namespace pgveil::wire
