// The models of the whole table: by hand; against the definitions on random tables; all searches against
// brute force; and the second implementation against the first.
#include <fmt/ranges.h>

#include "engine/privacy/risk_test.hpp"
#include "engine/publish/evaluation.hpp"
#include "engine/publish/publication.hpp"
#include "engine/recount/table_risks.hpp"

#include "random_sensitive.hpp"

namespace pgveil::engine::risk_models_test {

using namespace pgveil::engine::test;

namespace {

std::uint64_t gone(const RiskModel& model, const SizeHistogram& sizes) {
  Anonymity anonymity;
  anonymity.risks = {model};
  return RiskTest(anonymity).classes_to_suppress(sizes);
}

// Three records alone, a pair, a class of five.
const SizeHistogram kFive = {{1, 3}, {2, 1}, {5, 1}};

std::string text_of(const SearchResult& result) {
  if (!result.optimum) return "none";
  return fmt::format("{} {} {}", fmt::join(result.optimum->levels, ","), result.optimum->score.value(),
                     result.optimum->summary.suppressed_rows);
}

// Without the last digits, which depend on the order in which entropies are summed.
std::string rough_text_of(const SearchResult& result) {
  if (!result.optimum) return "none";
  return fmt::format("{:.8g} {}", result.optimum->score.value(), result.optimum->summary.suppressed_rows);
}

struct RiskCase {
  SensitiveTable made;
  PreparedTable table;
  SearchOptions options;
};

// Half of them have models of values too.
RiskCase random_case(std::uint64_t seed) {
  auto made = sensitive_table(seed);
  auto table = value_of(prepare(made.random.table, made.random.columns, made.privacy));
  std::mt19937_64 generator(seed * 31);
  SearchOptions options;
  options.anonymity = random_anonymity(generator, table);
  if (generator() % 2 == 0) options.anonymity.sensitive.clear();
  if (generator() % 2 == 0) options.anonymity.k = 1;
  options.anonymity.risks = random_risks(generator, table.rows);
  options.quality.metric = static_cast<Metric>(generator() % kMetrics);
  options.quality.gs = static_cast<double>(generator() % 5) / 4;
  return {std::move(made), std::move(table), std::move(options)};
}

constexpr Algorithm kProving[] = {Algorithm::flash,       Algorithm::ola,           Algorithm::incognito,
                                  Algorithm::depth_first, Algorithm::breadth_first, Algorithm::best_first};

Table shuffled(const Table& table, std::uint64_t seed) {
  std::vector<std::size_t> order(table.rows());
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
  std::mt19937_64 generator(seed);
  std::ranges::shuffle(order, generator);
  Table made;
  for (const auto& column : table.columns) {
    std::vector<std::string> cells;
    for (const auto row : order) cells.push_back(column.values[column.codes.at(row)]);
    made.columns.push_back(column_of(column.name, cells));
  }
  return made;
}

std::string cell(const PublishedColumn& column, std::size_t row) {
  return column.codes[row] == kNullCode ? std::string("NULL") : column.values[column.codes[row]];
}

PublicationOptions options_of(const Table& table, const Anonymity& anonymity,
                              SuppressedRecords suppressed_records) {
  PublicationOptions made;
  for (const auto& column : table.columns) made.columns.push_back(column.name);
  made.anonymity = anonymity;
  made.suppressed_records = suppressed_records;
  return made;
}

}  // namespace

TEST_CASE("average risk: classes by records; the smallest go until the rest keeps it") {
  CHECK(gone(AverageRisk{0.5}, kFive) == 0);   // 5 ÷ 10
  CHECK(gone(AverageRisk{0.45}, kFive) == 1);  // 4 ÷ 9
  CHECK(gone(AverageRisk{0.44}, kFive) == 2);  // 3 ÷ 8
  CHECK(gone(AverageRisk{0.3}, kFive) == 3);   // 2 ÷ 7
  CHECK(gone(AverageRisk{0.2}, kFive) == 4);   // 1 ÷ 5
  CHECK(gone(AverageRisk{0.19}, kFive) == 5);  // nothing is left
  CHECK(records_of_smallest(kFive, 4) == 5);
}

TEST_CASE("sample uniqueness: records alone by records") {
  CHECK(gone(UniquenessInSample{0.3}, kFive) == 0);   // 3 ÷ 10
  CHECK(gone(UniquenessInSample{0.29}, kFive) == 1);  // 2 ÷ 9
  CHECK(gone(UniquenessInSample{0.2}, kFive) == 2);   // 1 ÷ 8
  CHECK(gone(UniquenessInSample{0}, kFive) == 3);
}

TEST_CASE(
    "population uniqueness by Zayatz: 7 ÷ 22 of eight people, as population_uniqueness_test.cpp has it") {
  const SizeHistogram sizes = {{1, 2}, {2, 1}};
  CHECK(gone(UniquenessInPopulation{0.32, 8, Estimator::zayatz}, sizes) == 0);
  // One alone and a pair of eight: h(1) = 3/8, h(2) = 2·15/56; 1·(h(1) ÷ (h(1) + h(2))) ÷ 3 = 0.137.
  CHECK(gone(UniquenessInPopulation{0.31, 8, Estimator::zayatz}, sizes) == 1);
  CHECK(gone(UniquenessInPopulation{0.136, 8, Estimator::zayatz}, sizes) == 2);
  CHECK(uniqueness_in_population(sizes, 8, Estimator::zayatz) == doctest::Approx(7.0 / 22));
  // Everybody differs: Pitman has nothing to tell its parameters by, and keeps nothing.
  CHECK(gone(UniquenessInPopulation{1, 80, Estimator::pitman}, {{1, 5}}) == 5);
}

TEST_CASE("population uniqueness is not inherited: larger classes make those alone look rarer") {
  const auto share = [](const SizeHistogram& sizes) {
    return value_of(estimate_uniqueness(sizes, 100)).zayatz;
  };
  CHECK(share({{1, 2}, {8, 1}}) > share({{1, 2}, {4, 2}}));
}

TEST_CASE("the highest risk is a size of classes") {
  Anonymity anonymity{1};
  for (const auto& [most, k] : std::vector<std::pair<double, std::uint64_t>>{
           {1, 1}, {0.5, 2}, {0.34, 3}, {1.0 / 3, 3}, {0.2, 5}, {0.199, 6}, {0.01, 100}}) {
    CAPTURE(most);
    anonymity.risks = {HighestRisk{most}};
    CHECK(smallest_class(anonymity) == k);
  }
  CHECK(is_inherited({1, 5, {}, {}, {}, {HighestRisk{0.2}, AverageRisk{0.1}, UniquenessInSample{0.1}}}));
  CHECK_FALSE(is_inherited({1, 0, {}, {}, {}, {UniquenessInPopulation{0.1, 100, Estimator::zayatz}}}));
}

TEST_CASE("risks that can't be are refused, each with what to do") {
  const auto made = sensitive_table(1);
  const auto table = value_of(prepare(made.random.table, made.random.columns, {}));
  const auto refused = [&](const RiskModel& model) {
    SearchOptions options;
    options.anonymity = {1, 0, {}, {}, {}, {model}};
    const auto result = search(table, options);
    return result.has_error() && !result.error().hint.empty();
  };
  CHECK_FALSE(refused(AverageRisk{1}));
  CHECK(refused(HighestRisk{0}));
  CHECK(refused(HighestRisk{1.1}));
  CHECK(refused(AverageRisk{std::nan("")}));
  CHECK(refused(UniquenessInSample{-0.1}));
  CHECK(refused(UniquenessInPopulation{1.1, 1000, Estimator::dankar}));
  CHECK(refused(UniquenessInPopulation{0.1, 0, Estimator::dankar}));
  CHECK(refused(UniquenessInPopulation{0.1, 1e13, Estimator::dankar}));
  CHECK(refused(UniquenessInPopulation{0.1, static_cast<double>(table.rows) - 1, Estimator::dankar}));
}

TEST_CASE("of classes of one size the first by their texts go, whatever the order of the rows") {
  for (const std::string_view rows : {"q\nd\nc\nb\na\ne\ne\ne\n", "q\ne\na\ne\nb\nc\ne\nd\n"}) {
    const auto table = value_of(read_table(rows, ';'));
    const std::vector<QuasiIdentifier> columns = {quasi_identifier("q", "a;*\nb;*\nc;*\nd;*\ne;*\n")};
    const auto prepared = value_of(prepare(table, columns));
    // 5 ÷ 7, 4 ÷ 6, 3 ÷ 5: two of the four go.
    const Anonymity anonymity{1, 2, {}, {}, {}, {AverageRisk{0.6}}};
    const auto made = value_of(publish(table, prepared, std::vector<unsigned>{0},
                                       options_of(table, anonymity, SuppressedRecords::keep)));
    CHECK(made.suppressed_rows == 2);
    std::multiset<std::string> shown;
    for (std::size_t row = 0; row < made.rows; ++row) shown.insert(cell(made.columns[0], row));
    CHECK(shown == std::multiset<std::string>{"*", "*", "c", "d", "e", "e", "e"});
    // With the two of * the average is 4 ÷ 7: kept, so nothing is dropped.
    CHECK(value_of(publish(table, prepared, std::vector<unsigned>{0},
                           options_of(table, anonymity, SuppressedRecords::keep_or_drop)))
              .dropped_rows == 0);
    const Anonymity stricter{
        1, 4, {}, {}, {}, {AverageRisk{0.34}}};  // only e is left: 1 ÷ 3; with the four of *: 2 ÷ 7
    CHECK(value_of(publish(table, prepared, std::vector<unsigned>{0},
                           options_of(table, stricter, SuppressedRecords::keep_or_drop)))
              .dropped_rows == 0);
  }
}

TEST_CASE("rows that show only stars are dropped where they make the average worse") {
  // Five alike, one alone: 2 ÷ 6 is above 0.25, so it goes; as * it would still be one more class.
  const auto table = value_of(read_table("q\na\nb\nb\nb\nb\nb\n", ';'));
  const std::vector<QuasiIdentifier> columns = {quasi_identifier("q", "a;*\nb;*\n")};
  const auto prepared = value_of(prepare(table, columns));
  const Anonymity anonymity{1, 1, {}, {}, {}, {AverageRisk{0.25}}};
  const auto made = value_of(publish(table, prepared, std::vector<unsigned>{0},
                                     options_of(table, anonymity, SuppressedRecords::keep_or_drop)));
  CHECK(made.dropped_rows == 1);
  CHECK(made.rows == 5);
}

TEST_CASE("every check finds what the definitions of risks say") {
  std::uint64_t anonymous = 0, compared = 0;
  for (std::uint64_t seed = 1; seed <= 200; ++seed) {
    CAPTURE(seed);
    const auto it = random_case(seed);
    std::mt19937_64 generator(seed);
    CheckerOptions options;
    options.anonymity = it.options.anonymity;
    options.history = {
        .share_of_rows = 2, .share_of_source = 1, .bytes = std::size_t{1} << (4 + generator() % 10)};
    Checker checker(it.table, options);
    for (int step = 0; step < 8; ++step) {
      std::vector<unsigned> levels;
      for (const auto& column : it.made.random.columns)
        levels.push_back(static_cast<unsigned>(generator() % column.hierarchy.rows.front().size()));
      const auto summary = checker.check(it.table.from_given(levels));
      checker.keep_snapshot([](const Transformation&) { return false; });
      const auto expected = naive_check(it.made, levels, options.anonymity);
      REQUIRE(summary.classes == expected.classes);
      REQUIRE(summary.is_anonymous == expected.is_anonymous);
      if (expected.is_anonymous) REQUIRE(summary.suppressed_rows == expected.suppressed);
      anonymous += expected.is_anonymous ? 1 : 0;
      ++compared;
    }
  }
  CHECK(anonymous * 10 > compared);
  CHECK(anonymous * 10 < compared * 9);
}

TEST_CASE("what stays suppressed under risks does so in every specialization, and inherited ones are") {
  std::uint64_t predicted = 0, inherited = 0;
  for (std::uint64_t seed = 1; seed <= 120; ++seed) {
    CAPTURE(seed);
    const auto it = random_case(seed);
    const auto& anonymity = it.options.anonymity;
    Checker checker(it.table, {anonymity, {}, {}, {}, {}});
    std::vector<std::pair<Transformation, Summary>> all;
    for (unsigned sum = 0; sum <= it.table.lattice.top.level_sum(); ++sum) {
      LevelWalk walk(it.table.lattice.bottom, it.table.lattice.top, it.table.lattice.attributes, sum);
      while (walk.next()) all.emplace_back(walk.current(), checker.check(walk.current()));
    }
    for (const auto& [general, above] : all) {
      const bool is_out = above.stays_suppressed > anonymity.suppression_limit;
      if (is_out) CHECK_FALSE(above.is_anonymous);
      if (is_inherited(anonymity)) REQUIRE(is_out == !above.is_anonymous);
      for (const auto& [special, below] : all) {
        if (!generalizes(general, special)) continue;
        if (is_out) {
          REQUIRE_FALSE(below.is_anonymous);
          ++predicted;
        } else if (below.is_anonymous) {
          REQUIRE(below.suppressed_rows >= above.stays_suppressed);
        }
        if (!is_inherited(anonymity) || !below.is_anonymous) continue;
        REQUIRE(above.is_anonymous);
        ++inherited;
      }
    }
  }
  CHECK(predicted > 1000);
  CHECK(inherited > 1000);
}

TEST_CASE("all algorithms find what brute force finds under risks, whatever the order of the rows") {
  std::uint64_t found = 0, not_inherited = 0;
  for (std::uint64_t seed = 1; seed <= 240; ++seed) {
    CAPTURE(seed);
    auto it = random_case(seed);
    auto& options = it.options;
    CAPTURE(name(options.quality.metric));
    options.algorithm = Algorithm::brute_force;
    const auto expected = value_of(search(it.table, options));
    found += expected.optimum ? 1 : 0;
    not_inherited += is_inherited(options.anonymity) ? 0 : 1;
    options.history.bytes = std::size_t{1} << (6 + seed % 10);
    for (const auto algorithm : kProving) {
      CAPTURE(name(algorithm));
      for (const auto pruning : {Pruning::none, Pruning::bounds}) {
        options.algorithm = algorithm;
        options.pruning = pruning;
        const auto result = value_of(search(it.table, options));
        REQUIRE(text_of(result) == text_of(expected));
        CHECK(result.is_proven);
      }
    }
    if (!it.made.privacy.subset.empty()) continue;
    const auto other = shuffled(it.made.random.table, seed);
    const auto again = value_of(prepare(other, it.made.random.columns, it.made.privacy));
    options.algorithm = Algorithm::best_first;
    REQUIRE(rough_text_of(value_of(search(again, options))) == rough_text_of(expected));
  }
  CHECK(found > 80);
  CHECK(not_inherited > 60);
}

TEST_CASE("what is published under risks keeps them by the second implementation, stars and all") {
  std::uint64_t published = 0, dropped = 0;
  for (std::uint64_t seed = 1; seed <= 300; ++seed) {
    CAPTURE(seed);
    const auto it = random_case(seed);
    const auto result = value_of(search(it.table, it.options));
    if (!result.optimum) continue;
    const auto& table = it.made.random.table;
    const auto made = publish(table, it.table, result.optimum->levels,
                              options_of(table, it.options.anonymity, SuppressedRecords::keep_or_drop));
    if (made.has_error()) {
      CHECK(made.error().public_message == "every record would be dropped");
      continue;
    }
    ++published;
    dropped += made->dropped_rows > 0 ? 1 : 0;
    REQUIRE(made->suppressed_rows == result.optimum->summary.suppressed_rows);
    std::map<std::vector<std::string>, std::uint64_t> classes;
    for (std::size_t row = 0; row < made->rows; ++row) {
      std::vector<std::string> key;
      for (const auto& column : made->columns)
        if (column.is_quasi_identifier) key.push_back(cell(column, row));
      ++classes[key];
    }
    CountedSizes sizes;
    for (const auto& [key, count] : classes) ++sizes[count];
    for (const auto& risk : it.options.anonymity.risks) {
      CAPTURE(describe(risk));
      CHECK(keeps_risk(sizes, risk));
    }
  }
  CHECK(published > 100);
  CHECK(dropped > 5);
}

TEST_CASE("both implementations estimate alike") {
  std::mt19937_64 generator(3);
  std::uint64_t snb = 0, pitman = 0;
  for (int round = 0; round < 150; ++round) {
    CountedSizes sizes;
    const double spread = 1 + static_cast<double>(generator() % 40) / 10;
    for (std::size_t i = 0; i < 50 + generator() % 400; ++i) {
      const double at = static_cast<double>(generator() % 10'000 + 1) / 10'000;
      ++sizes[static_cast<std::uint64_t>(std::min(400.0, std::pow(at, -1 / spread)))];
    }
    double records = 0;
    for (const auto& [size, classes] : sizes) records += static_cast<double>(size * classes);
    const double population = std::floor(records * (1.5 + static_cast<double>(generator() % 100)));
    CAPTURE(round);
    CAPTURE(population);
    const auto first = value_of(estimate_uniqueness(sizes, population));
    const auto again = [&](Estimator estimator) {
      return uniqueness_in_population(sizes, population, estimator);
    };
    CHECK(again(Estimator::zayatz) == doctest::Approx(first.zayatz).epsilon(1e-6));
    const auto compare = [](std::optional<double> one, std::optional<double> other) {
      if (one && other) CHECK(*other == doctest::Approx(*one).epsilon(1e-3));
      return one && other;
    };
    snb += compare(first.snb, again(Estimator::snb)) ? 1 : 0;
    pitman += compare(first.pitman, again(Estimator::pitman)) ? 1 : 0;
    CHECK(first.snb.has_value() == again(Estimator::snb).has_value());
    CHECK(first.pitman.has_value() == again(Estimator::pitman).has_value());
  }
  CHECK(snb > 20);
  CHECK(pitman > 50);
}

}  // namespace pgveil::engine::risk_models_test
