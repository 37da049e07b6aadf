#include <fmt/format.h>

#include <map>

#include "random_tables.hpp"

using namespace pgveil::engine;
using namespace pgveil::engine::test;

TEST_CASE("a search that can't be is refused") {
  const auto table = worked_example();
  const auto refused = [&](auto change) {
    SearchOptions options;
    change(options);
    return search(table, options).has_error();
  };
  CHECK_FALSE(refused([](SearchOptions&) {}));
  CHECK(refused([](SearchOptions& o) { o.anonymity.k = 0; }));
  CHECK(refused([](SearchOptions& o) { o.anonymity.k = 8; }));
  CHECK_FALSE(refused([](SearchOptions& o) { o.anonymity.k = 7; }));
  CHECK(refused([](SearchOptions& o) { o.quality.gs = 1.5; }));
  CHECK(refused([](SearchOptions& o) { o.quality.gs = std::nan(""); }));
  CHECK(refused([](SearchOptions& o) { o.quality.weights = {1, 1}; }));
  CHECK(refused([](SearchOptions& o) { o.quality.weights = {1, -1, 1}; }));
  CHECK(refused([](SearchOptions& o) { o.quality.weights = {0, 0, 0}; }));
  CHECK(refused([](SearchOptions& o) { o.min_levels = {1, 1}; }));
  CHECK(refused([](SearchOptions& o) { o.max_levels = {3, 1, 5}; }));
  CHECK(refused([](SearchOptions& o) {
    o.min_levels = {2, 1, 5};
    o.max_levels = {1, 1, 5};
  }));
}

TEST_CASE("restricted levels restrict the search") {
  const auto table = worked_example();
  SearchOptions options;
  options.anonymity.k = 2;
  options.quality.metric = Metric::discernibility_monotonic;
  options.min_levels = {0, 0, 0};
  options.max_levels = {2, 0, 5};
  auto result = value_of(search(table, options));
  REQUIRE(result.optimum);
  CHECK(result.optimum->levels == std::vector<unsigned>{2, 0, 3});
  CHECK(result.transformations == 18);
  options.max_levels = {1, 0, 5};
  result = value_of(search(table, options));
  CHECK_FALSE(result.optimum);
  CHECK(result.is_proven);
}

TEST_CASE("a stopped search gives the best so far and says that it is not proven") {
  const auto table = worked_example();
  SearchOptions whole;
  whole.algorithm = Algorithm::brute_force;
  whole.anonymity.k = 2;
  const auto expected = value_of(search(table, whole));
  for (const auto algorithm : {Algorithm::flash, Algorithm::ola, Algorithm::incognito, Algorithm::depth_first,
                               Algorithm::breadth_first, Algorithm::brute_force, Algorithm::best_first}) {
    CAPTURE(name(algorithm));
    for (std::uint64_t limit = 0; limit < 40; ++limit) {
      SearchOptions options;
      options.algorithm = algorithm;
      options.anonymity.k = 2;
      options.quality.metric = Metric::loss;
      std::uint64_t checks = 0;
      bool is_anything_found = false;
      options.stop = [&] { return checks == limit; };
      options.progress = [&](const Progress& progress) {
        ++checks;
        CHECK(progress.checks == checks);
        is_anything_found = progress.incumbent != nullptr;
      };
      const auto result = value_of(search(table, options));
      CHECK(result.counts.checks <= limit);
      CHECK(result.optimum.has_value() == is_anything_found);
      CHECK((result.is_proven || result.counts.checks == limit));
      if (result.is_proven) CHECK(result.optimum->levels == expected.optimum->levels);
    }
  }
}

