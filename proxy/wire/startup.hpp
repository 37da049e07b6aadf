#pragma once
// The packets that open a connection: length and body without a tag, told apart by a 32-bit code.
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "common/error.hpp"

namespace pgveil::wire {

// The codes are fixed by PostgreSQL (major 1234 can never be a protocol version).
inline constexpr std::uint32_t kCancelRequestCode = 1234U << 16 | 5678;
inline constexpr std::uint32_t kSslRequestCode = 1234U << 16 | 5679;
inline constexpr std::uint32_t kGssEncRequestCode = 1234U << 16 | 5680;
inline constexpr std::uint32_t kProtocolVersion = 3U << 16;

struct SslRequest {
  bool operator==(const SslRequest&) const = default;
};

struct GssEncRequest {
  bool operator==(const GssEncRequest&) const = default;
};

struct CancelRequest {
  std::uint32_t pid = 0;
  std::uint32_t secret = 0;
  bool operator==(const CancelRequest&) const = default;
};

struct StartupMessage {
  std::uint16_t major = 3;
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
