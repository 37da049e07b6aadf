// What aggregates leave possible, compared with all classes of small columns.
#include "jobs/check/aggregated_values.hpp"

#include <doctest/doctest.h>
#include <fmt/format.h>

#include <functional>
#include <map>
#include <set>

#include "engine/publish/class_aggregate.hpp"
#include "tests/unit/temporary_folder.hpp"

namespace pgveil::app::aggregated_values_test {
namespace {

using engine::Microaggregate;

struct Given {
  Microaggregate how = Microaggregate::mean;
  std::vector<std::string> values;
  std::optional<std::string> null_text = {};
  std::uint64_t k = 1;
  // [value]: its node one level above. Empty: there is no hierarchy.
  std::vector<std::string> nodes = {};
};

// A column that has each value once, and a job that aggregates it.
class AggregatedColumnOfJob {
 public:
  explicit AggregatedColumnOfJob(const Given& given) : given_(given) {
    engine::ColumnEncoder encoder("v");
    for (const auto& value : given.values) encoder.add(value);
    column_ = std::move(encoder).finish();
    job_.k = given.k;
    job_.null_text = given.null_text;
    attribute_.name = "v";
    attribute_.attribute_class = AttributeClass::quasi_identifier;
    attribute_.aggregate = given.how;
    if (given.nodes.empty()) return;
    std::string rows;
    for (std::size_t i = 0; i < given.values.size(); ++i)
      rows += fmt::format("{};{};*\n", given.values[i], given.nodes[i]);
    folder_.write("v.csv", rows);
    attribute_.hierarchy = JobFile{folder_.path("v.csv"), ';'};
  }
  Result<AggregatedValues> made(std::optional<unsigned> level = std::nullopt) const {
    return AggregatedValues::make(attribute_, column_, job_, level);
  }
  AggregatedValues values(std::optional<unsigned> level = std::nullopt) const {
    auto it = made(level);
    REQUIRE_MESSAGE(it.has_value(), one_line(it.error()));
    return std::move(*it);
  }
  // What a class shows that has so many records of each value.
  std::string shown(const std::vector<std::uint64_t>& counts) const {
    const auto aggregate =
        engine::ClassAggregate::make(column_, {"v", given_.how, given_.null_text}, 1, given_.k);
    REQUIRE(aggregate.has_value());
    std::vector<engine::ValueCount> values;
    for (std::size_t code = 0; code < counts.size(); ++code) {
      if (counts[code] > 0) values.push_back({static_cast<engine::Code>(code), counts[code]});
    }
    return aggregate->of(values).text;
  }
  std::size_t size() const { return column_.values.size(); }
  // Whether records of these values can be in one class that was formed at the level.
  bool is_below_one_node(const std::vector<std::uint64_t>& counts, unsigned level) const {
    std::set<std::string> nodes;
    for (std::size_t code = 0; code < counts.size(); ++code) {
      if (counts[code] == 0) continue;
      nodes.insert(level == 0 ? given_.values[code] : level == 1 ? given_.nodes[code] : "*");
    }
    return nodes.size() == 1;
  }

