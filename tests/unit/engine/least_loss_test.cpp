// Least loss against recounts, and against all groupings of small tables.
#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <numeric>
#include <random>
#include <set>

#include "common/workers.hpp"
#include "engine/mondrian/least_loss.hpp"
#include "engine/privacy/class_test.hpp"
#include "random_tables.hpp"
#include "tables.hpp"

using namespace pgveil;
using namespace pgveil::engine;
using namespace pgveil::engine::test;

namespace {

struct Drawn {
  Table table;
  std::vector<Dimension> dimensions;
  std::vector<SensitiveValues> values;

  [[nodiscard]] std::vector<const CodeColumn*> columns() const {
    return {&table.columns[0].codes, &table.columns[1].codes, &table.columns[2].codes};
  }
  [[nodiscard]] std::vector<const CodeColumn*> sensitive() const { return {&table.columns[3].codes}; }
};

constexpr std::string_view kTowns =
    "Aber;north;*\nBree;north;*\nCork;south;*\nDell;south;*\nEdge;south;*\nFord;south;*\n";

// An age, a town of six, a letter without a hierarchy of its own, and a sensitive number.
Drawn draw(std::mt19937_64& random, std::size_t rows) {
  constexpr std::string_view kNames[] = {"Aber", "Bree", "Cork", "Dell", "Edge", "Ford"};
  std::string text = "age;town;letter;speed\n";
  for (std::size_t i = 0; i < rows; ++i)
    text += fmt::format("{};{};{};{}\n", 20 + random() % 50, kNames[random() % 6], "abcde"[random() % 5],
                        random() % 4);
  Drawn out{value_of(read_table(text, ';')), {}, {}};
  const auto& columns = out.table.columns;
  Hierarchy letters;
  for (const auto& value : columns[2].values) letters.rows.push_back({value});
  out.dimensions.push_back(value_of(numeric_dimension(columns[0], std::nullopt)));
  out.dimensions.push_back(
      value_of(categorical_dimension(columns[1], value_of(read_hierarchy(kTowns, ';')))));
  out.dimensions.push_back(value_of(categorical_dimension(columns[2], letters)));
  out.values.push_back(value_of(make_sensitive_values(columns[3], {"speed", SortedBy::number}, {})));
  return out;
}

Result<LeastLoss> form(const Drawn& drawn, LeastLossOptions options) {
  options.values = drawn.values;
  return lose_least(drawn.dimensions, drawn.columns(), drawn.sensitive(), options);
}

double gcp(const Drawn& drawn, const Groups& groups, Ranges ranges) {
  return quality_of(groups, drawn.dimensions, drawn.columns(), ranges).global_certainty_penalty;
}

Groups cut(const Drawn& drawn, const LeastLossOptions& options) {
  MondrianOptions cutting;
  cutting.k = options.k;
  cutting.models = options.models;
  cutting.values = drawn.values;
  return value_of(mondrian(drawn.dimensions, drawn.columns(), drawn.sensitive(), cutting));
}

// Counts the sensitive values of each group anew, and tests them by code that the search does not use.
bool keeps(const Drawn& drawn, const Groups& groups, const LeastLossOptions& options) {
  std::set<std::uint32_t> seen;
  for (std::size_t g = 0; g < groups.size(); ++g) {
    if (groups.size_of(g) < options.k) return false;
    std::vector<Code> codes;
    std::vector<std::uint64_t> counts(drawn.table.columns[3].values.size());
    for (auto i = groups.begin_of(g); i < groups.ends[g]; ++i) {
      if (!seen.insert(groups.records[i]).second) return false;
      ++counts[drawn.table.columns[3].codes.at(groups.records[i])];
    }
    const auto n = static_cast<double>(groups.size_of(g));
    double distance = 0;
    std::size_t distinct = 0;
    for (std::size_t code = 0; code < counts.size(); ++code) {
      const double p =
          static_cast<double>(drawn.values[0].in_table[code]) / static_cast<double>(drawn.values[0].total);
      distance += std::max(0.0, static_cast<double>(counts[code]) / n - p);
      distinct += counts[code] > 0 ? 1 : 0;
    }
    for (const auto& it : options.models) {
      if (const auto* close = std::get_if<TCloseness>(&it.model); close && distance > close->t + 1e-9)
        return false;
      if (const auto* diverse = std::get_if<DistinctDiversity>(&it.model);
          diverse && static_cast<double>(distinct) < diverse->l)
        return false;
    }
  }
  return seen.size() == drawn.table.rows();
}

// The least loss of all ways to put the records into groups of k or more.
double least_of_all(const Drawn& drawn, std::uint64_t k, Ranges ranges) {
  std::vector<std::vector<std::uint32_t>> open;
  double least = 1e9;
  const std::size_t rows = drawn.table.rows();
  const auto judge = [&] {
    if (std::ranges::any_of(open, [&](const auto& group) { return group.size() < k; })) return;
    Groups groups;
    for (const auto& group : open) {
      groups.records.insert(groups.records.end(), group.begin(), group.end());
      groups.ends.push_back(groups.records.size());
      for (std::size_t d = 0; d < drawn.dimensions.size(); ++d) {
        RankRange range{UINT32_MAX, 0};
        for (const auto record : group) {
          const Rank rank = drawn.dimensions[d].rank_of[drawn.columns()[d]->at(record)];
          range = {std::min(range.low, rank), std::max(range.high, rank)};
        }
        groups.tight.push_back(range);
      }
    }
    groups.boxes = groups.tight;
    least = std::min(least, gcp(drawn, groups, ranges));
  };
  const auto place = [&](auto&& self, std::uint32_t record) -> void {
    if (record == rows) return judge();
    for (std::size_t g = 0; g < open.size(); ++g) {
      open[g].push_back(record);
      self(self, record + 1);
      open[g].pop_back();
    }
    if ((open.size() + 1) * k > rows) return;
    open.push_back({record});
    self(self, record + 1);
    open.pop_back();
  };
  place(place, 0);
  return least;
}

}  // namespace

