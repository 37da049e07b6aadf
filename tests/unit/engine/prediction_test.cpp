// How well a column can be predicted, by hand and against naive Bayes written once more, over maps.
#include "engine/publish/prediction.hpp"

#include <cmath>
#include <map>
#include <random>
#include <set>

#include "tables.hpp"

namespace pgveil::engine::prediction_test {

using namespace pgveil::engine::test;

namespace {

constexpr std::string_view kFour = "a;ab;*\nb;ab;*\nc;cd;*\nd;cd;*\n?;?;*\n";

pgveil::Result<Prediction> predicted(std::string_view rows, unsigned level, const Anonymity& anonymity) {
  const auto table = value_of(read_table(rows, ';'));
  const std::vector<QuasiIdentifier> columns = {quasi_identifier("q", kFour)};
  const auto prepared = value_of(prepare(table, columns));
  PublicationOptions options;
  for (const auto& column : table.columns) options.columns.push_back(column.name);
  options.anonymity = anonymity;
  options.suppressed_records = SuppressedRecords::drop;
  options.null_text = "?";
  options.wants_source_rows = true;
  const auto made = value_of(publish(table, prepared, std::vector<unsigned>{level}, options));
  return measure_prediction(table, {}, options.null_text, made, "s");
}

struct Row {
  std::string q, s;
};

// The same five folds. shown: the cell that is learned from; empty: not published.
double naive(const std::vector<Row>& rows, const std::vector<std::string>& shown) {
  std::vector<std::string> classes;
  std::set<std::string> values;
  std::map<std::string, std::set<std::string>> covers;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    if (rows[i].s != "?" && std::ranges::find(classes, rows[i].s) == classes.end())
      classes.push_back(rows[i].s);
    values.insert(rows[i].q);
    if (!shown[i].empty() && shown[i] != "*") covers[shown[i]].insert(rows[i].q);
  }
  double right = 0, asked = 0;
  for (std::size_t fold = 0; fold < 5; ++fold) {
    std::map<std::string, double> priors;
    std::map<std::pair<std::string, std::string>, double> counts;
    for (const auto& c : classes) {
      priors[c] = 1;
      for (const auto& v : values) counts[{v, c}] = 1;
    }
    for (std::size_t i = 0; i < rows.size(); ++i) {
      if (i % 5 == fold || shown[i].empty() || rows[i].s == "?") continue;
      priors[rows[i].s] += 1;
      const auto& covered = covers[shown[i]];
      if (covered.size() == values.size()) continue;
      for (const auto& v : covered) counts[{v, rows[i].s}] += 1 / static_cast<double>(covered.size());
    }
    for (std::size_t i = fold; i < rows.size(); i += 5) {
      if (rows[i].s == "?") continue;
      std::string best;
      double most = -INFINITY;
      for (const auto& c : classes) {
        double all = 0;
        for (const auto& v : values) all += counts[{v, c}];
        const double score =
            std::log(priors[c]) + (rows[i].q == "?" ? 0 : std::log(counts[{rows[i].q, c}] / all));
        if (score > most + 1e-12) most = score, best = c;
      }
      ++asked;
      right += best == rows[i].s ? 1 : 0;
    }
  }
  return right / asked;
}

}  // namespace

TEST_CASE("a column that follows from a value is predicted until the value is generalized away") {
  std::string rows = "q;s\n";
  for (int i = 0; i < 10; ++i) rows += "a;x\nb;y\nc;x\nd;y\n";
  const auto exact = value_of(predicted(rows, 0, {2, 0}));
  CHECK(exact.target == "s");
  CHECK(exact.classes == 2);
  CHECK(exact.records == 40);
  CHECK(exact.most_frequent == 0.5);
  CHECK(exact.before == 1);
  CHECK(exact.after == 1);
  const auto gone = value_of(predicted(rows, 1, {2, 0}));
  CHECK(gone.before == 1);
  CHECK(gone.after == 0.5);
}

TEST_CASE("random tables are predicted as by naive Bayes over maps") {
  double differences = 0;
  for (unsigned seed = 0; seed < 40; ++seed) {
    CAPTURE(seed);
    std::mt19937_64 random(seed);
    std::vector<Row> rows(15 + random() % 60);
    std::string text = "q;s\n";
    for (auto& it : rows) {
      const auto value = random() % 16;
      it.q = value == 15 ? "?" : std::string(1, "aaabbcd"[value % 7]);
      const auto own = random() % 10;
      it.s = own == 0 ? "?" : own < 6 ? it.q + "s" : std::string(1, "xyz"[own % 3]);
      text += it.q + ";" + it.s + "\n";
    }
    const unsigned level = seed % 3;
    const std::uint64_t k = 2 + seed % 4;
    std::vector<std::string> as_read, shown;
    std::map<std::string, std::uint64_t> sizes;
    for (const auto& it : rows) {
      as_read.push_back(it.q == "?" ? "*" : it.q);
      const std::string pair = it.q == "?" ? "?" : it.q < "c" ? "ab" : "cd";
      shown.push_back(level == 0 ? it.q : level == 1 ? pair : "*");
      ++sizes[shown.back()];
    }
    std::uint64_t small = 0;
    for (const auto& [cell, size] : sizes) small += size < k ? size : 0;
    if (small == rows.size()) continue;
    for (auto& it : shown) it = sizes[it] < k ? "" : it == "?" ? "*" : it;
    const auto made = value_of(predicted(text, level, {k, rows.size()}));
    CHECK(made.before == doctest::Approx(naive(rows, as_read)));
    CHECK(made.after == doctest::Approx(naive(rows, shown)));
    differences += std::fabs(made.before - made.after);
  }
  CHECK(differences > 0);
}

TEST_CASE("a column of too many values is no class to predict") {
  std::string rows = "q;s\n";
  for (std::size_t i = 0; i <= kMostPredicted; ++i) rows += "a;v" + std::to_string(i) + "\n";
  const auto refused = predicted(rows, 0, {2, 0});
  REQUIRE(refused.has_error());
  CHECK(refused.error().public_message == "s has 101 values, and at most 100 can be predicted");
}

}  // namespace pgveil::engine::prediction_test
