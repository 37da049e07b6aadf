// What is left of columns, by hand.
#include "engine/publish/utility.hpp"

#include "engine/publish/contingency.hpp"

#include <cmath>

#include "tables.hpp"

namespace pgveil::engine::utility_test {

using namespace pgveil::engine::test;

namespace {

Utility utility_of(std::string_view rows, std::string_view hierarchy, unsigned level,
                   const Anonymity& anonymity, std::vector<std::uint8_t> subset = {},
                   SuppressedRecords suppressed_records = SuppressedRecords::keep) {
  const auto table = value_of(read_table(rows, ';'));
  const std::vector<QuasiIdentifier> columns = {quasi_identifier("q", hierarchy)};
  const auto prepared = value_of(prepare(table, columns, {{}, subset}));
  PublicationOptions options;
  for (const auto& column : table.columns) options.columns.push_back(column.name);
  options.anonymity = anonymity;
  options.suppressed_records = suppressed_records;
  options.null_text = "?";
  options.wants_source_rows = true;
  const auto made = value_of(publish(table, prepared, std::vector<unsigned>{level}, options));
  return measure_utility(table, subset, options.null_text, made);
}

constexpr std::string_view kFour = "a;ab;*\nb;ab;*\nc;cd;*\nd;cd;*\n";

}  // namespace

TEST_CASE("shapes of columns before and after, and what they say of one another") {
  const auto made = utility_of("q;s\na;x\nb;x\nc;y\nd;y\n", kFour, 1, {2, 0});
  REQUIRE(made.columns.size() == 2);
  const auto& q = made.columns[0];
  CHECK(q.is_quasi_identifier);
  CHECK(q.before.distinct == 4);
  CHECK(q.after.distinct == 2);
  CHECK(q.before.entropy == doctest::Approx(2));
  CHECK(q.after.entropy == doctest::Approx(1));
  CHECK(q.before.most_frequent == doctest::Approx(0.25));
  CHECK(q.after.most_frequent == doctest::Approx(0.5));
  CHECK(q.after.missing == 0);
  CHECK(made.columns[1].before.entropy == doctest::Approx(made.columns[1].after.entropy));
  REQUIRE(made.pairs.size() == 1);
  CHECK(made.pairs[0].before == doctest::Approx(1));
  CHECK(made.pairs[0].after == doctest::Approx(1));
  CHECK(made.has_all_pairs);
}

TEST_CASE("columns that are independent say nothing of one another, nor does a column of one value") {
  const auto made = utility_of("q;s\na;x\na;y\nb;x\nb;y\n", kFour, 1, {2, 0});
  CHECK(made.pairs[0].before == doctest::Approx(0));
  CHECK(made.pairs[0].after == 0);
  CHECK(made.columns[0].after.entropy == 0);
  // χ² of (3,1 | 1,3): 8 · ((9 + 1 + 1 + 9) ÷ 16 − 1) = 2; V = √(2 ÷ 8) = ½.
  const auto half = utility_of("q;s\na;x\na;x\na;x\na;y\nb;x\nb;y\nb;y\nb;y\n", kFour, 0, {2, 0});
  CHECK(half.pairs[0].before == doctest::Approx(0.5));
  CHECK(half.pairs[0].after == doctest::Approx(0.5));
}

TEST_CASE("what is suppressed, NULL or left out is missing") {
  const auto kept = utility_of("q;s\na;x\na;?\nb;y\n", kFour, 0, {2, 1});
  CHECK(kept.columns[0].before.missing == 0);
  CHECK(kept.columns[0].after.missing == 1);
  CHECK(kept.columns[1].before.missing == 1);
  CHECK(kept.columns[1].after.missing == 1);
  CHECK(kept.columns[1].after.distinct == 2);
  const auto dropped =
      utility_of("q;s\na;x\na;?\nb;y\n", kFour, 0, {2, 1}, {}, SuppressedRecords::keep_or_drop);
  CHECK(dropped.columns[0].after.missing == 1);
  CHECK(dropped.columns[1].after.missing == 2);
  CHECK(dropped.columns[1].after.distinct == 1);
}

namespace {

pgveil::Result<Contingency> contingency_of(std::string_view rows, std::vector<std::uint8_t> subset,
                                           std::string_view first, std::string_view second) {
  const auto table = value_of(read_table(rows, ';'));
  const std::vector<QuasiIdentifier> columns = {quasi_identifier("q", kFour)};
  const auto prepared = value_of(prepare(table, columns, {{}, subset}));
  const PublicationOptions options{{"q", "s"}, {2, 1}, SuppressedRecords::keep, "?", 0};
  const auto made = value_of(publish(table, prepared, std::vector<unsigned>{1}, options));
  return measure_contingency(table, subset, options.null_text, made, first, second);
}

using Counts = std::vector<std::vector<std::uint64_t>>;
using Values = std::vector<std::optional<std::string>>;

}  // namespace

TEST_CASE("pairs of values are counted before and after, the most frequent first") {
  const auto made = value_of(contingency_of("q;s;t\na;x;1\nb;x;1\nb;?;1\nc;y;1\n", {}, "q", "s"));
  CHECK(made.before.first.values == Values{"b", "a", "c"});
  CHECK(made.before.second.values == Values{"x", std::nullopt, "y"});
  CHECK(made.before.counts == Counts{{1, 1, 0}, {1, 0, 0}, {0, 0, 1}});
  CHECK(made.after.first.values == Values{"ab", "*"});
  CHECK(made.after.counts == Counts{{2, 1, 0}, {0, 0, 1}});
  CHECK_FALSE(made.before.first.has_others);
  const auto of_subset = value_of(contingency_of("q;s\na;x\nb;x\nd;z\n", {1, 1, 0}, "s", "q"));
  CHECK(of_subset.before.first.values == Values{"x"});
  for (const auto* other : {"q", "t", "u"}) {
    const auto refused = contingency_of("q;s;t\na;x;1\nb;x;1\n", {}, "q", other);
    REQUIRE(refused.has_error());
    CHECK(refused.error().kind == pgveil::ErrorKind::usage);
  }
}

TEST_CASE("of more than fifty values the rest is counted together") {
  std::string rows = "q;s\n";
  for (int i = 0; i < 52; ++i) rows += "a;v" + std::to_string(100 + i) + "\n";
  const auto made = value_of(contingency_of(rows, {}, "q", "s"));
  CHECK(made.before.second.values.size() == kMostCrossed);
  CHECK(made.before.second.has_others);
  REQUIRE(made.before.counts.size() == 1);
  CHECK(made.before.counts[0].size() == kMostCrossed + 1);
  CHECK(made.before.counts[0].back() == 2);
}

TEST_CASE("with a subset only what was to be published is looked at") {
  const auto made = utility_of("q;s\na;x\na;y\nb;y\nd;z\n", kFour, 1, {2, 0}, {1, 1, 0, 0});
  CHECK(made.columns[0].before.distinct == 1);
  CHECK(made.columns[1].before.distinct == 2);
  CHECK(made.columns[1].after.missing == 0);
}

}  // namespace pgveil::engine::utility_test
