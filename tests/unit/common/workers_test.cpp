#include "common/workers.hpp"

#include <doctest/doctest.h>

#include <atomic>
#include <stdexcept>
#include <vector>

#include "common/assert.hpp"

namespace pgveil {
namespace {

TEST_CASE("each part is done once, again and again, whatever their number") {
  for (const std::size_t threads : {1, 2, 8}) {
    Workers workers(threads);
    for (std::size_t round = 0; round < 200; ++round) {
      const std::size_t parts = round % 12;
      std::vector<std::atomic<int>> done(12);
      workers.run(parts, [&](std::size_t part) { ++done[part]; });
      for (std::size_t part = 0; part < done.size(); ++part) REQUIRE(done[part] == (part < parts ? 1 : 0));
    }
  }
}

TEST_CASE("what a part throws is thrown to the caller, and the workers go on") {
  Workers workers(3);
  const auto fail = [](std::size_t part) {
    if (part == 2) throw std::runtime_error("two");
  };
  CHECK_THROWS_WITH(workers.run(3, fail), "two");
  std::atomic<int> done = 0;
  workers.run(3, [&](std::size_t) { ++done; });
  CHECK(done == 3);
}

TEST_CASE("no thread at all is a bug") {
  CHECK_THROWS_AS(Workers(0), Bug);
}

}  // namespace
}  // namespace pgveil
