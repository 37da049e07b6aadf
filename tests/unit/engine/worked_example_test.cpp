// Flash's worked example (Kohlmayer et al. 2012, section V-C), step by step, and the optima of its three
// metrics.
#include "tables.hpp"

using namespace pgveil::engine;
using namespace pgveil::engine::test;

namespace {

using Levels = std::vector<unsigned>;

SearchOptions two_anonymous(Metric metric) {
  SearchOptions options;
  options.anonymity.k = 2;
  options.quality.metric = metric;
  options.pruning = Pruning::none;
  options.record = Switch::on;
  return options;
}

}  // namespace

TEST_CASE("Flash checks the paths of the worked example in the paper's order") {
  const auto table = worked_example();
  const auto result = value_of(search(table, two_anonymous(Metric::discernibility_monotonic)));
  const std::vector<std::pair<Levels, bool>> steps = {
      // (0,0,0) … (0,0,5), (1,0,5), (2,0,5), (2,1,5), in binary fashion
      {{0, 0, 4}, false},
      {{1, 0, 5}, false},
      {{2, 0, 5}, true},
      // from (0,0,4), the smaller of the heap: (0,1,4), (0,1,5), (1,1,5)
      {{0, 1, 5}, false},
      {{1, 1, 5}, true},
      // the heap is empty; (0,1,0) is tagged, so (2,0,0) begins the next path: (2,0,0) … (2,0,4)
      {{2, 0, 2}, false},
      {{2, 0, 4}, true},
      {{2, 0, 3}, true},
      // from (2,0,2): its generalization (2,1,2), and what is below
      {{2, 1, 2}, true},
      // (1,1,0) … (1,1,4)
      {{1, 1, 2}, true},
      {{1, 1, 0}, false},
      {{1, 1, 1}, false},
      {{2, 1, 0}, false},
      {{2, 1, 1}, false}};
  REQUIRE(result.checked.size() == steps.size());
  for (std::size_t i = 0; i < steps.size(); ++i) {
    CAPTURE(i);
    CHECK(result.checked[i].levels == steps[i].first);
    CHECK(result.checked[i].is_anonymous == steps[i].second);
  }
}

TEST_CASE("the worked example's optimum depends on the metric as its scores say") {
  const auto table = worked_example();
  const struct {
    Metric metric;
    Levels optimum;
    double score;
  } cases[] = {{Metric::discernibility_monotonic, {1, 1, 2}, 17},
               {Metric::height, {1, 1, 2}, 4},
               {Metric::precision_monotonic, {2, 0, 3}, (1.0 + 0 + 0.6) / 3}};
  for (const auto& [metric, optimum, score] : cases) {
    CAPTURE(name(metric));
    for (const auto pruning : {Pruning::none, Pruning::bounds}) {
      auto options = two_anonymous(metric);
      options.pruning = pruning;
      const auto result = value_of(search(table, options));
      REQUIRE(result.optimum);
      CHECK(result.is_proven);
      CHECK(result.optimum->levels == optimum);
      CHECK(result.optimum->score.value() == doctest::Approx(score));
    }
  }
}

TEST_CASE("the minimal anonymous transformations of the worked example are (1,1,2) and (2,0,3)") {
  const auto table = worked_example();
  auto options = two_anonymous(Metric::discernibility_monotonic);
  options.algorithm = Algorithm::brute_force;
  const auto result = value_of(search(table, options));
  CHECK(result.checked.size() == 36);
  for (const auto& checked : result.checked) {
    CAPTURE(checked.levels[0]);
    CAPTURE(checked.levels[1]);
    CAPTURE(checked.levels[2]);
    const auto& l = checked.levels;
    const bool is_above = (l[0] >= 1 && l[1] >= 1 && l[2] >= 2) || (l[0] == 2 && l[2] >= 3);
    CHECK(checked.is_anonymous == is_above);
    if (l == Levels{1, 1, 2}) CHECK(*checked.score == 17);
    if (l == Levels{2, 0, 3}) CHECK(*checked.score == 25);
  }
}
