#include "proxy/net/lost_servers.hpp"

#include <algorithm>
#include <numeric>

namespace pgveil::net {
namespace {

// One session in this time pays for finding out whether the server is back.
constexpr std::chrono::seconds kLostFor{10};

}  // namespace

void LostServers::note(std::size_t server) {
  const std::scoped_lock lock(mutex_);
  noted_.insert_or_assign(server, Clock::now());
}

std::vector<std::size_t> LostServers::order(std::size_t count) const {
  std::vector<std::size_t> servers(count);
  std::iota(servers.begin(), servers.end(), std::size_t{0});
  const std::scoped_lock lock(mutex_);
  const auto now = Clock::now();
  std::ranges::stable_partition(servers, [&](std::size_t server) {
    const auto found = noted_.find(server);
    return found == noted_.end() || now - found->second >= kLostFor;
  });
  return servers;
}

}  // namespace pgveil::net
