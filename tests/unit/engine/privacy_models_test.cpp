// The models beside k-anonymity: by hand, one class each; then random tables against the definitions, and all
// searches against brute force under every combination.
#include <fmt/ranges.h>
#include "engine/check/checker.hpp"
#include "engine/privacy/class_test.hpp"
#include "engine/publish/publication.hpp"

#include "random_sensitive.hpp"

using namespace pgveil::engine;
using namespace pgveil::engine::test;

namespace {

// Occupations of the worked example: values 0, 1, 2, 3 as often as given.
std::vector<SensitiveValues> column_with(std::vector<std::uint64_t> in_table) {
  std::vector<std::string> cells;
  Hierarchy hierarchy;
  for (std::size_t v = 0; v < in_table.size(); ++v) {
    cells.insert(cells.end(), in_table[v], std::to_string(v));
    hierarchy.rows.push_back({std::to_string(v), v < 2 ? "low" : "high", "*"});
  }
  return {value_of(
      make_sensitive_values(column_of("s", cells), {"s", SortedBy::number, hierarchy, std::nullopt}, {}))};
}

ClassVerdict verdict(const ValueModel& model, const std::vector<std::uint64_t>& in_class,
                     const std::vector<std::uint64_t>& in_table) {
  const auto columns = column_with(in_table);
  Anonymity anonymity{1, 0, {{0, model}}};
  ClassTest test(anonymity, columns);
  std::vector<Code> codes;
  std::vector<std::uint64_t> counts;
  std::uint64_t records = 0;
  for (Code code = 0; code < in_class.size(); ++code) {
    if (in_class[code] == 0) continue;
    codes.push_back(code);
    counts.push_back(in_class[code]);
    records += in_class[code];
  }
  const std::vector<ClassView::Values> values{{codes, counts}};
  return test.test({records, records, values});
}

bool keeps(const ValueModel& model, const std::vector<std::uint64_t>& in_class,
           const std::vector<std::uint64_t>& in_table = {5, 5, 5, 5}) {
  return verdict(model, in_class, in_table).is_kept;
}

std::string text_of(const SearchResult& result) {
  if (!result.optimum) return "none";
  return fmt::format("{} {}", fmt::join(result.optimum->levels, ","), result.optimum->score.value());
}

SearchOptions random_options(std::mt19937_64& random, const PreparedTable& table) {
  SearchOptions options;
  options.anonymity = random_anonymity(random, table);
  options.quality.metric = static_cast<Metric>(random() % kMetrics);
  options.quality.gs = static_cast<double>(random() % 5) / 4;
  return options;
}

constexpr Algorithm kProving[] = {Algorithm::flash,       Algorithm::ola,           Algorithm::incognito,
                                  Algorithm::depth_first, Algorithm::breadth_first, Algorithm::best_first};

}  // namespace

TEST_CASE("distinct l-diversity counts values, a fraction rounded up") {
  CHECK(keeps(DistinctDiversity{2}, {1, 9, 0, 0}));
  CHECK_FALSE(keeps(DistinctDiversity{2}, {0, 9, 0, 0}));
  CHECK_FALSE(keeps(DistinctDiversity{2.1}, {1, 9, 0, 0}));
  CHECK(keeps(DistinctDiversity{2.1}, {1, 9, 1, 0}));
  CHECK(verdict(DistinctDiversity{3}, {4, 5, 0, 0}, {5, 5, 5, 5}).stays_suppressed == 9);
}

TEST_CASE("entropy l-diversity: 3 of 4 and 1 of 4 are as good as 1.7548 values") {
  CHECK(keeps(EntropyDiversity{2}, {3, 3, 0, 0}));
  // Two values are not enough for l = 1.75, whose least number of values is 2, but 1.76 is above e^H.
  CHECK(keeps(EntropyDiversity{1.75}, {3, 1, 0, 0}));
  CHECK_FALSE(keeps(EntropyDiversity{1.76}, {3, 1, 0, 0}));
  CHECK_FALSE(keeps(EntropyDiversity{2.5}, {9, 9, 0, 0}));
  // H = 0.5623, ln 2 = 0.6931: at least 4 · (1 − 0.8113) = 0.75 records, so 1.
  CHECK(verdict(EntropyDiversity{2}, {3, 1, 0, 0}, {5, 5, 5, 5}).stays_suppressed == 1);
}

