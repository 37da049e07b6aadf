// Attacks on files of jobs, compared with a second way of counting that looks at each record for each person.
#include "jobs/check/release_attack.hpp"

#include <doctest/doctest.h>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <map>
#include <random>
#include <set>

#include "jobs/report/release_attack_report.hpp"
#include "jobs/report/report.hpp"
#include "jobs/run/anonymize.hpp"
#include "jobs/run/applied_scheme.hpp"
#include "tests/unit/temporary_folder.hpp"

namespace pgveil::app::release_attack_test {
namespace {

using Row = std::vector<std::string>;

// Levels above the values, for both quasi-identifiers.
const std::map<std::string, Row> kAbove{{"a", {"ab", "abcd", "*"}}, {"b", {"ab", "abcd", "*"}},
                                        {"c", {"cd", "abcd", "*"}}, {"d", {"cd", "abcd", "*"}},
                                        {"e", {"ef", "efg", "*"}},  {"f", {"ef", "efg", "*"}},
                                        {"g", {"g", "efg", "*"}}};

constexpr std::array<const char*, 5> kMethods{
    "suppression: 30%", "suppression: 100%\ngs: 0\nlocal_recoding: {least: 5%}\nsuppressed_records: drop",
    "algorithm: mondrian", "algorithm: least_loss", "algorithm: least_loss\nleast_loss: {ranges: tight}"};

engine::Table table_of(const std::string& text) {
  auto made = engine::read_table(text, ',');
  REQUIRE_MESSAGE(made.has_value(), one_line(made.error()));
  return std::move(*made);
}

Row cells_of(const engine::Table& table, std::size_t row) {
  Row cells;
  for (const auto& column : table.columns) cells.push_back(column.values[column.codes.at(row)]);
  return cells;
}

class People {
 public:
  explicit People(std::uint64_t seed, std::size_t least = 8, std::uint64_t letters = 7) {
    std::string hierarchy;
    for (const auto& [value, above] : kAbove)
      hierarchy += fmt::format("{},{}\n", value, fmt::join(above, ","));
    folder.write("h.csv", hierarchy);
    std::mt19937_64 random(seed);
    const std::size_t rows = least + random() % 20;
    text = "x,y,s,t\n";
    for (std::size_t i = 0; i < rows; ++i) {
      const auto letter = [&] {
        return static_cast<char>('a' + std::min(random() % letters, random() % letters));
      };
      text += fmt::format("{},{},s{},t{}\n", letter(), letter(), random() % 3, random() % 2);
    }
    folder.write("people.csv", text);
  }
  // model: of s.
  Job job(const std::string& method, const std::string& model = "") const {
    auto read = read_job_text(
        "version: 1\nname: people\ninput: {file: people.csv}\nattributes:\n"
        "  x: {class: quasi_identifier, hierarchy: {file: h.csv, separator: \",\"}}\n"
        "  y: {class: quasi_identifier, hierarchy: {file: h.csv, separator: \",\"}}\n"
        "  s: {class: sensitive" +
            model + "}\n  t: {class: insensitive}\nk: 2\nseed: 3\n" + method +
            "\noutput: {file: out.csv, replace: true}\n",
        folder.path("job.yaml"));
    REQUIRE_MESSAGE(read.has_value(), one_line(read.error()));
    return *read;
  }
  // nullopt: nothing could be published.
  std::optional<JobReport> publish(const Job& job) {
    AnonymizeRequest request;
    request.job = job;
    auto made = anonymize(request, {});
    if (!made) return std::nullopt;
    return std::move(*made);
  }
  engine::Table input() const { return table_of(text); }
  engine::Table published() const { return table_of(folder.read("out.csv")); }

