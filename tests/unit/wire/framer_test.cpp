#include "proxy/wire/framer.hpp"

#include <doctest/doctest.h>

#include <random>
#include <vector>

#include "common/assert.hpp"
#include "proxy/wire/codec.hpp"
#include "tests/unit/wire/samples.hpp"

using namespace pgveil;
using namespace pgveil::wire;

namespace {

std::string all_samples() {
  std::string bytes;
  for (const auto& message : samples::backend()) {
    std::visit([&](const auto& kind) { encode(kind, bytes); }, message);
  }
  return bytes;
}

// Feeds the bytes in chunks of the sizes that next_size() gives, each from memory that is gone afterwards.
template <class NextSize>
std::string through_framer(std::string_view bytes, NextSize next_size) {
  Framer framer(1000);
  std::string out;
  while (!bytes.empty()) {
    const std::vector<char> chunk(bytes.begin(),
                                  bytes.begin() + static_cast<std::ptrdiff_t>(next_size(bytes.size())));
    bytes.remove_prefix(chunk.size());
    framer.feed({chunk.data(), chunk.size()});
    for (auto frame = framer.peek(); frame && *frame; frame = framer.peek()) {
      CHECK((*frame)->whole.front() == (*frame)->tag);
      CHECK((*frame)->whole.substr(5) == (*frame)->body);
      out.append((*frame)->whole);
      framer.pop(**frame);
    }
    framer.keep();
  }
  CHECK(framer.size() == 0);
  return out;
}

}  // namespace

TEST_CASE("frames come out the same whatever the chunks") {
  const std::string bytes = all_samples();
  CHECK(through_framer(bytes, [](std::size_t left) { return left; }) == bytes);
  CHECK(through_framer(bytes, [](std::size_t) { return std::size_t{1}; }) == bytes);
  std::mt19937 random(7);
  for (int round = 0; round < 50; ++round) {
    const auto chunk = [&](std::size_t left) { return 1 + random() % std::min<std::size_t>(left, 40); };
    CHECK(through_framer(bytes, chunk) == bytes);
  }
}

TEST_CASE("a frame that is asked for twice is the same until it is popped") {
  Framer framer(100);
  framer.feed(std::string_view("S\0\0\0\4H\0\0\0\4", 10));
  CHECK((*framer.peek())->tag == 'S');
  CHECK((*framer.peek())->tag == 'S');
  framer.pop(**framer.peek());
  CHECK((*framer.peek())->tag == 'H');
  CHECK(framer.size() == 5);
}

TEST_CASE("a frame that does not come next can't be popped") {
  Framer framer(100);
  const std::string other("S\0\0\0\4", 5);
  framer.feed(std::string_view("S\0\0\0\4", 5));
  CHECK_THROWS_AS(framer.pop(FrameView{.tag = 'S', .body = {}, .whole = other}), Bug);
}

TEST_CASE("a length that can't be is refused as soon as it is there") {
  struct Row {
    const char* name;
    std::string_view header;
    bool is_good;
  };
  using namespace std::string_view_literals;
  const Row rows[] = {{"empty body", "S\0\0\0\4"sv, true},
                      {"shorter than itself", "S\0\0\0\3"sv, false},
                      {"zero", "S\0\0\0\0"sv, false},
                      {"negative", "S\xff\xff\xff\xff"sv, false},
                      {"at the limit", "Q\0\0\0\x0e"sv, true},
                      {"above the limit", "Q\0\0\0\x0f"sv, false},
                      {"as large as can be", "Q\x7f\xff\xff\xff"sv, false}};
  for (const Row& row : rows) {
    CAPTURE(row.name);
    Framer framer(10);
    framer.feed(row.header);
    const auto frame = framer.peek();
    CHECK(frame.has_value() == row.is_good);
    if (!frame) CHECK(frame.error().sqlstate == "08P01");
  }
}

TEST_CASE("start-up packets have no tag") {
  Framer framer(8);
  framer.feed(std::string_view("\0\0\0\x8\4\xd2\x16\x2f", 8));
  const auto packet = framer.peek_startup();
  REQUIRE(packet.has_value());
  REQUIRE(packet->has_value());
  CHECK((*packet)->tag == '\0');
  CHECK((*packet)->body.size() == 4);
  framer.pop(**packet);
  framer.keep();
  framer.feed(std::string_view("\0\0\0\x0d", 4));
  CHECK_FALSE(framer.peek_startup().has_value());
  framer.set_limit(9);
  CHECK(framer.peek_startup().has_value());
}
