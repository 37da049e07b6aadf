// Mondrian against a second, naive implementation, and by hand.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <random>
#include <set>
#include <thread>

#include "common/workers.hpp"
#include "engine/mondrian/generalized.hpp"
#include "engine/mondrian/mondrian.hpp"
#include "tables.hpp"

using namespace pgveil;
using namespace pgveil::engine;
using namespace pgveil::engine::test;

namespace {

// Ages, countries in two continents, top speeds.
constexpr std::string_view kDrivers =
    "age;country;speed\n22;Italy;110\n24;Italy;120\n25;France;110\n31;France;130\n33;Spain;130\n38;Spain;"
    "140\n"
    "41;Canada;120\n44;Canada;150\n47;USA;150\n52;USA;120\n55;USA;160\n59;Mexico;160\n";
constexpr std::string_view kCountries =
    "Italy;Europe;*\nCanada;America;*\nFrance;Europe;*\nUSA;America;*\nSpain;Europe;*\nMexico;America;*\n";

struct Problem {
  Table table;
  std::vector<Dimension> dimensions;
  std::vector<std::string> sensitive;

  [[nodiscard]] std::vector<const CodeColumn*> columns() const {
    std::vector<const CodeColumn*> out;
    for (const Dimension& dimension : dimensions) out.push_back(&table.find(dimension.name)->codes);
    return out;
  }
  [[nodiscard]] Result<Groups> groups(MondrianOptions options) const {
    std::vector<const CodeColumn*> others;
    for (const auto& name : sensitive) others.push_back(&table.find(name)->codes);
    const std::vector<SensitiveValues> values(others.size());
    options.values = values;
    return mondrian(dimensions, columns(), others, options);
  }
};

Problem drivers() {
  Problem out{value_of(read_table(kDrivers, ';')), {}, {"speed"}};
  out.dimensions.push_back(value_of(numeric_dimension(*out.table.find("age"), std::nullopt)));
  out.dimensions.push_back(
      value_of(categorical_dimension(*out.table.find("country"), value_of(read_hierarchy(kCountries, ';')))));
  return out;
}

std::vector<std::string> shown(const Problem& problem, const Groups& groups, std::size_t dimension,
                               Ranges ranges) {
  const auto column = generalized(groups, problem.dimensions, problem.columns(), dimension, ranges);
  std::vector<std::string> out;
  for (std::size_t row = 0; row < column.codes.size(); ++row)
    out.push_back(column.values[column.codes.at(row)]);
  return out;
}

// ---- the second implementation: sets of records, everything counted anew.
struct Naive {
  const Problem& problem;
  const MondrianOptions& options;
  std::vector<std::vector<std::uint32_t>> groups = {};

  [[nodiscard]] Rank rank(std::uint32_t record, std::size_t dimension) const {
    const auto& at = problem.dimensions[dimension];
    return at.rank_of[problem.table.find(at.name)->codes.at(record)];
  }

  [[nodiscard]] bool is_allowed(const std::vector<std::uint32_t>& records) const {
    if (records.size() < options.k || records.empty()) return false;
    for (const auto& [column, model] : options.models) {
      std::map<Code, double> counts;
      for (const auto record : records)
        ++counts[problem.table.find(problem.sensitive[column])->codes.at(record)];
      const auto* entropy = std::get_if<EntropyDiversity>(&model);
      const double l = entropy != nullptr ? entropy->l : std::get<DistinctDiversity>(model).l;
      if (static_cast<double>(counts.size()) < l) return false;
      double sum = 0;
      for (const auto& [_, count] : counts) sum += count * std::log(count);
      const auto n = static_cast<double>(records.size());
      // Equal frequencies are as diverse as their number, whatever rounding makes of it.
      if (entropy != nullptr && std::log(n) - sum / n < std::log(l) - 1e-9) return false;
    }
    return true;
  }

