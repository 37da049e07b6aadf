#pragma once
// A bounded number of places for visitors who have not logged in. Visitors who hold places and say nothing
// keep nobody out: a newcomer always gets a place. When none is free, the oldest visitor from the
// neighbourhood that holds most places has to go. So somebody who fills the places from one address takes
// them from himself. Somebody who fills them from many addresses has to come again and again, as fast as
// others log in. If newcomers were turned away instead, whoever holds the places could keep them. Not
// thread-safe.
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <unordered_map>

namespace pgveil::net {

class FairPlaces {
 public:
  // limit: 1 at least.
  explicit FairPlaces(std::size_t limit) : limit_(limit) {}

  // REQUIRES: the guest is not in. → who has to go for it and is out now; nullopt: there was room.
  [[nodiscard]] std::optional<std::uint64_t> enter(std::uint64_t guest, const std::string& neighbourhood);
  // False: it is not in.
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
