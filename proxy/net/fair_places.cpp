#include "proxy/net/fair_places.hpp"

#include "common/assert.hpp"

namespace pgveil::net {

std::optional<std::uint64_t> FairPlaces::enter(std::uint64_t guest, const std::string& neighbourhood) {
  const bool is_new = seats_.emplace(guest, Seat{neighbourhood, ++arrivals_}).second;
  PGVEIL_ASSERT(is_new);
  by_neighbourhood_[neighbourhood].emplace(arrivals_, guest);
  if (seats_.size() <= limit_) return std::nullopt;
  const std::uint64_t leaver = who_goes(guest);
  leave(leaver);
  return leaver;
}

// The newcomer counts among its neighbours, so that coming last gives nobody an advantage. The newcomer
// itself never has to leave.
std::uint64_t FairPlaces::who_goes(std::uint64_t newcomer) const {
  const Arrivals* most = nullptr;
  for (const auto& [neighbourhood, arrivals] : by_neighbourhood_) {
    if (arrivals.size() == 1 && arrivals.begin()->second == newcomer) continue;
    const bool is_more = most == nullptr || arrivals.size() > most->size();
    const bool is_older =
        most != nullptr && arrivals.size() == most->size() && arrivals.begin()->first < most->begin()->first;
    if (is_more || is_older) most = &arrivals;
  }
  PGVEIL_ASSERT(most != nullptr);
  return most->begin()->second;
}

bool FairPlaces::leave(std::uint64_t guest) {
  const auto seat = seats_.find(guest);
  if (seat == seats_.end()) return false;
  const auto neighbours = by_neighbourhood_.find(seat->second.neighbourhood);
  neighbours->second.erase(seat->second.arrival);
  if (neighbours->second.empty()) by_neighbourhood_.erase(neighbours);
  seats_.erase(seat);
  return true;
}

}  // namespace pgveil::net
