#include "common/line_limiter.hpp"

#include <doctest/doctest.h>

namespace pgveil::log {

TEST_CASE("the kind of a line has nothing in it that a client chooses") {
  CHECK(kind_of_line("session 12", "login of ann to demo") == "session: login of");
  CHECK(kind_of_line("session 13/7", "login of bob to demo") == "session: login of");
  CHECK(kind_of_line("session 1", "client 127.0.0.1:33") == "session: client");
  CHECK(kind_of_line("session 1/2", "refused (clause)") == "session: refused");
  CHECK(kind_of_line("session 1/2", "session ended: a message came out of turn") == "session: session ended");
  CHECK(kind_of_line("net", "can't accept clients: Too many open files") == "net: can");
  CHECK(kind_of_line("", "") == ": ");
}

TEST_CASE("so many lines of a kind are written in a second, and the others are counted") {
  LineLimiter limiter(2);
  CHECK(limiter.lets_through("session 1", "login of ann", 5'000));
  CHECK(limiter.lets_through("session 2", "login of bob", 5'001));
  CHECK_FALSE(limiter.lets_through("session 3", "login of eve", 5'002));
  CHECK_FALSE(limiter.lets_through("session 4", "login of eve", 5'999));
  CHECK(limiter.lets_through("net", "login of eve", 5'999));
  CHECK(limiter.take_suppressed(5'999).empty());
  CHECK(limiter.lets_through("session 5", "login of eve", 6'000));
  // The period that began at 6,000 is not over: its kind is told later.
  CHECK(limiter.take_suppressed(6'500).empty());
  CHECK(limiter.take_suppressed(7'500) == std::vector<LineLimiter::Suppressed>{{"session: login of", 2}});
  CHECK(limiter.take_suppressed(9'000).empty());
}

TEST_CASE("a limiter of 0 limits nothing") {
  LineLimiter limiter(0);
  for (int i = 0; i < 1'000; ++i) CHECK(limiter.lets_through("a", "b", 1));
  CHECK(limiter.take_suppressed(10'000).empty());
}

TEST_CASE("kinds beyond the bound share one") {
  LineLimiter limiter(1);
  const auto word = [](std::size_t i) {
    std::string text;
    for (; i > 0; i /= 26) text += static_cast<char>('a' + i % 26);
    return text + "x";
  };
  for (std::size_t i = 0; i < LineLimiter::kMaxKinds; ++i) CHECK(limiter.lets_through("a", word(i), 1'000));
  CHECK(limiter.lets_through("a", "new words", 1'000));
  for (std::size_t i = 1'000; i < 1'100; ++i) CHECK_FALSE(limiter.lets_through("a", word(i), 1'000));
  const auto suppressed = limiter.take_suppressed(9'000);
  REQUIRE(suppressed.size() == 1);
  CHECK(suppressed.front() == LineLimiter::Suppressed{"other lines", 100});
}

}  // namespace pgveil::log
