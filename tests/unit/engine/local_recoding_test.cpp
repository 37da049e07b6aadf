// Local recoding: by hand, then random tables: every part by itself, and what is published of all.
#include "engine/publish/local_recoding.hpp"

#include "engine/publish/publication.hpp"

#include "random_sensitive.hpp"

using namespace pgveil::engine;
using namespace pgveil::engine::test;

namespace {

std::vector<std::string> cells(const Table& table, std::string_view name) {
  const auto* column = table.find(name);
  REQUIRE(column != nullptr);
  std::vector<std::string> made;
  for (std::size_t row = 0; row < table.rows(); ++row) made.push_back(column->values[column->codes.at(row)]);
  return made;
}

SearchOptions options_with(const Anonymity& anonymity) {
  SearchOptions options;
  options.anonymity = anonymity;
  return options;
}

}  // namespace

TEST_CASE("what is rare is joined where it is rare, the others stay as they are") {
  const auto table = value_of(read_table("q;s\na;1\na;2\na;3\nb;4\nc;5\nd;6\n", ';'));
  const std::vector<QuasiIdentifier> columns = {quasi_identifier("q", "a;a;*\nb;bc;*\nc;bc;*\nd;d;*\n")};
  const auto prepared = value_of(prepare(table, columns));
  const std::vector<unsigned> levels = {0};
  const auto recode = [&](std::uint64_t limit, std::size_t rounds) {
    return value_of(
        recode_locally(table, prepared, columns, {}, levels, options_with({2, limit}), {rounds, 0}));
  };
  const auto made = recode(3, 5);
  CHECK(cells(made.table, "q") == std::vector<std::string>{"a", "a", "a", "bc", "bc", "*"});
  CHECK(cells(made.table, "s") == cells(table, "s"));
  REQUIRE(made.steps.size() == 2);
  CHECK(made.steps[0].records == 3);
  CHECK(made.steps[0].suppressed == 3);
  CHECK(made.steps[1].levels == std::vector<unsigned>{1});
  CHECK(made.steps[1].records == 2);
  CHECK(made.steps[1].smallest_class == 2);
  CHECK(made.classes == 2);
  CHECK(made.smallest_class == 2);
  CHECK(made.suppressed() == 1);  // one is fewer than k
  CHECK(made.certainty_penalty == doctest::Approx((2 * 0.5 + 1) / 6));
  CHECK(recode(3, 0).steps.size() == 1);
  CHECK(recode(3, 0).suppressed() == 3);
  CHECK(recode(2, 5).steps.size() == 1);  // the first suppresses three
  const std::vector<unsigned> none = {7};
  CHECK(recode_locally(table, prepared, columns, {}, none, options_with({2, 3}), {5, 0}).has_error());
}

TEST_CASE("classes of two parts that look alike are one") {
  const auto table = value_of(read_table("q\nfr\nfr\nfr\nparis\nlyon\nnice\n", ';'));
  const std::vector<QuasiIdentifier> columns = {
      quasi_identifier("q", "fr;fr;*\nparis;fr;*\nlyon;fr;*\nnice;fr;*\nrome;it;*\n")};
  const auto prepared = value_of(prepare(table, columns));
  const std::vector<unsigned> levels = {0};
  const auto made =
      value_of(recode_locally(table, prepared, columns, {}, levels, options_with({3, 3}), {5, 0}));
  CHECK(cells(made.table, "q") == std::vector<std::string>(6, "fr"));
  REQUIRE(made.steps.size() == 2);
  CHECK(made.steps[0].classes + made.steps[1].classes == 2);
  CHECK(made.classes == 1);
  CHECK(made.smallest_class == 6);
}

TEST_CASE("a search of the rest that is stopped, or is a heuristic, proves nothing by finding nothing") {
  const auto table = value_of(read_table("q;s\na;1\na;2\na;3\nb;4\nc;5\nd;6\n", ';'));
  const std::vector<QuasiIdentifier> columns = {quasi_identifier("q", "a;a;*\nb;bc;*\nc;bc;*\nd;d;*\n")};
  const auto prepared = value_of(prepare(table, columns));
  const std::vector<unsigned> levels = {0};
  auto options = options_with({2, 3});
  const auto recode = [&](std::size_t parts) {
    return value_of(recode_locally(table, prepared, columns, {}, levels, options, {parts, 0}));
  };
  CHECK(recode(5).is_end_proven);
  options.stop = [] { return true; };
  CHECK(recode(5).steps.size() == 1);
  CHECK_FALSE(recode(5).is_end_proven);
  CHECK(recode(0).is_end_proven);  // nothing was asked for
  options.stop = {};
  options.max_levels = {0};  // so nothing of the rest is anonymous
  CHECK(recode(5).steps.size() == 1);
  CHECK(recode(5).is_end_proven);
  options.algorithm = Algorithm::samarati;
  CHECK(recode(5).steps.size() == 1);
  CHECK_FALSE(recode(5).is_end_proven);
}