TEST_CASE("groups of least loss keep the models, and lose no more than Mondrian's") {
  std::mt19937_64 random(7);
  for (int round = 0; round < 60; ++round) {
    const Drawn drawn = draw(random, 20 + random() % 400);
    LeastLossOptions options;
    options.k = 1 + random() % 7;
    options.rounds = random() % 8;
    options.ranges = random() % 2 == 0 ? Ranges::sets : Ranges::tight;
    if (random() % 3 == 0) options.models.push_back({0, DistinctDiversity{2}});
    if (random() % 3 == 0) options.models.push_back({0, TCloseness{0.4, Distance::equal}});
    CAPTURE(round);
    const auto made = value_of(form(drawn, options));
    CHECK(keeps(drawn, made.groups, options));
    const double loss = gcp(drawn, made.groups, options.ranges);
    const Groups start = cut(drawn, options);
    CHECK(keeps(drawn, start, options));
    CHECK(loss <= gcp(drawn, start, options.ranges) + 1e-6);
    const auto bound =
        loss_bound(drawn.dimensions, drawn.columns(), made.groups, options.k, options.ranges, {});
    CHECK(bound.least <= loss);
    CHECK(!bound.is_estimated);
  }
}

TEST_CASE("small tables lose little more than the best of all groupings") {
  std::mt19937_64 random(11);
  double found = 0, best = 0;
  for (int round = 0; round < 40; ++round) {
    const Drawn drawn = draw(random, 6 + random() % 4);
    LeastLossOptions options;
    options.k = 2 + random() % 2;
    options.ranges = round % 2 == 0 ? Ranges::sets : Ranges::tight;
    const auto made = value_of(form(drawn, options));
    const double loss = gcp(drawn, made.groups, options.ranges);
    const double least = least_of_all(drawn, options.k, options.ranges);
    const auto bound =
        loss_bound(drawn.dimensions, drawn.columns(), made.groups, options.k, options.ranges, {});
    CAPTURE(round);
    CHECK(loss >= least - 1e-6);
    CHECK(bound.least <= least + 1e-6);
    found += loss;
    best += least;
  }
  CHECK(found <= 1.03 * best);
}

