// Attacks on files of jobs with aggregates, compared with a second way of counting that tries all classes
// which can be behind each class of the file, for each person.
#include <doctest/doctest.h>
#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <map>
#include <random>
#include <set>

#include "engine/publish/class_aggregate.hpp"
#include "jobs/check/release_attack.hpp"
#include "jobs/report/release_attack_report.hpp"
#include "jobs/report/report.hpp"
#include "jobs/run/anonymize.hpp"
#include "jobs/run/applied_scheme.hpp"
#include "tests/unit/temporary_folder.hpp"

namespace pgveil::app::aggregate_attack_test {
namespace {

using engine::Microaggregate;
using Row = std::vector<std::string>;
using Values = std::set<std::string>;

engine::Table table_of(const std::string& text) {
  auto made = engine::read_table(text, ',');
  REQUIRE_MESSAGE(made.has_value(), one_line(made.error()));
  return std::move(*made);
}

std::vector<Row> rows_of(const engine::Table& table) {
  std::vector<Row> made(table.rows());
  for (const auto& column : table.columns) {
    for (std::size_t row = 0; row < table.rows(); ++row)
      made[row].push_back(column.values[column.codes.at(row)]);
  }
  return made;
}

const std::map<std::string, Row> kTowns{
    {"a", {"ab", "*"}}, {"b", {"ab", "*"}}, {"c", {"cd", "*"}}, {"d", {"cd", "*"}}};
// No number of one node is between those of another.
const std::map<std::string, Row> kApart{{"1", {"low", "*"}},  {"2", {"low", "*"}},  {"4", {"low", "*"}},
                                        {"7", {"high", "*"}}, {"9", {"high", "*"}}, {"?", {"none", "*"}}};
const std::map<std::string, Row> kMixed{{"1", {"odd", "*"}}, {"2", {"even", "*"}}, {"4", {"even", "*"}},
                                        {"7", {"odd", "*"}}, {"9", {"odd", "*"}},  {"?", {"even", "*"}}};

// Persons with a town, a number or NULL, and an illness.
class Persons {
 public:
  explicit Persons(std::uint64_t seed) {
    std::mt19937_64 random(seed);
    const std::size_t rows = 6 + random() % 8;
    const std::vector<std::string> numbers{"1", "2", "4", "7", "9", "?"};
    text = "town,number,illness\n";
    for (std::size_t i = 0; i < rows; ++i)
      text += fmt::format("{},{},i{}\n", static_cast<char>('a' + random() % 4),
                          numbers[random() % (seed % 3 == 0 ? 6 : 5)], random() % 3);
    folder.write("persons.csv", text);
    write("towns.csv", kTowns);
    write("apart.csv", kApart);
    write("mixed.csv", kMixed);
  }
  // hierarchy: of the number; empty: it has none.
  Job job(Microaggregate how, const std::string& hierarchy) const {
    const auto file = [](const std::string& name) {
      return fmt::format(", hierarchy: {{file: {}.csv, separator: \",\"}}", name);
    };
    auto read = read_job_text(
        fmt::format("version: 1\nname: persons\ninput: {{file: persons.csv, \"null\": \"?\"}}\nattributes:\n"
                    "  town: {{class: quasi_identifier{}}}\n"
                    "  number: {{class: quasi_identifier{}, aggregate: {}}}\n"
                    "  illness: {{class: sensitive}}\nk: 2\nsuppression: 30%\nsuppressed_records: keep\n"
                    "output: {{file: out.csv, replace: true}}\n",
                    file("towns"), hierarchy.empty() ? "" : file(hierarchy), engine::name(how)),
        folder.path("job.yaml"));
    REQUIRE_MESSAGE(read.has_value(), one_line(read.error()));
    return *read;
  }
  // nullopt: nothing could be published.
  std::optional<Scheme> publish(const Job& job) const {
    AnonymizeRequest request;
    request.job = job;
    auto made = anonymize(request, {});
    if (!made) return std::nullopt;
    auto scheme = read_scheme(report_json(*made));
    REQUIRE(scheme.has_value());
    return std::move(*scheme);
  }
  engine::Table input() const { return table_of(text); }
  engine::Table published() const { return table_of(folder.read("out.csv")); }