  [[nodiscard]] double score(const std::vector<std::uint32_t>& records, std::size_t d) const {
    std::map<Rank, double> counts;
    for (const auto record : records) ++counts[rank(record, d)];
    const auto& dimension = problem.dimensions[d];
    const RankRange range{counts.begin()->first, counts.rbegin()->first};
    const auto n = static_cast<double>(records.size());
    double sum = 0;
    for (const auto& [_, count] : counts) sum += count * std::log(count);
    const double entropy = std::log(n) - sum / n;
    const double whole = span(dimension, {0, dimension.ranks() - 1});
    switch (options.cut_by) {
      case CutBy::entropy: return entropy;
      case CutBy::min_entropy: return -entropy;
      case CutBy::span: return span(dimension, range);
      case CutBy::normalized_span: return span(dimension, range) / (whole > 0 ? whole : 1);
    }
    return 0;
  }

  using Sides = std::pair<std::vector<std::uint32_t>, std::vector<std::uint32_t>>;

  [[nodiscard]] std::vector<Sides> cuts(std::vector<std::uint32_t> records, std::size_t d) const {
    std::ranges::stable_sort(records, {}, [&](std::uint32_t record) { return rank(record, d); });
    const Rank median = rank(records[(records.size() - 1) / 2], d);
    const auto split_at = [&](std::size_t count) {
      return Sides{{records.begin(), records.begin() + static_cast<std::ptrdiff_t>(count)},
                   {records.begin() + static_cast<std::ptrdiff_t>(count), records.end()}};
    };
    const auto below = [&](Rank limit) {
      return static_cast<std::size_t>(
          std::ranges::count_if(records, [&](std::uint32_t record) { return rank(record, d) < limit; }));
    };
    std::vector<Sides> out{split_at(below(median + 1)), split_at(below(median))};
    const auto imbalance = [](const Sides& sides) {
      return std::abs(static_cast<std::ptrdiff_t>(sides.first.size()) -
                      static_cast<std::ptrdiff_t>(sides.second.size()));
    };
    if (imbalance(out[1]) < imbalance(out[0])) std::swap(out[0], out[1]);
    if (options.cuts == Cuts::relaxed) out.insert(out.begin(), split_at(records.size() / 2));
    return out;
  }

  void run(std::vector<std::uint32_t> records) {
    std::vector<std::pair<double, std::size_t>> order;
    for (std::size_t d = 0; d < problem.dimensions.size(); ++d) order.emplace_back(-score(records, d), d);
    std::ranges::sort(order);
    for (const auto& [_, d] : order) {
      std::set<Rank> values;
      for (const auto record : records) values.insert(rank(record, d));
      if (values.size() < 2) continue;
      for (auto& [left, right] : cuts(records, d)) {
        if (!is_allowed(left) || !is_allowed(right)) continue;
        std::ranges::sort(left);
        std::ranges::sort(right);
        run(left);
        run(right);
        return;
      }
    }
    groups.push_back(std::move(records));
  }
};

std::vector<std::vector<std::uint32_t>> naive_groups(const Problem& problem, const MondrianOptions& options) {
  Naive naive{problem, options};
  std::vector<std::uint32_t> all(problem.table.rows());
  std::iota(all.begin(), all.end(), 0U);
  naive.run(all);
  return naive.groups;
}

std::vector<std::vector<std::uint32_t>> lists(const Groups& groups) {
  std::vector<std::vector<std::uint32_t>> out;
  for (std::size_t g = 0; g < groups.size(); ++g) {
    const auto begin = groups.records.begin() + static_cast<std::ptrdiff_t>(groups.begin_of(g));
    out.emplace_back(begin, begin + static_cast<std::ptrdiff_t>(groups.size_of(g)));
  }
  return out;
}

Problem random_problem(std::mt19937& random) {
  const auto pick = [&](unsigned count) { return static_cast<unsigned>(random() % count); };
  const unsigned ages = 1 + pick(12), zips = 1 + pick(200);
  std::string text = "age;country;zip;speed;mood\n";
  for (unsigned row = 0, rows = 1 + pick(80); row < rows; ++row) {
    const std::string countries[] = {"Italy", "France", "Spain", "Canada", "USA", "Mexico"};
    text += fmt::format("{};{};{};{};{}\n", pick(6) == 0 ? "" : std::to_string(pick(ages)),
                        countries[pick(6)], pick(zips) * 10, pick(4), pick(3));
  }
  Problem out{value_of(read_table(text, ';')), {}, {"speed", "mood"}};
  out.dimensions.push_back(value_of(numeric_dimension(*out.table.find("age"), "")));
  out.dimensions.push_back(
      value_of(categorical_dimension(*out.table.find("country"), value_of(read_hierarchy(kCountries, ';')))));
  out.dimensions.push_back(value_of(numeric_dimension(*out.table.find("zip"), std::nullopt)));
  return out;
}

}  // namespace

