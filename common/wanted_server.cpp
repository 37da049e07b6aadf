#include "common/wanted_server.hpp"

#include <fmt/format.h>

#include "common/assert.hpp"

namespace pgveil {
namespace {

std::optional<ServerKind> kind_of(WantedServer wanted) {
  switch (wanted) {
    case WantedServer::any: return std::nullopt;
    case WantedServer::primary:
    case WantedServer::prefer_primary: return ServerKind::primary;
    case WantedServer::standby:
    case WantedServer::prefer_standby: return ServerKind::standby;
  }
  PGVEIL_ASSERT(false);
}

bool is_preference(WantedServer wanted) {
  return wanted == WantedServer::prefer_primary || wanted == WantedServer::prefer_standby;
}

}  // namespace

std::string text_of(const HostPort& place) {
  const bool is_v6 = !place.host.starts_with('/') && place.host.find(':') != std::string::npos;
  return is_v6 ? fmt::format("[{}]:{}", place.host, place.port)
               : fmt::format("{}:{}", place.host, place.port);
}

std::string text_of(const std::vector<HostPort>& places) {
  std::string out;
  for (const auto& place : places) out += (out.empty() ? "" : ", ") + text_of(place);
  return out;
}

std::vector<ServerAttempt> attempts_for(WantedServer wanted, const std::vector<std::size_t>& order) {
  std::vector<ServerAttempt> attempts;
  for (const std::size_t host : order) attempts.push_back({host, kind_of(wanted)});
  if (!is_preference(wanted)) return attempts;
  for (const std::size_t host : order) attempts.push_back({host, std::nullopt});
  return attempts;
}

}  // namespace pgveil
