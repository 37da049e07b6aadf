// The sizes of all classes that a cluster has counted: how many must go, against a trial of each number, and
// bytes that are no sizes.
#include <doctest/doctest.h>

#include <cstring>
#include <random>
#include <string>
#include <vector>

#include "jobs/cluster/risk_frames.hpp"

namespace pgveil::app::risk_frames_test {

namespace {

std::string number(std::uint32_t value) {
  std::string out(4, '\0');
  for (unsigned i = 0; i < 4; ++i) out[i] = static_cast<char>(value >> (8 * i) & 0xFFU);
  return out;
}

std::string wide(std::uint64_t value) {
  return number(static_cast<std::uint32_t>(value)) + number(static_cast<std::uint32_t>(value >> 32U));
}

std::string bytes_of(const std::string& risks, bool is_recount, const engine::SizeHistogram& sizes) {
  const std::string header = R"({"sizes":)" + std::to_string(sizes.size()) + R"(,"is_recount":)" +
                             (is_recount ? "true" : "false") + R"(,"risks":[)" + risks + "]}";
  std::string counts, out = "PGVM" + number(2) + number(static_cast<std::uint32_t>(header.size())) + header;
  for (const auto& [size, classes] : sizes) {
    out += wide(size);
    counts += wide(classes);
  }
  return out + counts;
}

Result<RiskRequest> read(std::string_view left) {
  return read_risk_request([&left](char* to, std::size_t size) -> Result<std::size_t> {
    const auto now = std::min(size, left.size());
    std::memcpy(to, left.data(), now);
    left.remove_prefix(now);
    return now;
  });
}

std::string message(std::string_view bytes) {
  const auto made = read(bytes);
  return made ? "" : made.error().public_message;
}

bool has(const std::string& in, std::string_view what) {
  return in.find(what) != std::string::npos;
}

std::uint64_t to_suppress(const std::string& risks, bool is_recount, const engine::SizeHistogram& sizes) {
  const auto request = read(bytes_of(risks, is_recount, sizes));
  REQUIRE_MESSAGE(request.has_value(), request.error().public_message);
  return classes_to_suppress(*request);
}

// Whether the classes without some of the smallest keep an average risk and a share of single records.
bool is_kept(std::vector<std::uint64_t> ascending, std::size_t gone, double average, double unique) {
  double records = 0, singles = 0, classes = 0;
  for (std::size_t i = gone; i < ascending.size(); ++i) {
    records += static_cast<double>(ascending[i]);
    singles += ascending[i] == 1 ? 1 : 0;
    ++classes;
  }
  return records == 0 || (classes / records <= average && singles / records <= unique);
}

}  // namespace

TEST_CASE("the smallest classes go until a trial of the others keeps the risks, and the recount agrees") {
  std::mt19937 random(7);
  std::uint64_t most = 0;
  for (int round = 0; round < 60; ++round) {
    CAPTURE(round);
    engine::SizeHistogram sizes;
    for (int i = 0; i < 12; ++i) ++sizes[1 + random() % 6 * (random() % 3)];
    std::vector<std::uint64_t> ascending;
    for (const auto& [size, classes] : sizes) ascending.insert(ascending.end(), classes, size);
    std::size_t expected = 0;
    while (!is_kept(ascending, expected, 0.3123, 0.0317)) ++expected;
    const std::string risks = R"("average_risk 0.3123","sample_uniqueness 0.0317")";
    const auto found = to_suppress(risks, false, sizes);
    CHECK(found == expected);
    CHECK(to_suppress(risks, true, sizes) == (expected == 0 ? 0 : ascending.size()));
    most = std::max(most, found);
  }
  CHECK(most > 3);
}

TEST_CASE("an estimate of the population is a risk like another") {
  const engine::SizeHistogram sizes{{1, 50}, {2, 20}, {10, 30}};
  for (const bool is_recount : {false, true}) {
    CHECK(to_suppress(R"("population_uniqueness 1 1000")", is_recount, sizes) == 0);
    CHECK(to_suppress(R"("population_uniqueness 0.0001 1000")", is_recount, sizes) > 0);
  }
  CHECK(
      has(message(bytes_of(R"("population_uniqueness 1 100")", false, sizes)), "no sample of a population"));
}

TEST_CASE("bytes that are no sizes of classes are refused") {
  const auto whole = bytes_of(R"("average_risk 0.2")", false, {{1, 2}, {5, 3}});
  CHECK(message(whole) == "");
  for (std::size_t size = 0; size < whole.size(); ++size) {
    CAPTURE(size);
    CHECK(has(message(std::string_view(whole).substr(0, size)), "it ends too early"));
  }
  CHECK(has(message(whole + "x"), "something follows"));
  CHECK(has(message(bytes_of(R"("average_risk 0")", false, {{1, 2}})), "not what a worker is sent"));
  CHECK(has(message(bytes_of(R"("low_risk 1")", false, {{1, 2}})), "is no risk"));
  CHECK(has(message(bytes_of(R"("average_risk 0.2")", false, {{0, 2}})), "do not ascend"));
  CHECK(has(message(bytes_of(R"("average_risk 0.2")", false, {{2, 0}})), "no class of a size"));
  CHECK(has(message(bytes_of(R"("average_risk 0.2")", false, {{1, std::uint64_t{1} << 60U}})), "too many"));
  auto swapped = whole;
  swapped[swapped.size() - 32] = 9;
  CHECK(has(message(swapped), "do not ascend"));
}

TEST_CASE("an answer is one wide number") {
  std::string out;
  REQUIRE(write_risk_answer((std::uint64_t{3} << 32U) + 7, [&](std::string_view piece) -> Result<void> {
            out += piece;
            return {};
          }).has_value());
  CHECK(out == "PGVM" + number(2) + number(7) + number(3));
}

}  // namespace pgveil::app::risk_frames_test