  TemporaryFolder folder;
  std::string text;
};

bool covers(const std::string& text, const std::string& value) {
  const auto& above = kAbove.at(value);
  if (text == value || std::ranges::find(above, text) != above.end()) return true;
  return text.starts_with('{') && text.find(value) != std::string::npos;  // values are single letters
}

struct Counted {
  std::uint64_t unique = 0, in_no_class = 0, in_one_class = 0, fewest = 0;
  std::array<std::uint64_t, 2> learnt{}, wrong{};
};

// For each person, looks at each record.
Counted count_again(const engine::Table& input, const engine::Table& published,
                    const std::vector<std::size_t>& known, bool excludes_starred) {
  Counted made;
  std::vector<Row> persons, records;
  for (std::size_t i = 0; i < input.rows(); ++i) persons.push_back(cells_of(input, i));
  for (std::size_t i = 0; i < published.rows(); ++i) records.push_back(cells_of(published, i));
  for (const auto& person : persons) {
    const auto is_same = [&](const Row& it) {
      return std::ranges::all_of(known, [&](std::size_t c) { return it[c] == person[c]; });
    };
    if (std::ranges::count_if(persons, is_same) == 1) ++made.unique;
    std::vector<Row> found;
    for (const auto& record : records) {
      if (std::ranges::all_of(known, [&](std::size_t c) { return covers(record[c], person[c]); }))
        found.push_back(record);
    }
    const auto is_starred = [](const Row& it) { return it[0] == "*" && it[1] == "*"; };
    if (excludes_starred && !std::ranges::all_of(found, is_starred)) std::erase_if(found, is_starred);
    std::set<Row> classes;
    for (const auto& it : found) classes.insert({it[0], it[1]});
    if (classes.empty()) {
      ++made.in_no_class;
      continue;
    }
    if (classes.size() == 1) ++made.in_one_class;
    made.fewest = made.fewest == 0 ? found.size() : std::min<std::uint64_t>(made.fewest, found.size());
    for (const std::size_t c : {0, 1}) {
      std::set<std::string> values;
      for (const auto& it : found) values.insert(it[2 + c]);
      if (values.size() == 1) ++(*values.begin() == person[2 + c] ? made.learnt[c] : made.wrong[c]);
    }
  }
  return made;
}

void check_same(const ReleaseAttack& attack, const Counted& counted) {
  REQUIRE(attack.known.has_value());
  CHECK(attack.known->unique == counted.unique);
  CHECK(attack.known->in_no_class == counted.in_no_class);
  CHECK(attack.known->in_one_class == counted.in_one_class);
  CHECK(attack.known->fewest_records == counted.fewest);
  for (const std::size_t c : {0, 1}) {
    CHECK(attack.known->learnt[c].learnt == counted.learnt[c]);
    CHECK(attack.known->learnt[c].wrong == counted.wrong[c]);
  }
}

TEST_CASE("what follows of persons is what a look at each record gives, for every method") {
  const std::vector<std::pair<std::vector<std::string>, std::vector<std::size_t>>> knows{
      {{"x"}, {0}}, {{"y"}, {1}}, {{"x", "y"}, {0, 1}}};
  std::size_t attacks = 0, learnt = 0;
  for (std::uint64_t seed = 1; seed <= 12; ++seed) {
    People people(seed);
    const auto input = people.input();
    for (const char* method : kMethods) {
      CAPTURE(seed);
      CAPTURE(method);
      const auto job = people.job(method);
      const auto report = people.publish(job);
      if (!report) continue;
      const auto published = people.published();
      for (const auto& [names, places] : knows) {
        const auto made = attack_release({&job, &published}, input, names, {});
        REQUIRE_MESSAGE(made.has_value(), one_line(made.error()));
        const bool knows_all = !job.mondrian && places.size() == 2;
        check_same(*made, count_again(input, published, places, knows_all));
        CHECK(made->known->fewest_records >= 2);
        if (knows_all || report->dropped_rows == 0) {
          for (const auto& column : made->known->learnt) CHECK(column.wrong == 0);
        }
        ++attacks;
        for (const auto& column : made->known->learnt) learnt += column.learnt;
      }
    }
  }
  CHECK(attacks > 150);
  CHECK(learnt > 200);
}

TEST_CASE("the order of the transformations makes the class of each person certain, and k still holds") {
  std::size_t more = 0;
  for (std::uint64_t seed = 1; seed <= 12; ++seed) {
    CAPTURE(seed);
    People people(seed, 40);
    const auto job = people.job(kMethods[1]);
    const auto report = people.publish(job);
    if (!report) continue;
    const auto scheme = read_scheme(report_json(*report));
    REQUIRE(scheme.has_value());
    const auto published = people.published(), input = people.input();
    const auto without = attack_release({&job, &published}, input, {"y", "x"}, {});
    const auto with = attack_release({&job, &published, scheme->transformations}, input, {"y", "x"}, {});
    REQUIRE(with.has_value());
    CHECK(with->known->uses_order);
    CHECK(with->known->in_one_class + with->known->in_no_class == input.rows());
    CHECK(with->known->in_no_class == report->dropped_rows);
    CHECK(with->known->fewest_records >= 2);
    for (std::size_t c = 0; c < 2; ++c) {
      CHECK(with->known->learnt[c].wrong == 0);
      CHECK(with->known->learnt[c].learnt >= without->known->learnt[c].learnt);
      more += with->known->learnt[c].learnt - without->known->learnt[c].learnt;
    }
  }
  CHECK(more > 0);
}

// The cells that a row of the published table has after each transformation, by a second reading of kAbove.
std::string level_of(const std::string& value, unsigned level) {
  return level == 0 ? value : kAbove.at(value)[level - 1];
}

// The class that shows the combination, by its cells: that of the first transformation that gives one.
Row shown_as(const Row& combination, const std::vector<std::vector<unsigned>>& transformations,
             const std::set<Row>& classes) {
  for (const auto& levels : transformations) {
    const Row cells{level_of(combination[0], levels[0]), level_of(combination[1], levels[1])};
    if (classes.contains(cells)) return cells;
  }
  return {"*", "*"};
}

TEST_CASE("what the order of the transformations excludes is what a trial of all combinations excludes") {
  std::size_t narrowed = 0, learnt = 0;
  for (std::uint64_t seed = 1; seed <= 40; ++seed) {
    CAPTURE(seed);
    // Of few values, almost all combinations are shown. The suppressed records are the others then.
    People people(seed, 20, seed % 2 == 0 ? 3 : 7);
    // With a model, even one that is always kept, sizes tell nothing (unshown_cells_test.cpp).
    const auto job = people.job(
        seed % 4 < 2 ? "suppression: 30%\ngs: 0\nsuppressed_records: keep"
                     : "suppression: 100%\ngs: 0\nlocal_recoding: {least: 5%}\nsuppressed_records: keep",
        ", l_diversity: {distinct: 1}");
    const auto report = people.publish(job);
    if (!report) continue;
    const auto scheme = read_scheme(report_json(*report));
    REQUIRE_MESSAGE(scheme.has_value(), report_json(*report));
    const auto published = people.published(), input = people.input();
    const auto made = attack_release({&job, &published, scheme->transformations}, input, {"x", "y"}, {});
    REQUIRE_MESSAGE(made.has_value(), one_line(made.error()));
    REQUIRE(made->refined.has_value());
    CHECK(made->refined->open == 0);
    std::set<Row> classes;
    for (std::size_t row = 0; row < published.rows(); ++row) {
      const Row cells = cells_of(published, row);
      classes.insert({cells[0], cells[1]});
    }
    // By class and column: the values of the input that are below the cell, and those that are possible.
    std::map<Row, std::array<std::set<std::string>, 2>> below, possible;
    for (const auto& x : input.find("x")->values) {
      for (const auto& y : input.find("y")->values) {
        const Row combination{x, y}, shown = shown_as(combination, scheme->transformations, classes);
        for (const std::size_t c : {0, 1}) possible[shown][c].insert(combination[c]);
        for (const Row& cells : classes) {
          if (!covers(cells[0], x) || !covers(cells[1], y)) continue;
          for (const std::size_t c : {0, 1}) below[cells][c].insert(combination[c]);
        }
      }
    }
    std::array<RefinedColumn, 2> counted{};
    for (std::size_t row = 0; row < input.rows(); ++row) {
      const Row person = cells_of(input, row);
      const Row shown = shown_as({person[0], person[1]}, scheme->transformations, classes);
      for (const std::size_t c : {0, 1}) {
        if (!classes.contains(shown) || below[shown][c].size() < 2) continue;
        ++counted[c].generalized;
        CHECK(possible[shown][c].contains(person[c]));
        if (possible[shown][c].size() < below[shown][c].size()) ++counted[c].narrowed;
        if (possible[shown][c].size() == 1) ++counted[c].learnt;
      }
    }
    for (const std::size_t c : {0, 1}) {
      const RefinedColumn& column = made->refined->columns[c];
      CHECK(column.generalized == counted[c].generalized);
      CHECK(column.narrowed == counted[c].narrowed);
      CHECK(column.learnt == counted[c].learnt);
      CHECK(column.wrong == 0);
      narrowed += column.narrowed;
      learnt += column.learnt;
    }
    CHECK(made->is_any_cell_computed() == (counted[0].learnt + counted[1].learnt > 0));
  }
  CHECK(narrowed > 40);
  CHECK(learnt > 10);
}

TEST_CASE("sizes of classes that were not shown exclude more, and what they claim is true") {
  std::size_t more = 0, pinned = 0;
  for (std::uint64_t seed = 1; seed <= 40; ++seed) {
    CAPTURE(seed);
    People people(seed, 20, seed % 2 == 0 ? 3 : 7);
    const std::string method =
        seed % 4 < 2 ? "suppression: 30%\ngs: 0\nsuppressed_records: keep"
                     : "suppression: 100%\ngs: 0\nlocal_recoding: {least: 5%}\nsuppressed_records: keep";
    const auto job = people.job(method), modeled = people.job(method, ", l_diversity: {distinct: 1}");
    const auto report = people.publish(job);
    if (!report) continue;
    const auto scheme = read_scheme(report_json(*report));
    REQUIRE(scheme.has_value());
    const auto published = people.published(), input = people.input();
    const auto by_sizes = attack_release({&job, &published, scheme->transformations}, input, {"x", "y"}, {});
    const auto by_order =
        attack_release({&modeled, &published, scheme->transformations}, input, {"x", "y"}, {});
    REQUIRE(by_sizes.has_value());
    REQUIRE(by_order.has_value());
    CHECK(by_sizes->refined->uses_sizes);
    CHECK_FALSE(by_order->refined->uses_sizes);
    for (const std::size_t c : {0, 1}) {
      const auto &one = by_sizes->refined->columns[c], &other = by_order->refined->columns[c];
      CHECK(one.wrong == 0);
      CHECK(one.pinned == one.pinned_true);
      CHECK(one.generalized == other.generalized);
      CHECK(one.narrowed >= other.narrowed);
      CHECK(one.learnt >= other.learnt);
      CHECK(other.pinned == 0);
      more += one.narrowed - other.narrowed;
      pinned += one.pinned;
    }
  }
  CHECK(more > 0);
  CHECK(pinned > 0);
}

TEST_CASE("two files narrow what one leaves open") {
  People people(1);
  const auto job = people.job("suppression: 0");
  const auto input = table_of("x,y,s,t\na,a,flu,1\nb,a,gout,1\nc,a,cold,1\nd,a,flu,1\n");
  const auto first = table_of("x,y,s,t\nab,a,flu,1\nab,a,gout,1\ncd,a,cold,1\ncd,a,flu,1\n");
  const auto second = table_of(
      "x,y,s,t\n\"{a,d}\",a,flu,1\n\"{a,d}\",a,flu,1\n\"{b,c}\",a,gout,1\n"
      "\"{b,c}\",a,cold,1\n");
  const auto other = people.job("algorithm: least_loss");
  const std::vector<PublishedFile> others{{&other, &second}};
  const auto made = attack_release({&job, &first}, input, {"x", "y"}, others);
  REQUIRE_MESSAGE(made.has_value(), one_line(made.error()));
  CHECK(made->known->learnt[0].learnt == 0);
  CHECK(made->known->learnt[1].learnt == 4);  // t is 1 everywhere
  REQUIRE(made->together.has_value());
  REQUIRE(made->together->learnt.size() == 2);
  // a: flu in both; b: gout in both; c: cold in both; d: flu in both.
  CHECK(made->together->learnt[0].learnt == 4);
  CHECK(made->together->learnt[0].wrong == 0);
  CHECK(made->is_anything_learnt());
}

TEST_CASE("a reader of the file sees what classes have in common") {
  People people(1);
  const auto job = people.job("suppression: 0");
  const auto published = table_of("x,y,s,t\nab,a,flu,1\nab,a,flu,2\ncd,a,cold,1\ncd,a,flu,1\n*,*,flu,1\n");
  const auto made = attack_release({&job, &published});
  REQUIRE(made.has_value());
  CHECK(made->records == 5);
  CHECK(made->classes == 3);
  CHECK(made->smallest_class == 2);
  CHECK(made->starred_records == 1);
  CHECK(made->columns[0].is_sensitive);
  CHECK(made->columns[0].classes_of_one_value == 2);
  CHECK(made->columns[0].records_of_one_value == 3);
  CHECK(made->columns[0].prior_right == 4);
  CHECK(made->columns[0].guessed_right == 4);
  CHECK_FALSE(made->columns[1].is_sensitive);
  CHECK(made->predicates == 3);
  CHECK(made->isolating == 3);
  CHECK(made->is_anything_learnt());
}

TEST_CASE("numbers, sets and texts with quotes stand for their values") {
  TemporaryFolder folder;
  const auto job = read_job_text(
      "version: 1\nname: ages\ninput: {file: in.csv, \"null\": \"?\"}\nattributes:\n"
      "  age: {class: quasi_identifier, numeric: true}\n  city: {class: quasi_identifier}\n"
      "  s: {class: sensitive}\nk: 2\nalgorithm: least_loss\nleast_loss: {ranges: sets}\n"
      "output: {file: out.csv}\n",
      folder.path("job.yaml"));
  REQUIRE_MESSAGE(job.has_value(), one_line(job.error()));
  const auto input = table_of("age,city,s\n20,\"a,b\",1\n21,\"q\"\"t\",2\n30.5,?,3\n31,x,4\n");
  const auto published = table_of(
      "age,city,s\n\"[20,21]\",\"{\"\"a,b\"\",\"\"q\\\"\"t\"\"}\",1\n"
      "\"[20,21]\",\"{\"\"a,b\"\",\"\"q\\\"\"t\"\"}\",2\n\"{30.5,31}\",\"{NULL,x}\",3\n\"{30.5,31}\","
      "\"{NULL,x}\",4\n");
  const auto made = attack_release({&*job, &published}, input, {"age", "city"}, {});
  REQUIRE_MESSAGE(made.has_value(), one_line(made.error()));
  CHECK(made->known->in_one_class == 4);
  CHECK(made->known->mean_records == 2);
}

TEST_CASE("files that are no release are refused") {
  People people(1);
  const auto job = people.job("suppression: 0");
  const auto input = table_of("x,y,s,t\na,a,flu,1\n"), good = table_of("x,y,s,t\na,a,flu,1\n");
  const auto refusal = [&](const engine::Table& published, const std::vector<std::string>& known) {
    const auto made = attack_release({&job, &published}, input, known, {});
    REQUIRE(made.has_error());
    return made.error().public_message;
  };
  CHECK(refusal(table_of("x,s,t\na,flu,1\n"), {"x"}) == "the file of job people has no column y");
  CHECK(refusal(table_of("x,y,s,t\n"), {"x"}) == "the file of job people has no rows");
  CHECK(refusal(table_of("x,y,s,t\nlondon,a,flu,1\n"), {"x"}) ==
        "1 texts of x in the file stand for no value of the input");
  CHECK(refusal(good, {"s"}) == "s is not a quasi-identifier of job people");
  CHECK(refusal(good, {"nobody"}) == "nobody is not a quasi-identifier of job people");
  CHECK(refusal(good, {}) == "no column is known");
  CHECK(attack_release({&job, &good}, input, {"x"}, {}).has_value());
  CHECK(attack_release({&job, &good, {{1}}}, input, {"x", "y"}, {}).has_error());
}

TEST_CASE("a report has no value, and the same findings give the same bytes") {
  People people(3);
  const auto job = people.job(kMethods[3]);
  const auto published = table_of("x,y,s,t\nab,a,flu-secret,1\nab,a,flu-secret,2\n");
  const auto input = table_of("x,y,s,t\na,a,flu-secret,1\nb,a,flu-secret,2\n");
  const auto made = attack_release({&job, &published}, input, {"x"}, {});
  REQUIRE(made.has_value());
  ReleaseAttackReport report{"0", "people", "the file out.csv", "a5", {}, "least_loss", 2, *made, {}};
  report.not_tried = not_tried_on(job, *made);
  CHECK(report.is_anything_found());
  for (const auto write : {release_attack_text, release_attack_json, release_attack_html}) {
    CHECK(write(report) == write(report));
    CHECK(write(report).find("secret") == std::string::npos);
  }
  CHECK(release_attack_text(report).find("Verdict: sensitive values follow.") != std::string::npos);
  CHECK(release_attack_json(report).find("\"is_anything_found\":true") != std::string::npos);
  report.k = 3;
  CHECK(release_attack_text(report).find("Verdict: a class is smaller than k.") != std::string::npos);
}

}  // namespace
}  // namespace pgveil::app::release_attack_test