TEST_CASE("the groups do not depend on threads, and a second run makes them again") {
  std::mt19937_64 random(3);
  const Drawn drawn = draw(random, 3000);
  LeastLossOptions options;
  options.k = 4;
  options.rounds = 6;
  options.models = {{0, DistinctDiversity{2}}};
  const auto once = value_of(form(drawn, options));
  Workers workers(3);
  options.parallel = {3, [&workers](std::size_t parts, const auto& work) { workers.run(parts, work); }, 1};
  const auto again = value_of(form(drawn, options));
  CHECK(once.groups.records == again.groups.records);
  CHECK(once.groups.ends == again.groups.ends);
  CHECK(once.rounds == 6);
}

TEST_CASE("more rounds lose less, and a stop leaves the groups so far") {
  std::mt19937_64 random(5);
  const Drawn drawn = draw(random, 2000);
  LeastLossOptions options;
  options.k = 5;
  options.rounds = 0;
  const double without = gcp(drawn, value_of(form(drawn, options)).groups, Ranges::sets);
  options.rounds = 10;
  const auto made = value_of(form(drawn, options));
  CHECK(gcp(drawn, made.groups, Ranges::sets) < 0.97 * without);
  std::size_t done = 0;
  options.progress = [&](std::size_t round) { done = round; };
  options.is_stopped = [&] { return done >= 2; };
  const auto stopped = value_of(form(drawn, options));
  CHECK(stopped.rounds == 2);
  CHECK(stopped.is_stopped);
  CHECK_FALSE(made.is_stopped);
  options.rounds = 2;
  done = 0;
  CHECK_FALSE(value_of(form(drawn, options)).is_stopped);  // nothing would have followed
  options.is_stopped = {};
  options.is_aborted = [] { return true; };
  CHECK(form(drawn, options).error().kind == ErrorKind::usage);
}

TEST_CASE("groups keep the models wherever a stop comes, and a later stop loses no more") {
  std::mt19937_64 random(17);
  const Drawn drawn = draw(random, 600);
  LeastLossOptions options;
  options.k = 4;
  options.rounds = 3;
  options.models = {{0, DistinctDiversity{2}}, {0, TCloseness{0.5, Distance::equal}}};
  std::size_t asked = 0;
  options.is_stopped = [&] {
    ++asked;
    return false;
  };
  const auto whole = value_of(form(drawn, options));
  CHECK_FALSE(whole.is_stopped);
  const std::size_t all = asked;
  REQUIRE(all > 30);
  double before = 1;
  for (std::size_t last = 0; last < all; last += 1 + last / 8) {
    CAPTURE(last);
    asked = 0;
    options.is_stopped = [&] { return ++asked == last + 1; };  // and never again
    const auto made = value_of(form(drawn, options));
    CHECK(made.is_stopped);
    CHECK(made.rounds < 3);
    CHECK(keeps(drawn, made.groups, options));
    const double loss = gcp(drawn, made.groups, options.ranges);
    CHECK(loss <= before + 1e-6);
    before = loss;
    if (last == 0) CHECK(made.groups.size() == 1);  // nothing was cut
  }
  CHECK(gcp(drawn, whole.groups, options.ranges) <= before + 1e-6);
}

