// Jobs with `unit`: each class of what is published has k different units. Units are counted here from the
// input: each published record has the number of the record that it was.
#include <doctest/doctest.h>
#include <fmt/format.h>

#include <map>
#include <random>
#include <set>

#include "jobs/cluster/job_description.hpp"
#include "jobs/report/certificate.hpp"
#include "jobs/run/anonymize.hpp"

namespace pgveil::app::units_test {
namespace {

struct Household {
  std::string age, town, house;
};
using Households = std::vector<Household>;

// A few houses of many persons, and many of few.
Households random_households(std::uint64_t seed) {
  std::mt19937_64 random(seed);
  Households made(20 + random() % 60);
  for (auto& it : made) {
    const auto house = random() % 3 == 0 ? random() % 3 : random() % 40;
    it = {fmt::format("{}", 20 + random() % 30), fmt::format("t{}", random() % 3), fmt::format("h{}", house)};
  }
  return made;
}

engine::Table table_of(const Households& persons) {
  engine::ColumnEncoder number("number"), age("age"), town("town"), house("house");
  for (std::size_t i = 0; i < persons.size(); ++i) {
    number.add(fmt::format("{}", i));
    age.add(persons[i].age);
    town.add(persons[i].town);
    house.add(persons[i].house);
  }
  engine::Table made;
  for (auto* column : {&number, &age, &town, &house}) made.columns.push_back(std::move(*column).finish());
  return made;
}

constexpr const char* kLevels =
    "  age: {class: quasi_identifier, hierarchy: {intervals: {widths: [5, 10, 30]}}}\n"
    "  town: {class: quasi_identifier, hierarchy: {tree: {all: [t0, t1, t2]}}}\n";
constexpr const char* kNumbers =
    "  age: {class: quasi_identifier, numeric: true}\n"
    "  town: {class: quasi_identifier, hierarchy: {tree: {all: [t0, t1, t2]}}}\n";

Job job_of(const std::string& attributes, const std::string& more) {
  const auto job = read_job_text("version: 1\nname: houses\ninput: {file: none.csv}\nattributes:\n" +
                                     attributes + "  number: {class: insensitive}\nunit: house\nseed: 1\n" +
                                     more + "output: {file: none_k.csv}\n",
                                 "/jobs/houses.yaml");
  REQUIRE_MESSAGE(job.has_value(), one_line(job.error()));
  return *job;
}

struct Outcome {
  JobReport report;
  engine::Publication publication;
};

Result<Outcome> run(const Job& job, const engine::Table& table) {
  AnonymizeRequest request;
  request.job = job;
  request.table = &table;
  Outcome made;
  AnonymizeHooks hooks;
  hooks.publication = [&made](const engine::Publication& it) { made.publication = it; };
  auto report = anonymize(request, hooks);
  if (!report) return report.error();
  made.report = std::move(*report);
  return made;
}

std::string cell(const engine::Publication& from, std::size_t column, std::size_t row) {
  const auto code = from.columns[column].codes[row];
  return code == engine::kNullCode ? "NULL" : from.columns[column].values[code];
}

// The houses of each class that was published.
std::map<std::string, std::set<std::string>> houses_by_class(const engine::Publication& from,
                                                             const Households& persons) {
  std::map<std::string, std::set<std::string>> made;
  REQUIRE(from.columns.size() == 3);
  for (std::size_t row = 0; row < from.rows; ++row) {
    if (cell(from, 2, row) == "NULL") continue;  // it is hidden
    const auto number = std::stoul(cell(from, 2, row));
    CHECK(from.source_rows[row] == number);
    made[cell(from, 0, row) + "|" + cell(from, 1, row)].insert(persons[number].house);
  }
  return made;
}

std::string class_at(const Household& it, unsigned age_level, unsigned town_level) {
  static constexpr unsigned kWidths[] = {1, 5, 10, 30};
  const auto age = static_cast<unsigned>(std::stoul(it.age));
  return (age_level == 4 ? "*" : fmt::format("{}", age / kWidths[age_level])) + "|" +
         (town_level == 0 ? it.town : "*");
}

// Records in classes with fewer than k houses.
std::uint64_t records_below(const Households& persons, unsigned age_level, unsigned town_level,
                            std::uint64_t k) {
  std::map<std::string, std::set<std::string>> houses;
  std::map<std::string, std::uint64_t> records;
  for (const auto& it : persons) {
    houses[class_at(it, age_level, town_level)].insert(it.house);
    ++records[class_at(it, age_level, town_level)];
  }
  std::uint64_t below = 0;
  for (const auto& [key, found] : houses) below += found.size() < k ? records[key] : 0;
  return below;
}

TEST_CASE("a transformation is anonymous if enough records are in classes of k units") {
  for (std::uint64_t seed = 0; seed < 30; ++seed) {
    CAPTURE(seed);
    const auto persons = random_households(seed);
    const auto table = table_of(persons);
    const std::uint64_t k = 2 + seed % 3;
    AnonymizeRequest request;
    request.job = job_of(kLevels, fmt::format("k: {}\nsuppression: 20%\nalgorithm: brute_force\n", k));
    request.table = &table;
    request.lists_only = true;
    const auto made = anonymize(request, {});
    REQUIRE_MESSAGE(made.has_value(), one_line(made.error()));
    CHECK(made->search->checked.size() == 10);
    for (const auto& it : made->search->checked) {
      CAPTURE(levels_text(it.levels));
      CHECK(it.is_anonymous ==
            (records_below(persons, it.levels[0], it.levels[1], k) <= made->suppression_limit));
    }
  }
}

TEST_CASE("every algorithm publishes classes of k units, and the report says the fewest") {
  const struct {
    const char* attributes;
    const char* more;
  } cases[] = {{kLevels, "suppression: 20%\n"},
               {kLevels, "suppression: 20%\nsuppressed_records: drop\nalgorithm: best_first\n"},
               {kLevels, "suppression: 20%\nsuppressed_records: keep_or_hide\n"},
               {kLevels, "suppression: 90%\ngs: 0\nlocal_recoding: 5\n"},
               {kLevels, "suppression: 90%\ngs: 0\nlocal_recoding: 5\nsuppressed_records: drop\n"},
               {kNumbers, "algorithm: mondrian\n"},
               {kNumbers, "algorithm: mondrian\nmondrian: {cuts: relaxed}\n"},
               {kNumbers, "algorithm: mondrian\nresist: [minimality]\n"},
               {kNumbers, "algorithm: least_loss\n"}};
  std::size_t large = 0;
  for (const auto& [attributes, more] : cases) {
    CAPTURE(more);
    for (std::uint64_t seed = 0; seed < 20; ++seed) {
      CAPTURE(seed);
      const auto persons = random_households(seed);
      const std::uint64_t k = 2 + seed % 3;
      const auto made = run(job_of(attributes, fmt::format("k: {}\n{}", k, more)), table_of(persons));
      REQUIRE_MESSAGE(made.has_value(), one_line(made.error()));
      std::size_t fewest = persons.size();
      for (const auto& [key, houses] : houses_by_class(made->publication, persons)) {
        CHECK(houses.size() >= k);
        fewest = std::min(fewest, houses.size());
      }
      CHECK(made->report.fewest_units == fewest);
      large += made->report.smallest_class > k ? 1 : 0;
      CHECK(made->report.columns == std::vector<std::string>{"age", "town", "number"});
      CHECK(made->report.not_published == std::vector<std::string>{"house"});
    }
  }
  CHECK(large > 0);  // k units take more than k records
}

TEST_CASE("the order of the rows tells nothing of the units") {
  auto persons = random_households(5);
  const auto job = job_of(kLevels, "k: 2\nsuppression: 20%\n");
  const auto before = run(job, table_of(persons));
  REQUIRE(before.has_value());
  // Other names of the houses, in another order.
  for (auto& it : persons) it.house = fmt::format("x{}", 1000 - std::stoi(it.house.substr(1)));
  const auto after = run(job, table_of(persons));
  REQUIRE(after.has_value());
  REQUIRE(before->publication.rows == after->publication.rows);
  for (std::size_t row = 0; row < before->publication.rows; ++row) {
    for (std::size_t column = 0; column < 3; ++column)
      CHECK(cell(before->publication, column, row) == cell(after->publication, column, row));
  }
}

TEST_CASE("a table with fewer than k units is not published, and one without a unit is refused") {
  Households persons(9, {"30", "t0", "h1"});
  persons[3].house = "h2";
  const auto few = run(job_of(kLevels, "k: 3\n"), table_of(persons));
  REQUIRE(few.has_error());
  CHECK(few.error().public_message == "no transformation within the job's levels is anonymous");
  CHECK(run(job_of(kLevels, "k: 2\n"), table_of(persons)).has_value());
  for (const auto* attributes : {kLevels, kNumbers}) {
    persons[4].house = "";
    persons[5].house = "";
    const auto* algorithm = attributes == kLevels ? "" : "algorithm: mondrian\n";
    const auto missing = run(job_of(attributes, fmt::format("k: 2\n{}", algorithm)), table_of(persons));
    REQUIRE(missing.has_error());
    CHECK(missing.error().public_message == "2 records have no house, which is the unit");
  }
  auto job = job_of(kLevels, "k: 2\n");
  job.null_text = "h2";
  CHECK(run(job, table_of(persons)).error().public_message == "3 records have no house, which is the unit");
  auto table = table_of(persons);
  table.columns.pop_back();
  CHECK(run(job, table).error().public_message == "the table has no column house");
}

TEST_CASE("groups of k units are refused if the table has fewer") {
  Households persons(9, {"30", "t0", "h1"});
  persons[3].house = "h2";
  for (const auto* algorithm : {"mondrian", "least_loss"}) {
    const auto few =
        run(job_of(kNumbers, fmt::format("k: 3\nalgorithm: {}\n", algorithm)), table_of(persons));
    REQUIRE(few.has_error());
    CHECK(few.error().kind == ErrorKind::policy);
  }
}

TEST_CASE("the certificate names the unit, and pgveil-spark refuses it") {
  const auto job = job_of(kLevels, "k: 2\nsuppression: 20%\n");
  const auto made = run(job, table_of(random_households(3)));
  REQUIRE(made.has_value());
  const auto text = certificate_json(job, made->report, {{}, {}, "job", ""}, "2026-01-01T00:00:00Z");
  const auto read = read_certificate(text);
  REQUIRE_MESSAGE(read.has_value(), one_line(read.error()));
  CHECK(read->unit == "house");
  CHECK(report_json(made->report).find("\"unit\":\"house\",\"fewest_units\":") != std::string::npos);
  CHECK(report_text(made->report).find("k counts house: each class has") != std::string::npos);
  CHECK(describe_job(job).error().public_message == "unit is for one machine only");
}

}  // namespace
}  // namespace pgveil::app::units_test
