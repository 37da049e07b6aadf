// The second implementation of the models: by hand, and against the search's own on random classes.
#include "engine/recount/table_check.hpp"

#include <cmath>
#include <random>

#include "engine/privacy/class_test.hpp"
#include "engine/recount/shown_as.hpp"
#include "tables.hpp"

namespace pgveil::engine::table_check_test {

using namespace pgveil::engine::test;

namespace {

// The class of docs/models, out of a table of 50 % flu, 30 % cold, 15 % asthma, 5 % HIV.
const ValueCounts kTable = {{"flu", 50}, {"cold", 30}, {"asthma", 15}, {"HIV", 5}};
const ValueCounts kClass = {{"flu", 3}, {"cold", 2}, {"HIV", 1}};
const std::vector<std::string> kOrder = {"flu", "cold", "asthma", "HIV"};

Hierarchy illnesses() {
  return value_of(read_hierarchy("flu;lung;*\ncold;lung;*\nasthma;lung;*\nHIV;other;*\n", ';'));
}

ValueTable table_of_illnesses() {
  return value_of(ValueTable::make(kTable, ValueOrder(kOrder), illnesses(), {}));
}

CheckFindings findings_of(const TableCheck& check, const CheckDemand& demand) {
  return value_of(check.finish(demand));
}

using Texts = std::vector<std::optional<std::string_view>>;

}  // namespace

TEST_CASE("the class of six, by hand") {
  const auto table = table_of_illnesses();
  CHECK(ValueTable::entropy_l(kClass) == doctest::Approx(2.7495).epsilon(1e-4));
  CHECK(ValueTable::recursive_c(kClass, 2) == doctest::Approx(1));
  CHECK(ValueTable::recursive_c(kClass, 3) == doctest::Approx(3));
  CHECK(std::isinf(ValueTable::recursive_c(kClass, 4)));
  CHECK(table.distance(kClass, Distance::equal) == doctest::Approx(0.15));
  CHECK(table.distance(kClass, Distance::ordered) == doctest::Approx(0.05));
  // lung has 0.1167 too little, of which cold has 0.0333 too much: 0.0333 · ½ + 0.1167 · 1.
  CHECK(table.distance(kClass, Distance::hierarchical) == doctest::Approx(2.0 / 15));
  CHECK(table.beta(kClass, Likeness::basic) == doctest::Approx(7.0 / 3));
  CHECK(table.beta(kClass, Likeness::enhanced) == doctest::Approx(7.0 / 3));
  CHECK(std::isinf(table.beta({{"HIV", 1}}, Likeness::enhanced)));  // a gain of 19, −ln 0.05 is 3
  CHECK(table.delta(kClass) == doctest::Approx(std::log2(10.0 / 3)));
}

TEST_CASE("parameters at the very limit") {
  const auto table = table_of_illnesses();
  CHECK(table.keeps(kClass, TCloseness{0.15, Distance::equal}));
  CHECK_FALSE(table.keeps(kClass, TCloseness{0.1499, Distance::equal}));
  CHECK(table.keeps(kClass, DistinctDiversity{2.5}));
  CHECK_FALSE(table.keeps(kClass, DistinctDiversity{3.5}));
  CHECK_FALSE(table.keeps(kClass, RecursiveDiversity{1, 2}));  // less than, not at most
  CHECK(table.keeps(kClass, RecursiveDiversity{1.01, 2}));
  CHECK(table.keeps(kClass, BetaLikeness{7.0 / 3, Likeness::basic}));
  CHECK_FALSE(table.keeps(kClass, DeltaDisclosure{1.7}));
  CHECK(table.keeps({{"a", 2}, {"b", 2}, {"c", 2}}, EntropyDiversity{3}));
}

TEST_CASE("both implementations judge random classes alike") {
  std::mt19937 random(7);
  const auto up_to = [&](std::uint32_t most) { return static_cast<std::uint32_t>(random() % (most + 1)); };
  std::size_t kept = 0, broken = 0;
  for (int round = 0; round < 4000; ++round) {
    std::string text = "s\n";
    Hierarchy hierarchy;
    std::vector<std::vector<std::uint32_t>> counts;
    const std::size_t values = 2 + up_to(4);
    for (std::size_t i = 0; i < values; ++i) {
      const std::uint32_t in_class = up_to(3), outside = 1 + up_to(6);
      counts.push_back({in_class, outside});
      for (std::uint32_t n = 0; n < in_class + outside; ++n) text += std::to_string(i * 3) + "\n";
      hierarchy.rows.push_back({std::to_string(i * 3), i % 2 == 0 ? "even" : "odd", "*"});
    }
    const auto column = value_of(read_table(text, ';')).columns[0];
    const auto made = value_of(make_sensitive_values(column, {"s", SortedBy::number, hierarchy, {}}, {}));
    ValueCounts in_class, in_table;
    std::vector<Code> codes;
    std::vector<std::uint64_t> frequencies;
    for (std::size_t i = 0; i < values; ++i) {
      const auto name = std::to_string(i * 3);
      in_table[name] = counts[i][0] + counts[i][1];
      if (counts[i][0] == 0) continue;
      in_class[name] = counts[i][0];
      codes.push_back(static_cast<Code>(i));
      frequencies.push_back(counts[i][0]);
    }
    if (codes.empty()) continue;
    const auto table = value_of(ValueTable::make(in_table, ValueOrder(SortedBy::number), hierarchy, {}));
    const double part = static_cast<double>(up_to(20)) / 20;
    const std::vector<ValueModel> models = {
        DistinctDiversity{1.0 + up_to(4)},
        EntropyDiversity{1 + 4 * part},
        RecursiveDiversity{0.5 + 3 * part, 1 + up_to(3)},
        TCloseness{part / 2, Distance::equal},
        TCloseness{part / 3, Distance::ordered},
        TCloseness{part / 3, Distance::hierarchical},
        BetaLikeness{0.1 + 3 * part, Likeness::basic},
        BetaLikeness{0.1 + 3 * part, Likeness::enhanced},
        DeltaDisclosure{0.1 + 2 * part},
    };
    const std::vector<SensitiveValues> columns = {made};
    for (const auto& model : models) {
      ClassTest test({1, 0, {{0, model}}, {}, {}}, columns);
      const std::vector<ClassView::Values> views = {{codes, frequencies}};
      std::uint64_t records = 0;
      for (const auto count : frequencies) records += count;
      const bool is_kept = test.test({records, records, views}).is_kept;
      CAPTURE(describe(model));
      CAPTURE(text);
      REQUIRE(table.keeps(in_class, model) == is_kept);
      ++(is_kept ? kept : broken);
    }
  }
  CHECK(kept > 5000);
  CHECK(broken > 5000);
}

TEST_CASE("classes that break something are counted, and named only when asked for") {
  TableCheck check(std::vector<CheckedColumn>{{"illness", {DistinctDiversity{2}}}});
  check.add(Texts{"a", "1"}, Texts{"flu"}, false, 3);
  check.add(Texts{"a", "1"}, Texts{"cold"}, false);
  check.add(Texts{"b", std::nullopt}, Texts{"flu"}, false, 2);
  check.add(Texts{"b", "NULL"}, Texts{"flu"}, false);
  const auto found = findings_of(check, {3, SuppressedRecords::keep_or_drop, 0});
  CHECK(found.records == 7);
  CHECK(found.classes == 3);  // NULL is no text
  CHECK(found.k == 1);
  CHECK_FALSE(found.is_kept());
  REQUIRE(found.demands.size() == 2);
  CHECK(found.demands[0].model == "k 3");
  CHECK(found.demands[0].classes == 2);
  CHECK(found.demands[0].records == 3);
  CHECK(found.demands[1].column == "illness");
  CHECK(found.demands[1].classes == 2);
  CHECK(found.offending_classes == 2);
  CHECK(found.offending.empty());
  const auto named = findings_of(check, {3, SuppressedRecords::keep_or_drop, 1});
  REQUIRE(named.offending.size() == 1);
  CHECK(named.offending[0].records == 1);
  CHECK(named.offending[0].key[1] == "NULL");
}

TEST_CASE("records that show nothing but * are no class, others that show only * there are one") {
  TableCheck hidden(std::vector<CheckedColumn>{{"illness"}});
  hidden.add(Texts{"a"}, Texts{"flu"}, false, 5);
  hidden.add(Texts{"*"}, Texts{std::nullopt}, false, 2);
  auto found = findings_of(hidden, {5, SuppressedRecords::keep_or_drop, 0});
  CHECK(found.is_kept());
  CHECK(found.hidden_records == 2);
  CHECK(found.columns[0].distinct_l == 1);
  TableCheck shown(std::vector<CheckedColumn>{{"illness"}});
  shown.add(Texts{"a"}, Texts{"flu"}, false, 5);
  shown.add(Texts{"*"}, Texts{"flu"}, false, 2);
  CHECK_FALSE(findings_of(shown, {5, SuppressedRecords::keep_or_drop, 0}).is_kept());
  CHECK_FALSE(findings_of(shown, {5, SuppressedRecords::keep_or_hide, 0}).is_kept());
  CHECK(findings_of(shown, {5, SuppressedRecords::keep, 0}).is_kept());
  TableCheck other{std::vector<CheckedColumn>()};
  other.add(Texts{"*"}, Texts{}, true, 2);  // a cell of a column that is neither
  CHECK_FALSE(findings_of(other, {5, SuppressedRecords::keep_or_hide, 0}).is_kept());
}

TEST_CASE("classes are compared with what was expected, not with what is left of it") {
  CheckedColumn column{"illness", {TCloseness{0.1, Distance::equal}}};
  TableCheck alone(std::vector<CheckedColumn>{column});
  alone.add(Texts{"a"}, Texts{"flu"}, false, 5);
  CHECK(findings_of(alone, {}).is_kept());
  column.expected = ValueCounts{{"flu", 1}, {"cold", 1}};
  TableCheck compared(std::vector<CheckedColumn>{column});
  compared.add(Texts{"a"}, Texts{"flu"}, false, 5);
  CHECK_FALSE(findings_of(compared, {}).is_kept());
}

TEST_CASE("a distance without what it needs, values without a place") {
  TableCheck check(std::vector<CheckedColumn>{{"s", {TCloseness{0.1, Distance::ordered}}}});
  check.add(Texts{"a"}, Texts{"x"}, false);
  CHECK(check.finish({}).has_error());
  const ValueOrder by_number(SortedBy::number);  // in the call GCC 12 takes a part of it for uninitialized
  CHECK(ValueTable::make({{"x", 1}}, by_number, {}, {}).has_error());
  CHECK(ValueTable::make({{"x", 1}}, ValueOrder(std::vector<std::string>{"y"}), {}, {}).has_error());
  CHECK(ValueTable::make({{"x", 1}}, {}, illnesses(), {}).has_error());
  CHECK_FALSE(
      ValueTable::make({{std::nullopt, 1}, {"2", 1}}, ValueOrder(SortedBy::number), {}, {}).has_error());
}

TEST_CASE("models of the whole table are judged of all classes together") {
  TableCheck check{std::vector<CheckedColumn>()};
  for (const auto* key : {"a", "b", "c"}) check.add(Texts{key}, Texts{}, false);
  check.add(Texts{"d"}, Texts{}, false, 7);
  CheckDemand demand;
  demand.k = 1;
  demand.risks = {AverageRisk{0.4}, AverageRisk{0.39}, UniquenessInSample{0.3}, UniquenessInSample{0.29},
                  HighestRisk{0.5}};
  const auto found = findings_of(check, demand);
  CHECK(found.risks.average == doctest::Approx(0.4));
  CHECK(found.risks.sample_uniqueness == doctest::Approx(0.3));
  CHECK(found.risks.highest == 1);
  REQUIRE(found.demands.size() == 6);
  std::vector<bool> kept;
  for (const auto& it : found.demands) kept.push_back(it.is_kept());
  CHECK(kept == std::vector<bool>{true, true, false, true, false, false});
  CHECK(found.demands[2].is_broken_by_all);
  CHECK(found.demands[5].classes == 3);
  CHECK(found.offending_records == 3);  // of the highest risk: single classes break it
  CHECK_FALSE(found.is_kept());
}

TEST_CASE("a population is compared with as the table shows it") {
  const auto with = [](const CheckDemand& demand) {
    TableCheck check{std::vector<CheckedColumn>()};
    check.add(Texts{"2*"}, Texts{}, true, 2);
    check.add(Texts{"3*"}, Texts{}, true, 3);
    check.add(Texts{"*"}, Texts{}, true);
    check.add_population(Texts{"2*"}, 10);
    check.add_population(Texts{"3*"}, 4);
    check.add_population(Texts{"4*"}, 3);  // who looks like no class may be the one of *
    return findings_of(check, demand);
  };
  CheckDemand demand;
  demand.k_map = 4;
  demand.presence = DeltaPresence{0.2, 0.75};
  auto found = with(demand);
  REQUIRE(found.population);
  CHECK(found.population->records == 17);
  CHECK(found.population->smallest == 3);
  CHECK(found.population->least_share == doctest::Approx(0.2));
  CHECK(found.population->most_share == doctest::Approx(0.75));
  REQUIRE(found.demands.size() == 2);
  CHECK(found.demands[0].is_kept());
  CHECK(found.demands[1].classes == 1);  // the row of *: three people
  demand.suppressed_records = SuppressedRecords::keep;
  CHECK(with(demand).is_kept());
  demand.presence = DeltaPresence{0, 0.74};
  CHECK_FALSE(with(demand).is_kept());
  demand.presence = DeltaPresence{0.21, 1};
  CHECK_FALSE(with(demand).is_kept());
}

TEST_CASE("who looks like nobody shown breaks a least share, unless records were left out") {
  TableCheck check{std::vector<CheckedColumn>()};
  check.add(Texts{"2*"}, Texts{}, true, 2);
  check.add_population(Texts{"2*"}, 4);
  check.add_population(Texts{"3*"}, 1);
  CheckDemand demand;
  demand.presence = DeltaPresence{0.1, 0.5};
  auto found = findings_of(check, demand);
  CHECK(found.population->unseen == 1);
  CHECK_FALSE(found.is_kept());
  demand.has_left_out = true;
  CHECK(findings_of(check, demand).is_kept());
  demand.has_left_out = false;
  demand.presence->least = 0;
  CHECK(findings_of(check, demand).is_kept());
}

TEST_CASE("without a population, or with one that lacks what is shown, presence and k-map are broken") {
  TableCheck check{std::vector<CheckedColumn>()};
  check.add(Texts{"2*"}, Texts{}, true, 2);
  CheckDemand demand;
  demand.presence = DeltaPresence{0, 1};
  CHECK_FALSE(findings_of(check, demand).is_kept());
  demand = {};
  demand.k_map = 1;
  CHECK_FALSE(findings_of(check, demand).is_kept());
  check.add_population(Texts{"2*"}, 1);
  CHECK_FALSE(findings_of(check, demand).is_kept());  // two are shown of one
  check.add_population(Texts{"2*"}, 1);
  CHECK(findings_of(check, demand).is_kept());
}

TEST_CASE("the level of a published column is told by its texts") {
  const auto ages = value_of(read_hierarchy("21;2*;*\n25;2*;*\n31;3*;*\n", ';'));
  CHECK(value_of(level_shown("age", ages, {"21", "31"})) == 0);
  CHECK(value_of(level_shown("age", ages, {"2*"})) == 1);
  CHECK(value_of(level_shown("age", ages, {"*"})) == 2);
  CHECK(level_shown("age", ages, {"2*", "31"}).has_error());
  CHECK(value_of(level_shown("age", ages, {})) == 0);  // nothing is shown: no level shows anything of it
  // France has no towns, so that it stands on two levels; Madrid would be itself or Spain, but neither is
  // shown.
  const auto towns = value_of(read_hierarchy("France;France;Europe\nMadrid;Spain;Europe\n", ';'));
  CHECK(value_of(level_shown("town", towns, {"France"})) == 0);
  CHECK(level_shown("town", value_of(read_hierarchy("France;France;*\nLyon;France;*\n", ';')), {"France"})
            .has_error());
  const auto shown = value_of(ShownAs::make("town", towns, 1));
  REQUIRE(shown.find("Madrid") != nullptr);
  CHECK(*shown.find("Madrid") == "Spain");
  CHECK(shown.find("Rome") == nullptr);
  CHECK(ShownAs::make("town", towns, 3).has_error());
}

}  // namespace pgveil::engine::table_check_test