TEST_CASE("twelve drivers in groups of three with two speeds") {
  const Problem problem = drivers();
  MondrianOptions options;
  options.k = 3;
  options.models = {{0, DistinctDiversity{2}}};
  const auto groups = value_of(problem.groups(options));
  CHECK(lists(groups) ==
        std::vector<std::vector<std::uint32_t>>{{0, 1, 2}, {3, 4, 5}, {6, 7, 8}, {9, 10, 11}});
  CHECK(shown(problem, groups, 0, Ranges::tight) ==
        std::vector<std::string>{"[22,25]", "[22,25]", "[22,25]", "[31,38]", "[31,38]", "[31,38]", "[41,47]",
                                 "[41,47]", "[41,47]", "[52,59]", "[52,59]", "[52,59]"});
  CHECK(shown(problem, groups, 0, Ranges::region)[3] == "[31,38]");
  CHECK(shown(problem, groups, 1, Ranges::tight) ==
        std::vector<std::string>{"Europe", "Europe", "Europe", "Europe", "Europe", "Europe", "America",
                                 "America", "America", "America", "America", "America"});
  const auto quality = quality_of(groups, problem.dimensions, problem.columns(), Ranges::tight);
  CHECK(quality.groups == 4);
  CHECK(quality.smallest == 3);
  CHECK(quality.discernibility == 36);
  // Ages: spans 3, 7, 6, 7 of 37; countries: 3 of 6 leaves each time.
  CHECK(quality.certainty_penalty == doctest::Approx(3 * (23.0 / 37 + 4 * 0.5)));
  CHECK(quality.global_certainty_penalty == doctest::Approx(3 * (23.0 / 37 + 2) / 24));
}

TEST_CASE("the values of a dimension stand in the order that can be cut") {
  const auto table = value_of(read_table("n;c\n10;Mexico\n9;Italy\n-1.5;USA\n;Spain\n9.0;Canada\n", ';'));
  const auto numbers = value_of(numeric_dimension(*table.find("n"), ""));
  CHECK(numbers.values == std::vector<std::string>{"", "-1.5", "9", "10"});
  CHECK(numbers.null_rank == Rank{0});
  CHECK(label(numbers, {1, 3}) == "[-1.5,10]");
  CHECK(label(numbers, {0, 3}) == "*");
  CHECK(label(numbers, {0, 0}).empty());
  CHECK(certainty_penalty(numbers, {1, 2}) == doctest::Approx(10.5 / 11.5));
  CHECK(certainty_penalty(numbers, {0, 1}) == 1);
  CHECK(certainty_penalty(numbers, {2, 2}) == 0);
  const auto places =
      value_of(categorical_dimension(*table.find("c"), value_of(read_hierarchy(kCountries, ';'))));
  CHECK(places.values == std::vector<std::string>{"Italy", "Spain", "Canada", "USA", "Mexico"});
  CHECK(label(places, {0, 1}) == "Europe");
  CHECK(label(places, {1, 2}) == "*");
  CHECK(certainty_penalty(places, {0, 1}) == 0.5);
  CHECK(certainty_penalty(places, {1, 2}) == 1);
  CHECK(span(places, {1, 4}) == 3);
}

TEST_CASE("what is no number, and what no hierarchy lists, is named") {
  const auto table =
      value_of(read_table("n;c\n1;Italy\n1e3;Peru\nNaN;Italy\n0x10;USA\n1234567890123456;USA\n;USA\n", ';'));
  const auto numbers = numeric_dimension(*table.find("n"), std::nullopt);
  REQUIRE(!numbers);
  CHECK(numbers.error().public_message == "5 values of n are no numbers of at most 15 digits");
  CHECK(numbers.error().private_detail == "1e3, NaN, 0x10, 1234567890123456, ");
  const auto places = categorical_dimension(*table.find("c"), value_of(read_hierarchy(kCountries, ';')));
  REQUIRE(!places);
  CHECK(places.error().private_detail == "Peru");
}

