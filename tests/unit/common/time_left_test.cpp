#include "common/time_left.hpp"

#include <doctest/doctest.h>

namespace pgveil {

using std::chrono::milliseconds;
using std::chrono::seconds;

TEST_CASE("what is left follows from what was done in the time so far") {
  CHECK(time_left(milliseconds(10'000), 0.25) == seconds(30));
  CHECK(time_left(milliseconds(10'000), 0.99) == seconds(1));
  CHECK(time_left(milliseconds(10'000), 1) == seconds(0));
}

TEST_CASE("too early nothing is told") {
  CHECK(time_left(milliseconds(999), 0.5) == std::nullopt);
  CHECK(time_left(milliseconds(60'000), 0.01) == std::nullopt);
  CHECK(time_left(milliseconds(60'000), 0) == std::nullopt);
  CHECK(time_left(milliseconds(60'000), -1) == std::nullopt);
  CHECK(time_left(milliseconds(60'000), 1.5) == std::nullopt);
}

TEST_CASE("a share is told in whole per cents, and long times in minutes") {
  CHECK(share_text(milliseconds(0), 0.379) == "37 %");
  CHECK(share_text(milliseconds(10'000), 0.379) == "37 %, some 17 s left");
  CHECK(share_text(milliseconds(119'000), 0.5) == "50 %, some 119 s left");
  CHECK(share_text(milliseconds(121'000), 0.5) == "50 %, some 3 min left");
  CHECK(share_text(milliseconds(0), 2) == "100 %");
  CHECK(share_text(milliseconds(0), -2) == "0 %");
}

}  // namespace pgveil
