// Scores of the worked example, computed by hand from the formulas.
#include "random_tables.hpp"

#include <algorithm>
#include <cmath>

using namespace pgveil::engine;
using namespace pgveil::engine::test;

namespace {

// The score of one transformation, levels as given, with classes below k suppressed.
double score_of(const PreparedTable& table, const QualityModel& model, std::vector<unsigned> levels,
                std::uint64_t k, std::uint64_t limit) {
  const Quality quality(table, model, limit);
  Checker checker(table, {{k, limit}, quality.sums(), quality.entropy_start(), {}, {}});
  const auto transformation = table.from_given(levels);
  const auto summary = checker.check(transformation);
  REQUIRE(summary.is_anonymous);
  return quality.score(transformation, summary).value();
}

QualityModel model(Metric metric, double gs = 0.5) {
  QualityModel made;
  made.metric = metric;
  made.gs = gs;
  return made;
}

}  // namespace

// At (1,0,2): <50 male 816**, <50 female 816**, >=50 male 819** twice, >=50 female 819**, <50 female 819**,
// <50 male 819**. With k = 2 five records are suppressed.
TEST_CASE("metrics of the classes count suppressed records as the formulas say") {
  const auto table = worked_example();
  const std::vector<unsigned> levels = {1, 0, 2};
  CHECK(score_of(table, model(Metric::discernibility_monotonic), levels, 2, 5) == 4 + 5);
  CHECK(score_of(table, model(Metric::discernibility), levels, 2, 5) == 4 + 5 * 7);
  CHECK(score_of(table, model(Metric::class_size), levels, 2, 5) == doctest::Approx(7.0 / 2));
  // sF = ½ on the one class that is kept, gF = 1 on the suppressed group
  CHECK(score_of(table, model(Metric::class_size, 0.25), levels, 2, 5) == doctest::Approx(7.0 / 1.5));
  // sF = 1, gF = ½
  CHECK(score_of(table, model(Metric::class_size, 0.75), levels, 2, 5) == doctest::Approx(7.0 / 1.5));
}

TEST_CASE("precision mixes levels and suppressed records") {
  const auto table = worked_example();
  const double levels = (0.5 + 0 + 0.4) / 3;
  CHECK(score_of(table, model(Metric::precision_monotonic), {1, 0, 2}, 2, 5) == doctest::Approx(levels));
  CHECK(score_of(table, model(Metric::precision), {1, 0, 2}, 2, 5) == doctest::Approx((2 * levels + 5) / 7));
  CHECK(score_of(table, model(Metric::precision, 0.25), {1, 0, 2}, 2, 5) ==
        doctest::Approx((2 * levels + 2.5) / 7));
  CHECK(score_of(table, model(Metric::precision, 0.75), {1, 0, 2}, 2, 5) ==
        doctest::Approx((levels + 5) / 7));
  CHECK(score_of(table, model(Metric::height), {1, 0, 2}, 2, 5) == 3);
}

TEST_CASE("loss is 0 at the bottom, 1 at the top, and 1 where all is suppressed") {
  const auto table = worked_example();
  CHECK(score_of(table, model(Metric::loss), {0, 0, 0}, 1, 0) == 0);
  CHECK(score_of(table, model(Metric::loss), {2, 1, 5}, 7, 0) == doctest::Approx(1));
  CHECK(score_of(table, model(Metric::loss), {0, 0, 0}, 7, 7) == doctest::Approx(1));
  // (0,1,0): gender alone is generalized fully
  auto mean = model(Metric::loss);
  mean.aggregate = Aggregate::arithmetic_mean;
  CHECK(score_of(table, mean, {0, 1, 0}, 1, 0) == doctest::Approx(1.0 / 3));
  mean.aggregate = Aggregate::maximum;
  CHECK(score_of(table, mean, {0, 1, 0}, 1, 0) == doctest::Approx(1));
  mean.aggregate = Aggregate::geometric_mean;
  CHECK(score_of(table, mean, {0, 1, 0}, 1, 0) == doctest::Approx(std::cbrt(2.0) - 1));
  mean.aggregate = Aggregate::sum;
  mean.weights = {1, 2, 4};  // gender's 2 of at most 4
  CHECK(score_of(table, mean, {0, 1, 0}, 1, 0) == doctest::Approx(0.5));
}