TEST_CASE("threads can be stopped as well, and so can the bound of the loss") {
  std::mt19937_64 random(19);
  const Drawn drawn = draw(random, 1500);
  LeastLossOptions options;
  options.k = 4;
  options.rounds = 6;
  Workers workers(3);
  options.parallel = {3, [&workers](std::size_t parts, const auto& work) { workers.run(parts, work); }, 1};
  std::atomic<int> asked{0};
  for (const int last : {0, 5, 100, 400}) {
    CAPTURE(last);
    asked = 0;
    options.is_stopped = [&] { return ++asked > last; };
    const auto made = value_of(form(drawn, options));
    CHECK(made.is_stopped);
    CHECK(keeps(drawn, made.groups, options));
    const auto bound_until = [&](int most) {
      asked = 0;
      return loss_bound(drawn.dimensions, drawn.columns(), made.groups, options.k, options.ranges,
                        options.parallel, [&asked, most] { return ++asked > most; });
    };
    for (const int most : {0, 20}) {
      const auto stopped = bound_until(most);
      CHECK(stopped.is_stopped);
      CHECK(stopped.least == 0);
    }
    CHECK_FALSE(bound_until(1'000'000).is_stopped);
    CHECK(bound_until(1'000'000).least > 0);
  }
}

TEST_CASE("a table that can't keep the models is refused") {
  std::mt19937_64 random(13);
  const Drawn drawn = draw(random, 30);
  LeastLossOptions options;
  options.k = 31;
  CHECK(form(drawn, options).error().kind == ErrorKind::policy);
  options.k = 2;
  options.models = {{0, DistinctDiversity{5}}};
  CHECK(form(drawn, options).error().public_message == "all records together do not keep the models");
}

TEST_CASE("many equal records lose nothing, and lend some to the others") {
  std::string text = "age;town\n";
  for (int i = 0; i < 40; ++i) text += "30;Aber\n";
  text += "31;Aber\n";
  const auto table = value_of(read_table(text, ';'));
  std::vector<Dimension> dimensions{
      value_of(numeric_dimension(table.columns[0], std::nullopt)),
      value_of(categorical_dimension(table.columns[1], value_of(read_hierarchy(kTowns, ';'))))};
  const std::vector<const CodeColumn*> columns{&table.columns[0].codes, &table.columns[1].codes};
  LeastLossOptions options;
  options.k = 5;
  const auto made = value_of(lose_least(dimensions, columns, {}, options));
  const auto quality = quality_of(made.groups, dimensions, columns, Ranges::sets);
  CHECK(quality.certainty_penalty == doctest::Approx(5));  // one group of five shows [30,31]
  const auto bound = loss_bound(dimensions, columns, made.groups, 5, Ranges::sets, {});
  CHECK(bound.least == doctest::Approx(1.0 / 82).epsilon(0.01));
}

TEST_CASE("sets are written as PostgreSQL writes arrays") {
  const auto table = value_of(read_table("c\nplain\n\"with,comma\"\n\"a \"\"b\"\"\"\nnull\n{x\n", ';'));
  Hierarchy rows;
  for (const auto& value : table.columns[0].values) rows.rows.push_back({value});
  rows.rows.push_back({"nobody's"});
  const auto dimension = value_of(categorical_dimension(table.columns[0], rows));
  CHECK(has_sets(dimension));
  CHECK(label_of_set(dimension, 1) == "plain");
  CHECK(label_of_set(dimension, 0b11111) == R"({plain,"with,comma","a \"b\"","null","{x"})");
  CHECK(certainty_penalty_of_set(dimension, 1) == 0);
  CHECK(certainty_penalty_of_set(dimension, 0b101) == doctest::Approx(2.0 / 6));
  const auto with_null = value_of(categorical_dimension(table.columns[0], rows, "null"));
  CHECK(label_of_set(with_null, 0b01001) == "{plain,NULL}");
  CHECK(label_of_set(with_null, 0b01000) == "null");
  rows.rows.pop_back();
  CHECK(label_of_set(value_of(categorical_dimension(table.columns[0], rows)), 0b11111) == "*");
}