TEST_CASE("all records together must have k and the diversity") {
  const Problem problem = drivers();
  MondrianOptions options;
  options.k = 13;
  CHECK(problem.groups(options).error().public_message == "12 records are fewer than k = 13");
  options.k = 2;
  options.models = {{0, DistinctDiversity{7}}};
  CHECK(problem.groups(options).error().kind == ErrorKind::policy);
  options.models = {{0, DistinctDiversity{6}}};
  CHECK(value_of(problem.groups(options)).size() == 1);
}

TEST_CASE("an attribute that allows no cut makes way for the next") {
  // Ages can't be cut: one value has all but one record. Countries can.
  const auto table =
      value_of(read_table("age;country;speed\n20;Italy;1\n20;Italy;2\n20;USA;1\n90;USA;2\n", ';'));
  Problem problem{table, {}, {"speed"}};
  problem.dimensions.push_back(value_of(numeric_dimension(*table.find("age"), std::nullopt)));
  problem.dimensions.push_back(
      value_of(categorical_dimension(*table.find("country"), value_of(read_hierarchy(kCountries, ';')))));
  MondrianOptions options;
  options.cut_by = CutBy::span;
  CHECK(lists(value_of(problem.groups(options))) == std::vector<std::vector<std::uint32_t>>{{0, 1}, {2, 3}});
  options.cuts = Cuts::relaxed;
  CHECK(lists(value_of(problem.groups(options))) == std::vector<std::vector<std::uint32_t>>{{0, 1}, {2, 3}});
}

TEST_CASE("groups are those of the naive implementation, for any number of threads") {
  std::mt19937 random(20240229);
  Workers workers(3);
  std::size_t compared = 0;
  for (int round = 0; round < 400; ++round) {
    const Problem problem = random_problem(random);
    MondrianOptions options;
    options.k = 1 + random() % 6;
    options.cut_by = static_cast<CutBy>(random() % 4);
    options.cuts = static_cast<Cuts>(random() % 2);
    if (random() % 2 == 0) {
      const std::size_t column = random() % 2;
      const bool is_entropy = random() % 2 == 1;
      const double l = 1 + static_cast<double>(random() % 3) / 2;
      options.models.push_back({column, is_entropy ? ValueModel(EntropyDiversity{l}) : DistinctDiversity{l}});
    }
    Naive root{problem, options};
    std::vector<std::uint32_t> all(problem.table.rows());
    std::iota(all.begin(), all.end(), 0U);
    const auto groups = problem.groups(options);
    CAPTURE(round);
    REQUIRE(groups.has_value() == root.is_allowed(all));
    if (!groups) continue;
    ++compared;
    CHECK(lists(*groups) == naive_groups(problem, options));
    options.parallel.threads = 3;
    options.parallel.least_rows = 1;
    options.parallel.run = [&](std::size_t parts, const auto& work) { workers.run(parts, work); };
    const auto again = value_of(problem.groups(options));
    CHECK(again.records == groups->records);
    CHECK(again.ends == groups->ends);
    CHECK(again.boxes == groups->boxes);
    for (std::size_t i = 0; i < groups->boxes.size(); ++i) {
      CHECK(groups->boxes[i].low <= groups->tight[i].low);
      CHECK(groups->tight[i].high <= groups->boxes[i].high);
    }
  }
  CHECK(compared > 200);
}

TEST_CASE("an aborted run gives nothing") {
  const Problem problem = drivers();
  MondrianOptions options;
  options.is_aborted = [] { return true; };
  CHECK(problem.groups(options).error().kind == ErrorKind::usage);
}

TEST_CASE("progress counts records until all are in groups") {
  const Problem problem = drivers();
  MondrianOptions options;
  std::vector<std::uint64_t> seen;
  options.progress = [&](std::uint64_t records) { seen.push_back(records); };
  const auto groups = value_of(problem.groups(options));
  CHECK(seen.size() == groups.size());
  CHECK(std::ranges::is_sorted(seen));
  CHECK(seen.back() == 12);
}
