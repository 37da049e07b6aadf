#include "proxy/net/thread_group.hpp"

#include <doctest/doctest.h>

#include <atomic>

namespace pgveil::net {
namespace {

// Uses about `depth` kilobytes of stack.
int dig(int depth) {
  volatile char page[1024] = {};
  page[static_cast<std::size_t>(depth) % sizeof page] = 1;
  return depth == 0 ? 0 : dig(depth - 1) + page[static_cast<std::size_t>(depth) % sizeof page];
}

}  // namespace

TEST_CASE("threads have the stack that was asked for, and are joined") {
  std::atomic<int> dug = 0;
  {
    ThreadGroup threads;
    for (int i = 0; i < 2; ++i) {
      REQUIRE(threads.add("a name that is too long", std::size_t{256} << 20, [&dug] { dug += dig(50000); })
                  .has_value());
    }
  }
  CHECK(dug == 100'000);
}

TEST_CASE("a stack that can't be had is an error") {
  ThreadGroup threads;
  const auto added = threads.add("greedy", std::size_t{1} << 50, [] {});
  REQUIRE(added.has_error());
  CHECK(added.error().kind == ErrorKind::limit);
}

}  // namespace pgveil::net