 private:
  Given given_;
  TemporaryFolder folder_;
  engine::Column column_;
  Job job_;
  JobAttribute attribute_;
};

// Calls work with each way in which so many records can have the values.
void for_each_class(std::size_t values, std::uint64_t records,
                    const std::function<void(const std::vector<std::uint64_t>&)>& work) {
  std::vector<std::uint64_t> counts(values, 0);
  const std::function<void(std::size_t, std::uint64_t)> fill = [&](std::size_t at, std::uint64_t left) {
    if (at + 1 == values) {
      counts[at] = left;
      return work(counts);
    }
    for (counts[at] = 0; counts[at] <= left; ++counts[at]) fill(at + 1, left - counts[at]);
  };
  fill(0, records);
}

using Flags = std::vector<bool>;

// [text][records]: the values that occur in classes that show the text.
using Occurring = std::map<std::string, std::map<std::uint64_t, Flags>>;

void add(Flags& to, const Flags& flags) {
  to.resize(flags.size(), false);
  for (std::size_t i = 0; i < flags.size(); ++i) to[i] = to[i] || flags[i];
}

Occurring occurring(const AggregatedColumnOfJob& column, std::uint64_t k, std::uint64_t most,
                    std::optional<unsigned> level) {
  Occurring made;
  for (std::uint64_t records = k; records <= most; ++records) {
    for_each_class(column.size(), records, [&](const std::vector<std::uint64_t>& counts) {
      if (level && !column.is_below_one_node(counts, *level)) return;
      Flags flags;
      for (const auto count : counts) flags.push_back(count > 0);
      add(made[column.shown(counts)][records], flags);
    });
  }
  return made;
}

// Also of two classes that show the same, which are one class in the file.
Occurring with_joined(const Occurring& classes, std::uint64_t most) {
  Occurring made = classes;
  for (const auto& [text, by_size] : classes) {
    for (const auto& [one, flags] : by_size) {
      for (const auto& [other, more] : by_size) {
        if (one + other > most) continue;
        add(made[text][one + other], flags);
        add(made[text][one + other], more);
      }
    }
  }
  return made;
}

// exact_to: for classes of at most so many records, what is called possible is what occurs. Returns how many
// of their texts exclude a value.
std::size_t check_all(const Given& given, std::uint64_t most, std::uint64_t exact_to,
                      std::optional<unsigned> level = std::nullopt) {
  CAPTURE(engine::name(given.how));
  CAPTURE(fmt::format("{}", given.k));
  CAPTURE(given.values.front());
  CAPTURE(given.null_text.has_value());
  const AggregatedColumnOfJob column(given);
  const auto values = column.values(level);
  const auto classes = with_joined(occurring(column, given.k, most, level), most);
  std::size_t narrowed = 0;
  for (const auto& [text, by_size] : classes) {
    CAPTURE(text);
    for (std::uint64_t records = given.k; records <= most; ++records) {
      CAPTURE(records);
      const auto possible = values.possible(text, records);
      REQUIRE(possible.size() == column.size());
      const auto found = by_size.find(records);
      const Flags occurs = found == by_size.end() ? Flags(column.size(), false) : found->second;
      if (text == "*") {
        CHECK(possible == Flags(column.size(), true));
      } else if (records <= exact_to) {
        CHECK(possible == occurs);
        if (found != by_size.end() && occurs != Flags(column.size(), true)) ++narrowed;
      } else {
        for (std::size_t code = 0; code < occurs.size(); ++code) CHECK((possible[code] || !occurs[code]));
      }
    }
  }
  return narrowed;
}

const std::vector<std::string> kWhole{"1", "2", "4", "7", "8"}, kDecimals{"0.5", "1.25", "3", "3.0", "10"},
    kNegative{"-7", "-3", "0", "2.5", "9"}, kThousands{"1000", "3000", "6000", "10000"},
    kDates{"2020-02-27", "2020-02-28", "2020-02-29", "2020-03-02", "2020-03-09"},
    kHuge{"-999999999999999999", "999999999999999999", "999999999999999998", "123456789012345678"},
    kManyDigits{"0.12345678901234567", "9", "4.5", "0.00000000000000001"};

std::vector<Given> givens(Microaggregate how, const std::vector<std::vector<std::string>>& columns) {
  std::vector<Given> made;
  for (const auto& values : columns) {
    for (const std::uint64_t k : {1, 2, 3}) {
      made.push_back({how, values, std::nullopt, k});
      auto with_null = values;
      with_null.insert(with_null.begin() + 1, "?");
      made.push_back({how, with_null, "?", k});
    }
  }
  return made;
}

const std::vector<std::vector<std::string>> kMeasured{kWhole, kDecimals, kNegative, kThousands, kDates};
const std::vector<std::vector<std::string>> kWide{kHuge, kManyDigits};

TEST_CASE("the values behind a mean are those that occur in classes that show it") {
  std::size_t narrowed = 0;
  for (const auto& given : givens(Microaggregate::mean, kMeasured)) narrowed += check_all(given, 6, 6);
  CHECK(narrowed > 1000);
}

TEST_CASE("the values behind a median are those that occur in classes that show it") {
  std::size_t narrowed = 0;
  for (const auto& given : givens(Microaggregate::median, kMeasured)) narrowed += check_all(given, 6, 6);
  for (const auto& given : givens(Microaggregate::median, kWide)) narrowed += check_all(given, 5, 5);
  CHECK(narrowed > 200);
}

TEST_CASE("the values behind an interval are those that occur in classes that show it") {
  std::size_t narrowed = 0;
  for (const auto& given : givens(Microaggregate::interval, kMeasured)) narrowed += check_all(given, 6, 6);
  for (const auto& given : givens(Microaggregate::interval, kWide)) narrowed += check_all(given, 5, 5);
  CHECK(narrowed > 200);
}

TEST_CASE("the values behind a mode are those that occur in classes that show it") {
  std::size_t narrowed = 0;
  for (const auto& given : givens(Microaggregate::mode, {{"cow", "ant", "bee", "dog"}, kWhole, kDates}))
    narrowed += check_all(given, 6, 6);
  CHECK(narrowed > 50);
}

TEST_CASE("a geometric mean excludes no value that occurs, and of one or two records all others") {
  std::size_t narrowed = 0;
  const std::vector<std::vector<std::string>> columns{kWhole,
                                                      kDecimals,
                                                      kThousands,
                                                      {"0", "3", "1234567", "1234569", "12345678"},
                                                      {"1234501", "1234568", "1234635"},
                                                      {"1", "2", "999999999999999999", "999999999999999998"}};
  for (const auto& given : givens(Microaggregate::geometric_mean, columns))
    // With NULL, a class of k records or more can have fewer values, so the least and the greatest decide.
    narrowed += check_all(given, 6, 2);
  CHECK(narrowed > 100);
}

TEST_CASE("means of numbers that are too far apart for a table of sums exclude no value that occurs") {
  std::size_t narrowed = 0;
  for (const auto& given : givens(Microaggregate::mean, {{"0", "2000000", "3000001"}, kHuge, kManyDigits}))
    narrowed += check_all(given, 4, 2);
  CHECK(narrowed > 20);
}

TEST_CASE("classes that look alike show together what they show alone") {
  const auto check = [](const Given& given) {
    CAPTURE(engine::name(given.how));
    const AggregatedColumnOfJob column(given);
    std::map<std::string, std::vector<std::vector<std::uint64_t>>> classes;
    for (std::uint64_t records = given.k; records <= 4; ++records)
      for_each_class(column.size(), records, [&](const std::vector<std::uint64_t>& counts) {
        classes[column.shown(counts)].push_back(counts);
      });
    for (const auto& [text, alike] : classes) {
      if (text == "*") continue;
      for (const auto& one : alike) {
        for (const auto& other : alike) {
          auto both = one;
          for (std::size_t i = 0; i < both.size(); ++i) both[i] += other[i];
          CHECK(column.shown(both) == text);
        }
      }
    }
  };
  for (const auto how : {Microaggregate::mean, Microaggregate::median, Microaggregate::interval}) {
    check({how, {"-3", "0", "2.5", "4"}, std::nullopt, 2});
    check({how, {"2020-02-28", "2020-02-29", "2020-03-02", ""}, "", 1});
  }
  check({Microaggregate::geometric_mean, {"0", "3", "5", "1234567"}, std::nullopt, 2});
  check({Microaggregate::mode, {"cow", "ant", "bee", ""}, "", 2});
}

TEST_CASE("with a level, the values are below one node") {
  std::size_t narrowed = 0;
  const std::vector<std::string> apart{"low", "low", "low", "high", "high", "none"};
  for (const auto how :
       {Microaggregate::mean, Microaggregate::median, Microaggregate::interval, Microaggregate::mode}) {
    for (const std::uint64_t k : {1, 2}) {
      const Given given{how, {"1", "2", "4", "7", "9", "?"}, "?", k, apart};
      narrowed += check_all(given, 6, 6, 1);
      narrowed += check_all(given, 6, 6, 0);
      narrowed += check_all(given, 6, 6, 2);
      narrowed += check_all(given, 6, 6, std::nullopt);
      // NULL together with values.
      narrowed += check_all(
          {how, {"1", "2", "4", "7", "9", "?"}, "?", k, {"low", "low", "low", "high", "high", "high"}}, 6, 6,
          1);
    }
  }
  CHECK(narrowed > 200);
}

TEST_CASE("with nodes that have numbers between each other's, no value is excluded that occurs") {
  std::size_t narrowed = 0;
  const std::vector<std::string> values{"1", "2", "4", "5", "9", "?"};
  const std::vector<std::string> nodes{"odd", "even", "even", "odd", "odd", "even"};
  for (const auto how : {Microaggregate::mean, Microaggregate::median, Microaggregate::geometric_mean}) {
    const std::uint64_t exact_to = how == Microaggregate::geometric_mean ? 2 : 3;
    narrowed += check_all({how, values, "?", 1, nodes}, 6, 1, 1);
    narrowed += check_all({how, values, "?", 2, nodes}, 6, exact_to, 1);
  }
  CHECK(narrowed > 10);
}

TEST_CASE("large classes whose mean is near an end have few values, and others all") {
  const AggregatedColumnOfJob column({Microaggregate::mean, {"1", "2", "4"}, std::nullopt, 2});
  const auto values = column.values();
  CHECK(values.possible("1", 100) == Flags{true, false, false});
  CHECK(values.possible("1", 250) == Flags{true, true, false});  // 251 / 250 is rounded to 1
  CHECK(values.possible("1.01", 100) == Flags{true, true, false});
  CHECK(values.possible("1.03", 100) == Flags{true, true, true});
  CHECK(values.possible("3.98", 60) == Flags(3, false));  // 239, where only 238 and 240 have a 2 or none
  CHECK(values.possible("3.97", 60) == Flags{false, true, true});
  // Above the tables of sums, the least and the greatest sum decide.
  CHECK(values.possible("3.99", 100) == Flags{false, false, true});
  CHECK(values.possible("3.98", 100) == Flags{false, true, true});
  CHECK(values.possible("2.5", 4'000'000'000) == Flags{true, true, true});
  CHECK(values.possible("1", 4'000'000'000) == Flags{true, true, true});
  std::map<std::string, Flags> occurs;
  for_each_class(3, 80, [&](const std::vector<std::uint64_t>& counts) {
    add(occurs[column.shown(counts)], {counts[0] > 0, counts[1] > 0, counts[2] > 0});
  });
  for (const auto& [text, flags] : occurs) {
    CAPTURE(text);
    const auto possible = values.possible(text, 80);
    for (std::size_t code = 0; code < flags.size(); ++code) CHECK((possible[code] || !flags[code]));
  }
}

TEST_CASE("numbers that differ by multiples of a unit have sums that do, in classes of any size") {
  const AggregatedColumnOfJob column({Microaggregate::mean, {"1000", "3000", "9000"}, std::nullopt, 2});
  const auto values = column.values();
  CHECK(values.possible("2000", 2) == Flags{true, true, false});
  CHECK(values.possible("2000", 3) == Flags(3, false));
  CHECK(values.possible("1020", 100) == Flags{true, true, false});
  CHECK(values.possible("1010", 100) == Flags(3, false));
  CHECK(values.possible("1080", 100) == Flags(3, true));
}

TEST_CASE("texts that no class can show leave no value") {
  const std::vector<std::string> strange{
      "",           "x",      "99",    "[1,2]", "1e3",
      "2020-01-01", "--1",    "1.",    ".5",    "0.99",
      "9.01",       "-3",     "1.555", "[2,1]", "[1,1]",
      "[1,3",       "[1,99]", "[a,b]", "[,]",   "1234567890123456789012345678901234567890"};
  for (const auto how : {Microaggregate::mean, Microaggregate::geometric_mean, Microaggregate::median,
                         Microaggregate::mode, Microaggregate::interval}) {
    CAPTURE(engine::name(how));
    const AggregatedColumnOfJob column({how, {"1", "2", "5", "9"}, "NULL", 2});
    const auto values = column.values();
    for (const auto& text : strange) {
      CAPTURE(text);
      const bool is_shown = how == Microaggregate::interval && text == "[1,2]";
      CHECK(values.possible(text, 3) == (is_shown ? Flags{true, true, false, false} : Flags(4, false)));
    }
    CHECK(values.possible("*", 3) == Flags(4, true));
    CHECK(values.possible("NULL", 3) == Flags(4, false));  // the column has none
  }
  const AggregatedColumnOfJob dates({Microaggregate::mean, {"2020-02-28", "2020-03-02"}, std::nullopt, 2});
  for (const auto* text : {"2020-02-30", "2020-02-27", "2020-03-03", "18320", "2020-03"})
    CHECK(dates.values().possible(text, 2) == Flags(2, false));
}

TEST_CASE("NULL is shown by classes that have nothing else") {
  const AggregatedColumnOfJob column({Microaggregate::mean, {"1", "", "2"}, "", 2});
  const auto values = column.values();
  CHECK(values.possible("", 3) == Flags{false, true, false});
  CHECK(values.names_one_value(""));
  // Two records with a value at least.
  CHECK(values.possible("1.5", 2) == Flags{true, false, true});
  CHECK(values.possible("1.5", 3) == Flags(3, true));
}

TEST_CASE("only NULL and intervals of one value name the value of all records") {
  const AggregatedColumnOfJob interval({Microaggregate::interval, {"1", "2"}, "", 2});
  CHECK(interval.values().names_one_value("1"));
  CHECK(interval.values().names_one_value(""));
  CHECK_FALSE(interval.values().names_one_value("[1,2]"));
  CHECK_FALSE(interval.values().names_one_value("*"));
  const AggregatedColumnOfJob mean({Microaggregate::mean, {"1", "2"}, std::nullopt, 2});
  CHECK_FALSE(mean.values().names_one_value("1"));
  CHECK_FALSE(mean.values().names_one_value(""));
}

TEST_CASE("a column or a level that is not of the job is refused") {
  CHECK_FALSE(
      AggregatedColumnOfJob({Microaggregate::mean, {"1", "two"}, std::nullopt, 2}).made().has_value());
  const AggregatedColumnOfJob column({Microaggregate::mean, {"1", "2"}, std::nullopt, 2, {"low", "low"}});
  CHECK(column.made(2).has_value());
  const auto refused = column.made(3);
  REQUIRE_FALSE(refused.has_value());
  CHECK(refused.error().public_message == "the hierarchy of v has no level 3");
}

}  // namespace
}  // namespace pgveil::app::aggregated_values_test
