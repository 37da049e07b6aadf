#include "proxy/net/write_queue.hpp"

#include <doctest/doctest.h>

#include <random>

namespace pgveil::net {
namespace {

std::string text_of(std::span<const boost::asio::const_buffer> buffers, std::size_t limit) {
  std::string text;
  for (const auto& buffer : buffers) text.append(static_cast<const char*>(buffer.data()), buffer.size());
  return text.substr(0, limit);
}

}  // namespace

TEST_CASE("whatever the kernel takes at a time, the bytes leave in order") {
  std::mt19937 random(1);
  const auto upto = [&random](std::size_t limit) { return random() % limit + 1; };
  WriteQueue queue;
  std::string expected, written;
  for (int step = 0; step < 3'000; ++step) {
    if (step < 2'000) {
      const std::string piece(upto(step % 50 == 0 ? 40'000 : 300), static_cast<char>('a' + step % 26));
      expected += piece;
      queue.push(piece);
    }
    if (queue.is_empty()) continue;
    const auto front = queue.front();
    queue.push("!");  // while a write is under way: the lent memory stays where it is
    expected += "!";
    const std::string part = text_of(front, upto(60'000));
    written += part;
    queue.take(part.size());
    CHECK(queue.size_bytes() == expected.size() - written.size());
  }
  while (!queue.is_empty()) {
    const std::string part = text_of(queue.front(), 100'000);
    written += part;
    queue.take(part.size());
  }
  CHECK(written == expected);
}

TEST_CASE("small pieces are gathered, and an empty one is nothing") {
  WriteQueue queue;
  for (int i = 0; i < 100; ++i) queue.push("ab");
  queue.push("");
  CHECK(queue.size_bytes() == 200);
  CHECK(queue.front().size() == 1);
  queue.clear();
  CHECK(queue.is_empty());
  CHECK(queue.front().empty());
}

}  // namespace pgveil::net
