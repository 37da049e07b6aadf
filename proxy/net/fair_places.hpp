#pragma once
// A bounded number of places for visitors who have not logged in yet. Visitors who hold places and stay
// silent keep nobody out: a newcomer always gets a place. If none is free, the oldest visitor from the
// neighbourhood that holds the most places has to leave. So somebody who fills the places from one address
// takes them from their own connections. Somebody who fills them from many addresses has to come again and
// again, as fast as others log in. If newcomers were turned away instead, the holders of the places could
// keep them. Not thread-safe.
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <unordered_map>

namespace pgveil::net {

class FairPlaces {
 public:
  // limit: at least 1.
  explicit FairPlaces(std::size_t limit) : limit_(limit) {}

  // Lets the guest in. Returns the guest who had to leave for it, who is already out; nullopt: there was
  // room. REQUIRES: the guest is not in.
  [[nodiscard]] std::optional<std::uint64_t> enter(std::uint64_t guest, const std::string& neighbourhood);
  // False: the guest is not in.
  bool leave(std::uint64_t guest);
  [[nodiscard]] std::size_t count() const { return seats_.size(); }

 private:
  using Arrivals = std::map<std::uint64_t, std::uint64_t>;  // the arrival's number → guest
  struct Seat {
    std::string neighbourhood;
    std::uint64_t arrival = 0;
  };
  [[nodiscard]] std::uint64_t who_goes(std::uint64_t newcomer) const;

  std::size_t limit_;
  std::uint64_t arrivals_ = 0;
  std::unordered_map<std::uint64_t, Seat> seats_;
  std::map<std::string, Arrivals> by_neighbourhood_;
};

}  // namespace pgveil::net