TEST_CASE("recursive (c,l)-diversity is strict") {
  CHECK(keeps(RecursiveDiversity{2, 2}, {4, 2, 1, 0}));        // 4 < 2 · 3
  CHECK_FALSE(keeps(RecursiveDiversity{4, 3}, {4, 2, 1, 0}));  // 4 < 4 · 1 is false
  CHECK(keeps(RecursiveDiversity{4.5, 3}, {4, 2, 1, 0}));      // 4 < 4.5
  CHECK_FALSE(keeps(RecursiveDiversity{9, 4}, {4, 2, 1, 0}));  // three values
  // c · tail − f(1) = 1 · 3 − 5: at least 2 records.
  CHECK(verdict(RecursiveDiversity{1, 2}, {5, 2, 1, 0}, {5, 5, 5, 5}).stays_suppressed == 2);
}

TEST_CASE("t-closeness: equal, ordered and hierarchical distances of one class differ") {
  // q = ½, ½, 0, 0 against p = ¼ each. Equal: ½. Ordered: (¼ + ½ + ¼) ÷ 3 = ⅓. Hierarchical: within the pairs
  // nothing is moved, between them ½ at height 2 of 2: ½.
  CHECK(keeps(TCloseness{0.5, Distance::equal}, {2, 2, 0, 0}));
  CHECK_FALSE(keeps(TCloseness{0.49, Distance::equal}, {2, 2, 0, 0}));
  CHECK(keeps(TCloseness{0.334, Distance::ordered}, {2, 2, 0, 0}));
  CHECK_FALSE(keeps(TCloseness{0.333, Distance::ordered}, {2, 2, 0, 0}));
  CHECK(keeps(TCloseness{0.5, Distance::hierarchical}, {2, 2, 0, 0}));
  CHECK_FALSE(keeps(TCloseness{0.49, Distance::hierarchical}, {2, 2, 0, 0}));
  // ½, 0, ½, 0: both halves are moved within their pairs, at height 1 of 2: ¼.
  CHECK(keeps(TCloseness{0.25, Distance::hierarchical}, {2, 0, 2, 0}));
  CHECK_FALSE(keeps(TCloseness{0.24, Distance::hierarchical}, {2, 0, 2, 0}));
  CHECK_FALSE(keeps(TCloseness{0.49, Distance::equal}, {2, 0, 2, 0}));
  CHECK(keeps(TCloseness{0, Distance::equal}, {1, 1, 1, 1}));
  // n · (D − t) ÷ (1 − t) = 4 · ¼ ÷ ¾ = 1⅓.
  CHECK(verdict(TCloseness{0.25, Distance::equal}, {2, 2, 0, 0}, {5, 5, 5, 5}).stays_suppressed == 2);
}

TEST_CASE("β-likeness: the enhanced one lets frequent values gain less") {
  // p of value 0 is ½, q is ¾: (q − p) ÷ p = ½; −ln ½ = 0.69.
  const std::vector<std::uint64_t> table = {10, 4, 4, 2};
  CHECK(keeps(BetaLikeness{0.5, Likeness::basic}, {3, 1, 0, 0}, table));
  CHECK_FALSE(keeps(BetaLikeness{0.49, Likeness::basic}, {3, 1, 0, 0}, table));
  // q = 1: gain 1, β = 2, but −ln ½ < 1.
  CHECK(keeps(BetaLikeness{2, Likeness::basic}, {4, 0, 0, 0}, table));
  CHECK_FALSE(keeps(BetaLikeness{2, Likeness::enhanced}, {4, 0, 0, 0}, table));
}

TEST_CASE("δ-disclosure privacy looks at the values that the class has") {
  // q ÷ p = 2 for two of four: |log2| = 1, and it has to be less than δ.
  CHECK_FALSE(keeps(DeltaDisclosure{1}, {2, 2, 0, 0}));
  CHECK(keeps(DeltaDisclosure{1.01}, {2, 2, 0, 0}));
  CHECK(verdict(DeltaDisclosure{1}, {2, 2, 0, 0}, {5, 5, 5, 5}).stays_suppressed == 0);
}

TEST_CASE("δ-presence and k-map compare the subset's records with all") {
  const auto tested = [](Anonymity anonymity, std::uint64_t records, std::uint64_t population) {
    return ClassTest(anonymity, {}).test({records, population, {}});
  };
  const Anonymity presence{1, 0, {}, DeltaPresence{0.25, 0.5}};
  CHECK(tested(presence, 2, 4).is_kept);
  CHECK(tested(presence, 1, 4).is_kept);
  CHECK_FALSE(tested(presence, 3, 4).is_kept);
  CHECK_FALSE(tested(presence, 1, 5).is_kept);
  // (3 − ½ · 4) ÷ ½: of four with three in the subset two at least are suppressed.
  CHECK(tested(presence, 3, 4).stays_suppressed == 2);
  CHECK(tested(presence, 0, 5).stays_suppressed == ClassVerdict::kHopeless);
  CHECK(tested({1, 0, {}, DeltaPresence{0, 0.5}}, 0, 5).is_kept);
  const Anonymity map{1, 0, {}, {}, 4};
  CHECK(tested(map, 1, 4).is_kept);
  CHECK_FALSE(tested(map, 3, 3).is_kept);
}

