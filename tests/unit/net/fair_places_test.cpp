#include "proxy/net/fair_places.hpp"

#include <doctest/doctest.h>

#include <map>

namespace pgveil::net {

TEST_CASE("while there is room nobody goes") {
  FairPlaces places(2);
  CHECK_FALSE(places.enter(1, "a").has_value());
  CHECK_FALSE(places.enter(2, "a").has_value());
  CHECK(places.count() == 2);
  CHECK(places.leave(1));
  CHECK_FALSE(places.leave(1));
  CHECK_FALSE(places.enter(3, "b").has_value());
}

TEST_CASE("who goes is the oldest of the neighbourhood that holds most, the newcomer counted") {
  FairPlaces places(4);
  static_cast<void>(places.enter(1, "quiet"));
  static_cast<void>(places.enter(2, "loud"));
  static_cast<void>(places.enter(3, "loud"));
  static_cast<void>(places.enter(4, "loud"));
  CHECK(places.enter(5, "new") == 2);
  CHECK(places.enter(6, "loud") == 3);
  CHECK(places.enter(7, "loud") == 4);   // loud: 6, 7; quiet: 1; new: 5
  CHECK(places.enter(8, "quiet") == 1);  // two each of loud and quiet: the older of their oldest
}

TEST_CASE(
    "of neighbourhoods that hold as many, the one of the oldest loses it; the newcomer never goes itself") {
  FairPlaces places(3);
  static_cast<void>(places.enter(1, "a"));
  static_cast<void>(places.enter(2, "b"));
  static_cast<void>(places.enter(3, "c"));
  CHECK(places.enter(4, "d") == 1);
  CHECK(places.enter(5, "e") == 2);
  FairPlaces one(1);
  static_cast<void>(one.enter(1, "a"));
  CHECK(one.enter(2, "a") == 1);
  CHECK(one.enter(3, "b") == 2);
}

TEST_CASE("a neighbourhood that keeps coming holds no more than its share, and the others keep theirs") {
  FairPlaces places(10);
  for (std::uint64_t i = 0; i < 5; ++i) static_cast<void>(places.enter(i, "others"));
  std::map<std::uint64_t, int> gone;
  for (std::uint64_t i = 100; i < 1100; ++i) {
    if (const auto goes = places.enter(i, "flood")) ++gone[*goes];
  }
  CHECK(places.count() == 10);
  for (std::uint64_t i = 0; i < 5; ++i) CHECK(gone[i] == 0);
}

}  // namespace pgveil::net