TEST_CASE("the rest's sensitive values are compared with those of all") {
  // 4 x and 3 y in all. a has two of each, 0.071 away; b and c together two and one, 0.095 away; from
  // themselves they are not.
  const auto table = value_of(read_table("q;s\na;x\na;x\na;y\na;y\nb;x\nb;x\nc;y\n", ';'));
  const std::vector<QuasiIdentifier> columns = {quasi_identifier("q", "a;a;*\nb;bc;*\nc;bc;*\n")};
  const PrivacyColumns privacy{{{"s", {}, {}, {}}}, {}};
  const auto prepared = value_of(prepare(table, columns, privacy));
  const std::vector<unsigned> levels = {0};
  const auto left = [&](double t) {
    const Anonymity anonymity{2, 7, {{0, TCloseness{t, Distance::equal}}}};
    return value_of(
               recode_locally(table, prepared, columns, privacy, levels, options_with(anonymity), {5, 0}))
        .suppressed();
  };
  CHECK(left(0.1) == 0);
  CHECK(left(0.08) == 3);
}

TEST_CASE("each part keeps the models by itself, and all of them what is published") {
  std::uint64_t recoded = 0, more_than_two = 0;
  for (std::uint64_t seed = 1; seed <= 400; ++seed) {
    CAPTURE(seed);
    auto it = sensitive_table(seed);
    it.privacy.subset.clear();
    const auto& table = it.random.table;
    const auto prepared = value_of(prepare(table, it.random.columns, it.privacy));
    std::mt19937_64 generator(seed);
    auto options = options_with(random_anonymity(generator, prepared));
    options.anonymity.presence.reset();
    options.anonymity.k_map.reset();
    options.anonymity.suppression_limit = prepared.rows - 1;
    options.quality.gs = 0.25;  // suppressing is cheap, so that there is something to recode
    std::erase_if(options.anonymity.sensitive,
                  [](const auto& model) { return std::holds_alternative<DeltaDisclosure>(model.model); });
    const auto found = value_of(search(prepared, options));
    if (!found.optimum) continue;
    const auto made = value_of(recode_locally(table, prepared, it.random.columns, it.privacy,
                                              found.optimum->levels, options, {10, 0}));
    CHECK(made.steps.front().suppressed == found.optimum->summary.suppressed_rows);
    recoded += made.steps.size() > 1 ? 1 : 0;
    more_than_two += made.steps.size() > 2 ? 1 : 0;
    std::uint64_t shown = 0;
    for (const auto& step : made.steps) {
      CHECK(step.records + step.suppressed + shown == prepared.rows);
      shown += step.records;
      if (step.classes > 0) CHECK(step.smallest_class >= smallest_class(options.anonymity));
    }
    // Part by part, by the definitions: rows that an earlier part shows are gone.
    std::vector<std::uint8_t> is_gone(table.rows(), 0);
    std::vector<std::vector<std::string>> texts;
    for (const auto& column : it.random.columns) texts.push_back(cells(made.table, column.column));
    for (const auto& step : made.steps) {
      std::map<std::vector<std::string>, std::vector<std::size_t>> classes;
      for (std::size_t row = 0; row < table.rows(); ++row) {
        if (is_gone[row] != 0) continue;
        std::vector<std::string> key;
        for (std::size_t i = 0; i < it.random.columns.size(); ++i) {
          const auto raw = cells(table, it.random.columns[i].column)[row];
          for (const auto& entry : it.random.columns[i].hierarchy.rows) {
            if (entry.front() == raw) key.push_back(entry[step.levels[i]]);
          }
        }
        classes[key].push_back(row);
      }
      for (const auto& [key, rows] : classes) {
        bool keeps = rows.size() >= options.anonymity.k;
        for (const auto& model : options.anonymity.sensitive) {
          Values in_class;
          for (const auto row : rows) in_class.push_back(it.cells[model.column][row]);
          keeps = keeps && naive_keeps(model.model, in_class, it.cells[model.column]);
        }
        for (const auto row : rows) {
          if (keeps) is_gone[row] = 1;
          for (std::size_t i = 0; keeps && i < texts.size(); ++i) REQUIRE(texts[i][row] == key[i]);
        }
      }
    }
    for (std::size_t row = 0; row < table.rows(); ++row) {
      if (is_gone[row] != 0) continue;
      for (const auto& text : texts) REQUIRE(text[row] == "*");
    }
  }
  CHECK(recoded > 20);
  CHECK(more_than_two > 1);
}