TEST_CASE("models that can't be are refused, each with what to do") {
  const auto made = sensitive_table(1);
  auto privacy = made.privacy;
  privacy.sensitive.resize(1);
  privacy.sensitive.front().order.reset();
  privacy.sensitive.front().hierarchy.reset();
  privacy.subset.clear();
  const auto table = value_of(prepare(made.random.table, made.random.columns, privacy));
  const auto refused = [&](const SensitiveModel& model) {
    SearchOptions options;
    options.anonymity = {1, 0, {model}};
    const auto result = search(table, options);
    return result.has_error() && !result.error().hint.empty();
  };
  CHECK_FALSE(refused({0, DistinctDiversity{1}}));
  CHECK(refused({1, DistinctDiversity{2}}));  // there is one column
  CHECK(refused({0, DistinctDiversity{0.5}}));
  CHECK(refused({0, EntropyDiversity{std::nan("")}}));
  CHECK(refused({0, RecursiveDiversity{0, 2}}));
  CHECK(refused({0, RecursiveDiversity{1, 0}}));
  CHECK(refused({0, TCloseness{1.1, Distance::equal}}));
  CHECK(refused({0, TCloseness{0.1, Distance::ordered}}));
  CHECK(refused({0, TCloseness{0.1, Distance::hierarchical}}));
  CHECK(refused({0, BetaLikeness{0, Likeness::basic}}));
  CHECK(refused({0, DeltaDisclosure{-1}}));
  SearchOptions options;
  options.anonymity = {1, 0, {}, DeltaPresence{0, 0.5}};
  CHECK(search(table, options).has_error());
  options.anonymity = {1, 0, {}, {}, 3};
  CHECK(search(table, options).has_error());
}

TEST_CASE("columns that can't be sensitive are refused, each with what to do") {
  const auto made = sensitive_table(1);
  const auto refused = [&](const auto& change) {
    auto privacy = made.privacy;
    privacy.subset.clear();
    change(privacy);
    const auto result = prepare(made.random.table, made.random.columns, privacy);
    return result.has_error() && !result.error().hint.empty();
  };
  CHECK_FALSE(refused([](PrivacyColumns&) {}));
  CHECK(
      refused([&](PrivacyColumns& it) { it.sensitive.front().column = made.random.columns.front().column; }));
  CHECK(refused([](PrivacyColumns& it) { it.sensitive.push_back(it.sensitive.front()); }));
  CHECK(refused([](PrivacyColumns& it) { it.sensitive.front().column = "nowhere"; }));
  CHECK(refused([](PrivacyColumns& it) { it.sensitive.front().order = std::vector<std::string>{"0", "0"}; }));
  CHECK(refused([](PrivacyColumns& it) { it.sensitive.front().order = std::vector<std::string>{"9"}; }));
  CHECK(refused([&](PrivacyColumns& it) { it.subset.assign(made.random.table.rows(), 0); }));
  CHECK(refused([](PrivacyColumns& it) { it.sensitive.assign(32, it.sensitive.front()); }));
  const auto words = column_of("w", {"a", "b"});
  CHECK(make_sensitive_values(words, {"w", {}, Hierarchy{{{"a", "x"}, {"b", "y"}}}, {}}, {}).has_error());
  CHECK_FALSE(
      make_sensitive_values(words, {"w", {}, Hierarchy{{{"a", "*"}, {"b", "*"}}}, {}}, {}).has_error());
  CHECK(make_sensitive_values(words, {"w", SortedBy::number, {}, {}}, {}).has_error());
  CHECK_FALSE(make_sensitive_values(words, {"w", SortedBy::text, {}, {}}, {}).has_error());
  CHECK_FALSE(make_sensitive_values(column_of("n", {"10", "9", "?"}), {"n", SortedBy::number, {}, "?"}, {})
                  .has_error());
}

TEST_CASE("numbers are ordered as numbers, NULL first") {
  const auto values = value_of(
      make_sensitive_values(column_of("n", {"10", "9", "?", "-1.5"}), {"n", SortedBy::number, {}, "?"}, {}));
  CHECK(values.ascending == std::vector<Code>{2, 3, 1, 0});
}