  TemporaryFolder folder;
  std::string text;

 private:
  void write(const std::string& name, const std::map<std::string, Row>& above) const {
    std::string hierarchy;
    for (const auto& [value, texts] : above)
      hierarchy += fmt::format("{},{}\n", value, fmt::join(texts, ","));
    folder.write(name, hierarchy);
  }
};

// The values that occur in classes of so many records that show a text, by a trial of all classes.
class AllClasses {
 public:
  // node_of: what a class shows of the hierarchy, so that all its values have the same.
  AllClasses(const engine::Column& column, Microaggregate how,
             std::function<std::string(const std::string&)> node_of)
      : column_(&column), node_of_(std::move(node_of)) {
    auto made = engine::ClassAggregate::make(column, {column.name, how, "?"}, 1, 2);
    REQUIRE(made.has_value());
    aggregate_.emplace(std::move(*made));
  }
  const Values& behind(const std::string& text, std::uint64_t records) {
    if (const auto [found, is_new] = by_size_.try_emplace(records); is_new) {
      std::vector<engine::ValueCount> values;
      fill(0, records, values, found->second);
    }
    if (text == "*") by_size_[records]["*"] = Values(column_->values.begin(), column_->values.end());
    return by_size_[records][text];
  }

 private:
  void fill(engine::Code code, std::uint64_t left, std::vector<engine::ValueCount>& values,
            std::map<std::string, Values>& out) const {
    if (left == 0) {
      auto& found = out[aggregate_->of(values).text];
      for (const auto& it : values) found.insert(column_->values[it.code]);
      return;
    }
    if (code == column_->values.size()) return;
    fill(code + 1, left, values, out);
    if (!values.empty() && node_of_(column_->values[values.front().code]) != node_of_(column_->values[code]))
      return;
    for (std::uint64_t records = 1; records <= left; ++records) {
      values.push_back({code, records});
      fill(code + 1, left - records, values, out);
      values.pop_back();
    }
  }