TEST_CASE("entropy counts what generalization and suppression hide") {
  const auto table = worked_example();
  // gender: 4 male, 3 female
  const double gender = -(4 * std::log2(4.0 / 7) + 3 * std::log2(3.0 / 7));
  CHECK(score_of(table, model(Metric::nonuniform_entropy_monotonic), {0, 1, 0}, 1, 0) ==
        doctest::Approx(gender));
  CHECK(score_of(table, model(Metric::normalized_nonuniform_entropy), {0, 1, 0}, 1, 0) ==
        doctest::Approx(1.0 / 3));
  // (2,0,5): with k = 4 the three females are suppressed, all alike
  const double monotonic = score_of(table, model(Metric::nonuniform_entropy_monotonic), {2, 0, 5}, 4, 3);
  CHECK(score_of(table, model(Metric::nonuniform_entropy), {2, 0, 5}, 4, 3) == doctest::Approx(monotonic));
  // (0,0,0) with k = 2 suppresses all seven: each attribute's own entropy
  CHECK(score_of(table, model(Metric::normalized_nonuniform_entropy), {0, 0, 0}, 2, 7) == doctest::Approx(1));
}

TEST_CASE("a column with one value or no levels is 0 of 0, not a number") {
  const auto table = value_of(read_table("a;b\n1;x\n1;y\n", ';'));
  const std::vector<QuasiIdentifier> columns = {quasi_identifier("a", "1\n"),
                                                quasi_identifier("b", "x;*\ny;*\n")};
  const auto prepared = value_of(prepare(table, columns));
  for (std::size_t i = 0; i < kMetrics; ++i) {
    const auto metric = static_cast<Metric>(i);
    CAPTURE(name(metric));
    CHECK(std::isfinite(score_of(prepared, model(metric), {0, 1}, 2, 0)));
  }
  CHECK(score_of(prepared, model(Metric::precision), {0, 1}, 2, 0) == doctest::Approx(0.5));
}

TEST_CASE("divergence: seven different records, spread over what their classes stand for") {
  const auto table = worked_example();
  const auto divergence = model(Metric::kl_divergence);
  CHECK(score_of(table, divergence, {0, 0, 0}, 1, 0) == 0);
  // One class of 4 · 2 · 4 combinations.
  CHECK(score_of(table, divergence, {2, 1, 5}, 7, 0) == doctest::Approx(5 - std::log2(7.0)));
  // (1,0,2): one class of two is kept, of 2 · 1 · 2 combinations; five are suppressed, to all 32.
  const double kept = 2.0 / 7 * (2 - std::log2(2.0 / 7)), suppressed = 5.0 / 7 * (5 - std::log2(5.0 / 7));
  CHECK(score_of(table, divergence, {1, 0, 2}, 2, 5) == doctest::Approx(kept + suppressed - std::log2(7.0)));
  // All suppressed is all generalized.
  CHECK(score_of(table, divergence, {0, 0, 0}, 2, 7) == score_of(table, divergence, {2, 1, 5}, 7, 0));
}

TEST_CASE("ambiguity counts the combinations that a record could have had") {
  const auto table = worked_example();
  const auto ambiguity = model(Metric::ambiguity);
  CHECK(score_of(table, ambiguity, {0, 0, 0}, 1, 0) == 7);
  CHECK(score_of(table, ambiguity, {2, 1, 5}, 7, 0) == 7 * 4 * 2 * 4);
  // (1,0,2): two records could have been 2 · 1 · 2, five are suppressed and could have been any of 32.
  CHECK(score_of(table, ambiguity, {1, 0, 2}, 2, 5) == 2 * 4 + 5 * 32);
  CHECK(score_of(table, ambiguity, {0, 0, 0}, 2, 7) == 7 * 32);
  const Quality quality(table, ambiguity, 5);
  CHECK(quality.is_class_based());
  CHECK_FALSE(quality.is_monotonic());
  CHECK(Quality(table, ambiguity, 0).is_monotonic());
}