TEST_CASE("every check finds what the definitions say, whatever it started from") {
  std::uint64_t anonymous = 0, compared = 0;
  for (std::uint64_t seed = 1; seed <= 200; ++seed) {
    CAPTURE(seed);
    const auto made = sensitive_table(seed);
    const auto table = value_of(prepare(made.random.table, made.random.columns, made.privacy));
    std::mt19937_64 generator(seed);
    CheckerOptions options;
    options.anonymity = random_anonymity(generator, table);
    options.optimizations = {static_cast<Switch>(seed & 1), static_cast<Switch>(seed >> 1 & 1),
                             static_cast<Switch>(seed >> 2 & 1)};
    options.history = {
        .share_of_rows = 2, .share_of_source = 1, .bytes = std::size_t{1} << (4 + generator() % 10)};
    Checker checker(table, options);
    for (int step = 0; step < 12; ++step) {
      std::vector<unsigned> levels;
      for (const auto& column : made.random.columns)
        levels.push_back(static_cast<unsigned>(generator() % column.hierarchy.rows.front().size()));
      const auto summary = checker.check(table.from_given(levels));
      checker.keep_snapshot([](const Transformation&) { return false; });
      const auto expected = naive_check(made, levels, options.anonymity);
      REQUIRE(summary.classes == expected.classes);
      REQUIRE(summary.squares == expected.squares);
      REQUIRE(summary.suppressed_rows == expected.suppressed);
      REQUIRE(summary.is_anonymous == expected.is_anonymous);
      anonymous += expected.is_anonymous ? 1 : 0;
      ++compared;
    }
  }
  CHECK(anonymous * 10 > compared);
  CHECK(anonymous * 10 < compared * 9);
}

TEST_CASE("what stays suppressed is suppressed in every specialization, and inherited models are") {
  std::uint64_t predicted = 0;
  for (std::uint64_t seed = 1; seed <= 150; ++seed) {
    CAPTURE(seed);
    const auto made = sensitive_table(seed);
    const auto table = value_of(prepare(made.random.table, made.random.columns, made.privacy));
    std::mt19937_64 generator(seed);
    const auto anonymity = random_anonymity(generator, table);
    Checker checker(table, {anonymity, {}, {}, {}, {}});
    std::vector<std::pair<Transformation, Summary>> all;
    for (unsigned sum = 0; sum <= table.lattice.top.level_sum(); ++sum) {
      LevelWalk walk(table.lattice.bottom, table.lattice.top, table.lattice.attributes, sum);
      while (walk.next()) all.emplace_back(walk.current(), checker.check(walk.current()));
    }
    for (const auto& [general, above] : all) {
      const bool is_out = above.stays_suppressed > anonymity.suppression_limit;
      if (is_out) CHECK_FALSE(above.is_anonymous);
      for (const auto& [special, below] : all) {
        if (!generalizes(general, special)) continue;
        if (is_out) {
          REQUIRE_FALSE(below.is_anonymous);
          ++predicted;
        } else {
          REQUIRE((below.stays_suppressed == ClassVerdict::kHopeless ||
                   below.suppressed_rows >= above.stays_suppressed));
        }
        if (is_inherited(anonymity) && below.is_anonymous) REQUIRE(above.is_anonymous);
      }
    }
  }
  CHECK(predicted > 1000);
}

TEST_CASE("all algorithms find what brute force finds under every combination of models") {
  std::uint64_t found = 0, not_inherited = 0;
  for (std::uint64_t seed = 1; seed <= 400; ++seed) {
    CAPTURE(seed);
    const auto made = sensitive_table(seed);
    const auto table = value_of(prepare(made.random.table, made.random.columns, made.privacy));
    std::mt19937_64 generator(seed);
    auto options = random_options(generator, table);
    CAPTURE(name(options.quality.metric));
    options.algorithm = Algorithm::brute_force;
    options.optimizations = {Switch::off, Switch::off, Switch::off};
    const auto expected = value_of(search(table, options));
    found += expected.optimum ? 1 : 0;
    not_inherited += is_inherited(options.anonymity) ? 0 : 1;
    options.optimizations = {static_cast<Switch>(seed & 1), static_cast<Switch>(seed >> 1 & 1),
                             static_cast<Switch>(seed >> 2 & 1)};
    options.history.bytes = std::size_t{1} << (6 + seed % 10);
    for (const auto algorithm : kProving) {
      CAPTURE(name(algorithm));
      for (const auto pruning : {Pruning::none, Pruning::bounds}) {
        options.algorithm = algorithm;
        options.pruning = pruning;
        double share = 0;
        options.progress = [&](const Progress& progress) { share = progress.decided_share(); };
        const auto result = value_of(search(table, options));
        REQUIRE(text_of(result) == text_of(expected));
        CHECK(result.is_proven);
        CHECK(share == 1);
        if (algorithm != Algorithm::incognito) CHECK(result.counts.checks <= expected.counts.checks);
      }
    }
  }
  CHECK(found > 120);
  CHECK(not_inherited > 100);
}