  const engine::Column* column_;
  std::function<std::string(const std::string&)> node_of_;
  std::optional<engine::ClassAggregate> aggregate_;
  std::map<std::uint64_t, std::map<std::string, Values>> by_size_;
};

struct Counted {
  std::uint64_t in_no_class = 0, in_one_class = 0, fewest = 0;
  std::uint64_t illnesses = 0, numbers = 0;             // learnt
  std::uint64_t shown = 0, narrowed = 0, computed = 0;  // of the aggregates
};

// excludes_suppressed: the town alone forms the classes, and who is in a class that is shown is not
// suppressed.
Counted count_again(const engine::Table& input, const engine::Table& published, AllClasses& all,
                    bool is_interval, bool knows_town, bool knows_number, bool excludes_suppressed) {
  Counted made;
  std::map<Row, std::vector<std::string>> classes;  // the illnesses of each
  for (const auto& record : rows_of(published)) classes[{record[0], record[1]}].push_back(record[2]);
  const auto& values = input.find("number")->values;
  for (const auto& [cells, illnesses] : classes) {
    const std::string& text = cells[1];
    const bool names_it = text == "*" || text == "?" || (is_interval && !text.starts_with('['));
    if (names_it) continue;
    const auto possible = all.behind(text, illnesses.size()).size();
    made.shown += illnesses.size();
    if (possible < values.size()) made.narrowed += illnesses.size();
    if (possible == 1 && values.size() > 1) made.computed += illnesses.size();
  }
  for (const auto& person : rows_of(input)) {
    std::uint64_t found = 0, records = 0;
    Values illnesses, numbers;
    const auto can_be_in = [&](const Row& cells, std::uint64_t size) {
      const auto& above = kTowns.at(person[0]);
      const bool covers_town = cells[0] == person[0] || std::ranges::find(above, cells[0]) != above.end();
      return (!knows_town || covers_town) &&
             (!knows_number || all.behind(cells[1], size).contains(person[1]));
    };
    const auto is_suppressed = [](const Row& cells) { return cells[0] == "*" && cells[1] == "*"; };
    const bool is_shown = std::ranges::any_of(classes, [&](const auto& it) {
      return can_be_in(it.first, it.second.size()) && !is_suppressed(it.first);
    });
    for (const auto& [cells, of_class] : classes) {
      if (!can_be_in(cells, of_class.size())) continue;
      if (excludes_suppressed && is_shown && is_suppressed(cells)) continue;
      const auto& behind = all.behind(cells[1], of_class.size());
      ++found;
      records += of_class.size();
      illnesses.insert(of_class.begin(), of_class.end());
      numbers.insert(behind.begin(), behind.end());
    }
    if (found == 0) ++made.in_no_class;
    if (found == 1) ++made.in_one_class;
    if (found > 0) made.fewest = made.fewest == 0 ? records : std::min(made.fewest, records);
    if (illnesses.size() == 1) ++made.illnesses;
    if (numbers.size() == 1) ++made.numbers;
  }
  return made;
}

struct Knowledge {
  std::vector<std::string> columns;
  bool town = false, number = false;
};
const std::vector<Knowledge> kKnowledge{
    {{"town"}, true, false}, {{"number"}, false, true}, {{"town", "number"}, true, true}};

void check_same(const ReleaseAttack& attack, const Counted& counted, bool knows_number) {
  CHECK(attack.known->in_no_class == 0);
  CHECK(attack.known->in_no_class == counted.in_no_class);
  CHECK(attack.known->in_one_class == counted.in_one_class);
  CHECK(attack.known->fewest_records == counted.fewest);
  REQUIRE(attack.known->learnt.size() == (knows_number ? 1 : 2));
  CHECK(attack.known->learnt[0].learnt == counted.illnesses);
  if (!knows_number) CHECK(attack.known->learnt[1].learnt == counted.numbers);
  REQUIRE(attack.aggregates.size() == 1);
  CHECK(attack.aggregates[0].records == counted.shown);
  CHECK(attack.aggregates[0].narrowed == counted.narrowed);
  CHECK(attack.aggregates[0].of_one_value == counted.computed);
  CHECK(attack.is_any_cell_computed() == (counted.computed > 0));
}

TEST_CASE("what aggregates leave possible is what a trial of all classes leaves, for every person") {
  std::size_t attacks = 0, narrowed = 0, computed = 0, numbers = 0;
  for (std::uint64_t seed = 1; seed <= 12; ++seed) {
    const Persons persons(seed);
    const auto input = persons.input();
    for (const auto how :
         {Microaggregate::mean, Microaggregate::median, Microaggregate::mode, Microaggregate::interval}) {
      for (const std::string hierarchy : {"", "apart"}) {
        CAPTURE(seed);
        CAPTURE(engine::name(how));
        CAPTURE(hierarchy);
        const auto job = persons.job(how, hierarchy);
        const auto scheme = persons.publish(job);
        if (!scheme) continue;
        const auto published = persons.published();
        const auto level = scheme->transformations.front()[1];
        AllClasses unknown_level(*input.find("number"), how, [](const std::string&) { return ""; });
        AllClasses known_level(*input.find("number"), how, [&](const std::string& value) {
          if (hierarchy.empty()) return std::string();
          return level == 0 ? value : kApart.at(value)[level - 1];
        });
        for (const auto& known : kKnowledge) {
          const bool is_interval = how == Microaggregate::interval;
          const auto check = [&](const PublishedFile& file, AllClasses& all) {
            const auto made = attack_release(file, input, known.columns, {});
            REQUIRE_MESSAGE(made.has_value(), one_line(made.error()));
            const bool excludes_suppressed = known.town && hierarchy.empty();
            check_same(*made,
                       count_again(input, published, all, is_interval, known.town, known.number,
                                   excludes_suppressed),
                       known.number);
            for (const auto& column : made->known->learnt) CHECK(column.wrong == 0);
            ++attacks;
            narrowed += made->aggregates[0].narrowed;
            computed += made->aggregates[0].of_one_value;
            if (!known.number) numbers += made->known->learnt[1].learnt;
          };
          check({&job, &published}, unknown_level);
          check({&job, &published, scheme->transformations}, known_level);
        }
      }
    }
  }
  CHECK(attacks > 300);
  CHECK(narrowed > 1000);
  CHECK(computed > 100);
  CHECK(numbers > 20);
}

TEST_CASE("no claim is wrong, also of geometric means, and of classes that were joined from several nodes") {
  std::size_t attacks = 0, narrowed = 0;
  for (std::uint64_t seed = 1; seed <= 30; ++seed) {
    const Persons persons(seed);
    const auto input = persons.input();
    for (const auto how : {Microaggregate::mean, Microaggregate::median, Microaggregate::geometric_mean}) {
      CAPTURE(seed);
      CAPTURE(engine::name(how));
      const auto job = persons.job(how, "mixed");
      const auto scheme = persons.publish(job);
      if (!scheme) continue;
      const auto published = persons.published();
      for (const auto& it : kKnowledge) {
        const auto made = attack_release({&job, &published, scheme->transformations}, input, it.columns, {});
        REQUIRE_MESSAGE(made.has_value(), one_line(made.error()));
        CHECK(made->known->in_no_class == 0);
        for (const auto& column : made->known->learnt) CHECK(column.wrong == 0);
        narrowed += made->aggregates[0].narrowed;
        ++attacks;
      }
    }
  }
  CHECK(attacks > 150);
  CHECK(narrowed > 100);
}

const std::string kFour = "town,number,illness\na,1,flu\na,1,gout\nb,2,flu\nb,7,gout\n";
const std::string kMeans = "town,number,illness\na,1,flu\na,1,gout\nb,4.5,flu\nb,4.5,gout\n";

TEST_CASE("two records whose mean is the least value have it, and other pairs stay open") {
  const Persons persons(1);
  const auto job = persons.job(Microaggregate::mean, "");
  const auto input = table_of(kFour), published = table_of(kMeans);
  const auto made = attack_release({&job, &published}, input, {"town"}, {});
  REQUIRE_MESSAGE(made.has_value(), one_line(made.error()));
  REQUIRE(made->aggregates.size() == 1);
  CHECK(made->aggregates[0].name == "number");
  CHECK(made->aggregates[0].records == 4);
  CHECK(made->aggregates[0].narrowed == 4);
  CHECK(made->aggregates[0].of_one_value == 2);
  CHECK(made->aggregates[0].possible_share == doctest::Approx((2 * 1.0 + 2 * 2.0) / 3 / 4));
  REQUIRE(made->known->learnt.size() == 2);
  CHECK(made->known->learnt[0].name == "illness");
  CHECK(made->known->learnt[1].name == "number");
  CHECK(made->known->learnt[1].learnt == 2);
  CHECK(made->is_any_cell_computed());
  CHECK_FALSE(made->is_anything_learnt());
  // Without the input, the values that it has are not known.
  CHECK(attack_release({&job, &published})->aggregates.empty());
  // The number alone tells the class.
  const auto by_number = attack_release({&job, &published}, input, {"number"}, {});
  REQUIRE(by_number.has_value());
  CHECK(by_number->known->in_one_class == 4);
  CHECK(by_number->known->learnt.size() == 1);
}

TEST_CASE("a column of one value tells nothing that is not known") {
  const Persons persons(1);
  const auto job = persons.job(Microaggregate::mean, "");
  const auto input = table_of("town,number,illness\na,1,flu\na,1,gout\n");
  const auto made = attack_release({&job, &input}, input, {"town"}, {});
  REQUIRE(made.has_value());
  CHECK(made->aggregates[0].records == 2);
  CHECK(made->aggregates[0].narrowed == 0);
  CHECK(made->aggregates[0].of_one_value == 0);
  CHECK(made->aggregates[0].possible_share == 1);
  CHECK_FALSE(made->is_any_cell_computed());
}

TEST_CASE("a file with an aggregate that no class can have is refused, whatever is known") {
  const Persons persons(1);
  const auto job = persons.job(Microaggregate::mean, "");
  const auto input = table_of(kFour);
  for (const auto* text : {"5", "99", "x", "1.005"}) {
    CAPTURE(text);
    auto other = kMeans;
    for (const int record : {0, 1}) {
      CAPTURE(record);
      other.replace(other.find("b,4.5"), 5, fmt::format("b,{}", text));
    }
    const auto published = table_of(other);
    for (const auto& it : kKnowledge) {
      const auto refused = attack_release({&job, &published}, input, it.columns, {});
      REQUIRE(refused.has_error());
      CHECK(refused.error().public_message ==
            "1 texts of number in the file stand for no value of the input");
    }
  }
}

TEST_CASE("aggregates of another file exclude nothing, because others can be in it") {
  const Persons persons(1);
  const auto job = persons.job(Microaggregate::mean, "");
  const auto input = table_of(kFour), published = table_of(kMeans);
  // People with 9 are in this file, and nobody in the input has it.
  const auto second = table_of("town,number,illness\n*,2,flu\n*,2,flu\n*,2,flu\n*,9,gout\n*,9,gout\n");
  const std::vector<PublishedFile> others{{&job, &second}};
  const auto made = attack_release({&job, &published}, input, {"number"}, others);
  REQUIRE_MESSAGE(made.has_value(), one_line(made.error()));
  REQUIRE(made->together.has_value());
  REQUIRE(made->together->learnt.size() == 1);
  CHECK(made->together->learnt[0].name == "illness");
  CHECK(made->together->learnt[0].learnt == 0);
  CHECK(made->together->learnt[0].wrong == 0);
  const auto by_town = attack_release({&job, &published}, input, {"town"}, others);
  REQUIRE(by_town.has_value());
  CHECK(by_town->together->learnt.size() == 1);
}

TEST_CASE("reports have the table of aggregates, and say what was not tried of them") {
  const Persons persons(1);
  const auto job = persons.job(Microaggregate::mean, "");
  const auto input = table_of(kFour), published = table_of(kMeans);
  const auto made = attack_release({&job, &published}, input, {"town"}, {});
  REQUIRE(made.has_value());
  ReleaseAttackReport report{"0", "persons", "the file out.csv", "a5", {}, "flash", 2, *made, {}};
  report.not_tried = not_tried_on(job, *made);
  CHECK(report.is_anything_found());
  for (const auto write : {release_attack_text, release_attack_html}) {
    CHECK(write(report).find("Somebody who knows the job and no person: aggregates") != std::string::npos);
    CHECK(write(report).find("50.0 %") != std::string::npos);
    CHECK(write(report).find("A mean gives the last value") != std::string::npos);
    CHECK(write(report).find("Verdict: values of generalized cells follow.") != std::string::npos);
  }
  CHECK(
      release_attack_json(report).find(
          R"("aggregates":[{"column":"number","aggregate":"mean","records":4,"narrowed":4,"possible_share":)") !=
      std::string::npos);
  const auto alone = attack_release({&job, &published});
  CHECK(std::ranges::count(not_tried_on(job, *alone),
                           "Which values the aggregates leave possible: name known columns with --knows.") ==
        1);
  CHECK(std::ranges::count(not_tried_on(job, *made),
                           "Which values the aggregates leave possible: name known columns with --knows.") ==
        0);
}

}  // namespace
}  // namespace pgveil::app::aggregate_attack_test