TEST_CASE("ambiguity of random tables is what a count record by record says, and no bound exceeds it") {
  for (std::uint64_t seed = 1; seed <= 200; ++seed) {
    CAPTURE(seed);
    const auto random = random_table(seed);
    const auto table = value_of(prepare(random.table, random.columns));
    const Anonymity anonymity{1 + seed % 4, seed % 3 == 0 ? 0 : table.rows};
    const Quality quality(table, model(Metric::ambiguity), anonymity.suppression_limit);
    Checker checker(table, {anonymity, quality.sums(), quality.entropy_start(), {}, {}});
    std::mt19937_64 generator(seed);
    std::vector<unsigned> levels;
    for (const auto& column : random.columns)
      levels.push_back(static_cast<unsigned>(generator() % column.hierarchy.rows.front().size()));
    const auto transformation = table.from_given(levels);
    const auto summary = checker.check(transformation);
    double all = 0, shown = 0;
    for (const auto& [look, records] : naive_classes(random, levels)) {
      const auto& texts = look;
      double rows = 1, whole = 1;
      for (std::size_t i = 0; i < texts.size(); ++i) {
        const auto& hierarchy = random.columns[i].hierarchy.rows;
        whole *= static_cast<double>(hierarchy.size());
        rows *= static_cast<double>(
            std::ranges::count_if(hierarchy, [&](const auto& row) { return row[levels[i]] == texts[i]; }));
      }
      all += static_cast<double>(records) * rows;
      shown += static_cast<double>(records) * (records < anonymity.k ? whole : rows);
    }
    CHECK(summary.combinations == all);
    CHECK(quality.bound(transformation).value() <= all);
    CHECK(*quality.bound_of_generalizations(transformation, summary, anonymity.k) <= all);
    if (summary.is_anonymous) CHECK(quality.score(transformation, summary).value() == shown);
  }
}

TEST_CASE("ambiguity of more combinations than fit a number is the same whatever it starts from") {
  const auto random = wide_table(24, 60, 50);  // 60^24 combinations
  const auto table = value_of(prepare(random.table, random.columns));
  const Quality quality(table, model(Metric::ambiguity), 25);
  const auto score = [&](Checker& checker, unsigned level) {
    const auto at = table.from_given(std::vector<unsigned>(24, level));
    return quality.score(at, checker.check(at)).value();
  };
  const CheckerOptions options{{2, table.rows}, quality.sums(), quality.entropy_start(), {}, {}};
  Checker rolling(table, options), fresh(table, options);
  for (const unsigned level : {0U, 1U, 2U}) static_cast<void>(score(rolling, level));
  const double top = score(rolling, 3);
  CHECK(top == score(fresh, 3));
  CHECK(top == doctest::Approx(50 * std::pow(60.0, 24)));
}

TEST_CASE("loss of a continuous attribute is the share of its range") {
  const auto table = value_of(read_table(kSevenRows, ';'));
  auto age = quasi_identifier("age", kAge);
  const auto loss = [&](unsigned level) {
    const std::vector<QuasiIdentifier> columns = {age};
    return score_of(value_of(prepare(table, columns)), model(Metric::loss), {level}, 1, 0);
  };
  CHECK(loss(1) == doctest::Approx(1.0 / 3));  // two of four values, where one is nothing
  age.is_continuous = true;
  CHECK(loss(0) == 0);
  CHECK(loss(1) == doctest::Approx((4 * 11 + 3 * 4) / 36.0 / 7));  // 34 to 45 and 66 to 70, of 34 to 70
  CHECK(loss(2) == 1);
}

TEST_CASE(
    "numbers of a continuous attribute: NULL joined with them covers all, what is no number is refused") {
  const auto table = value_of(read_table("a\n1\n?\n9\n", ';'));
  QuasiIdentifier given = quasi_identifier("a", "1;low;*\n3;low;*\n?;low;*\n9;high;*\n");
  given.is_continuous = true;
  given.null_text = "?";
  const auto spans = [&] {
    const std::vector<QuasiIdentifier> columns = {given};
    return value_of(prepare(table, columns)).attributes.front().spans;
  };
  const std::uint64_t all = 1'000'000'000;
  CHECK(spans() == std::vector<std::vector<std::uint64_t>>{{0, 0, 0}, {all, 0}, {all}});
  given.hierarchy.rows[2][1] = "none";
  CHECK(spans() == std::vector<std::vector<std::uint64_t>>{{0, 0, 0}, {all / 4, 0, 0}, {all}});
  given.null_text.reset();
  const std::vector<QuasiIdentifier> columns = {given};
  const auto refused = prepare(table, columns);
  REQUIRE(refused.has_error());
  CHECK(refused.error().public_message.find("1 values of its hierarchy are no numbers") != std::string::npos);
  CHECK(refused.error().private_detail == "?");
}