TEST_CASE(
    "wrong pruning would lose the optimum: suppression makes an anonymous transformation's generalization "
    "not so") {
  // As it is, the four of x have both values alike and the two of y are suppressed; generalized they are six
  // with one value too frequent, and all would have to be suppressed.
  const auto table = value_of(read_table("q;s\nx;a\nx;b\nx;a\nx;b\ny;a\ny;a\n", ';'));
  const std::vector<QuasiIdentifier> columns = {quasi_identifier("q", "x;*\ny;*\n")};
  const auto prepared = value_of(prepare(table, columns, {{{"s", {}, {}, {}}}, {}}));
  Checker checker(prepared, {{2, 2, {{0, EntropyDiversity{2}}}}, {}, {}, {}, {}});
  CHECK(checker.check(prepared.from_given(std::vector<unsigned>{0})).is_anonymous);
  CHECK_FALSE(checker.check(prepared.from_given(std::vector<unsigned>{1})).is_anonymous);
}

TEST_CASE("what is published under the models keeps them, also where records show only stars") {
  std::uint64_t published = 0, dropped = 0, hidden = 0;
  for (std::uint64_t seed = 1; seed <= 300; ++seed) {
    CAPTURE(seed);
    const auto made = sensitive_table(seed);
    const auto table = value_of(prepare(made.random.table, made.random.columns, made.privacy));
    std::mt19937_64 generator(seed);
    auto options = random_options(generator, table);
    const auto result = value_of(search(table, options));
    if (!result.optimum) continue;
    PublicationOptions wanted;
    for (const auto& column : made.random.table.columns) wanted.columns.push_back(column.name);
    wanted.anonymity = options.anonymity;
    wanted.suppressed_records = static_cast<SuppressedRecords>(seed % kSuppressedRecords);
    const auto publication = publish(made.random.table, table, result.optimum->levels, wanted);
    if (publication.has_error()) {
      const auto& why = publication.error().public_message;
      const bool tells_presence = options.anonymity.presence && why.starts_with("δ-presence does not hold");
      CHECK_MESSAGE((tells_presence || why == "every record would be dropped"), why);
      continue;
    }
    ++published;
    dropped += publication->dropped_rows > 0 ? 1 : 0;
    hidden += publication->hidden_rows > 0 ? 1 : 0;
    CHECK(publication->suppressed_rows == result.optimum->summary.suppressed_rows);
    CHECK(publication->rows == table.rows - publication->dropped_rows);
    if (wanted.suppressed_records == SuppressedRecords::keep) continue;
    // Every class that shows sensitive values, by texts.
    const auto cell = [&](const PublishedColumn& column, std::size_t row) {
      return column.codes[row] == kNullCode ? std::string("NULL") : column.values[column.codes[row]];
    };
    std::map<std::vector<std::string>, std::vector<Values>> classes;
    for (std::size_t row = 0; row < publication->rows; ++row) {
      std::vector<std::string> key;
      for (const auto& column : publication->columns)
        if (column.is_quasi_identifier) key.push_back(cell(column, row));
      auto& values = classes[key];
      values.resize(made.cells.size());
      for (std::size_t s = 0; s < made.cells.size(); ++s) {
        const auto found =
            std::ranges::find(publication->columns, fmt::format("s{}", s), &PublishedColumn::name);
        const auto shown = cell(*found, row);
        if (shown != "NULL") values[s].push_back(shown);
      }
    }
    std::vector<Values> in_table(made.cells.size());
    for (std::size_t row = 0; row < made.random.table.rows(); ++row) {
      if (!made.privacy.subset.empty() && made.privacy.subset[row] == 0) continue;
      for (std::size_t s = 0; s < made.cells.size(); ++s) in_table[s].push_back(made.cells[s][row]);
    }
    for (const auto& [key, values] : classes) {
      if (values.front().empty()) continue;
      CHECK(values.front().size() >= options.anonymity.k);
      for (const auto& model : options.anonymity.sensitive)
        CHECK(naive_keeps(model.model, values[model.column], in_table[model.column]));
    }
  }
  CHECK(published > 100);
  CHECK(dropped > 3);
  CHECK(hidden > 3);
}