TEST_CASE(
    "a lattice of more than 2^63 transformations is refused by what walks, and searched by the others") {
  const auto random = wide_table(32, 12, 40);  // 4^32 = 2^64
  const auto table = value_of(prepare(random.table, random.columns));
  for (std::size_t i = 0; i < kAlgorithms; ++i) {
    SearchOptions options;
    options.algorithm = static_cast<Algorithm>(i);
    CAPTURE(name(options.algorithm));
    options.anonymity = {2, 4};
    std::uint64_t checks = 0;
    double last = 0;
    options.progress = [&](const Progress& progress) {
      checks = progress.checks;
      CHECK(progress.lower_bound.value_or(0) >= last);
      last = progress.lower_bound.value_or(0);
    };
    options.stop = [&] { return checks == 3000; };
    const auto result = search(table, options);
    REQUIRE(result.has_error() == walks_the_lattice(options.algorithm));
    if (result.has_error()) {
      CHECK(result.error().public_message.find("2^63") != std::string::npos);
      continue;
    }
    CHECK_FALSE(result->transformations);
    REQUIRE(result->optimum);
    CHECK(*result->lower_bound <= result->optimum->score.value());
    options.max_levels.assign(32, 3);
    options.min_levels.assign(32, 0);
    options.min_levels[0] = 1;  // 3 · 4^31 < 2^63: not refused, and stopped in the middle of the walk
    options.stop = [&] { return true; };
    CHECK_FALSE(search(table, options).has_error());
  }
}

TEST_CASE("a search that is stopped while it only walks ends") {
  const auto random = wide_table(30, 12, 40);
  const auto table = value_of(prepare(random.table, random.columns));
  for (const auto algorithm :
       {Algorithm::flash, Algorithm::breadth_first, Algorithm::samarati, Algorithm::best_first}) {
    CAPTURE(name(algorithm));
    SearchOptions options;
    options.algorithm = algorithm;
    options.anonymity = {2, 0};
    std::size_t asked = 0;
    options.stop = [&] { return ++asked > 50; };
    const auto result = value_of(search(table, options));
    CHECK_FALSE(result.is_proven);
    CHECK(result.counts.checks <= 50);
  }
}

TEST_CASE("what is above an anonymous transformation may be better when records are suppressed") {
  // Five records; b alone is suppressed as it is, for a whole record, and stands with a for a fifth of ten
  // values else.
  const auto table = value_of(read_table("c\na\na\na\na\nb\n", ';'));
  std::string rows = "a;ab;*\nb;ab;*\n";
  for (const char value : std::string("defghijk")) rows += fmt::format("{};other;*\n", value);
  const std::vector<QuasiIdentifier> columns = {quasi_identifier("c", rows)};
  const auto prepared = value_of(prepare(table, columns));
  SearchOptions options;
  options.anonymity = {2, 1};
  options.quality.metric = Metric::loss;
  options.record = Switch::on;
  options.algorithm = Algorithm::brute_force;
  const auto all = value_of(search(prepared, options));
  REQUIRE(all.checked.size() == 3);
  // The minimal anonymous transformation, all that is left if anonymity prunes what is above, loses the
  // optimum.
  REQUIRE(all.checked[0].is_anonymous);
  REQUIRE(*all.checked[0].score == doctest::Approx(0.2));
  REQUIRE(*all.checked[1].score == doctest::Approx(1.0 / 9));
  for (std::size_t i = 0; i < kAlgorithms; ++i) {
    options.algorithm = static_cast<Algorithm>(i);
    if (is_heuristic(options.algorithm)) continue;
    CAPTURE(name(options.algorithm));
    const auto found = value_of(search(prepared, options));
    REQUIRE(found.optimum);
    CHECK(found.optimum->levels == std::vector<unsigned>{1});
  }
}

TEST_CASE("ties go to the lower sum of levels, then to the first in the order of names") {
  // Two columns that are each other's mirror: (0,1) and (1,0) score alike.
  const auto table = value_of(read_table("b;a\nx;p\ny;p\nx;q\ny;q\n", ';'));
  const std::vector<QuasiIdentifier> columns = {quasi_identifier("b", "x;*\ny;*\n"),
                                                quasi_identifier("a", "p;*\nq;*\n")};
  const auto prepared = value_of(prepare(table, columns));
  SearchOptions options;
  options.anonymity.k = 2;
  options.quality.metric = Metric::discernibility_monotonic;
  const auto result = value_of(search(prepared, options));
  REQUIRE(result.optimum);
  CHECK(result.optimum->levels == std::vector<unsigned>{1, 0});  // a stays as it is: (a, b) = (0, 1)
}
