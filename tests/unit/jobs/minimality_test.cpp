// What the choice of a job tells (minimality, and what groups tell of their cells), compared with a trial of
// all tables that give the same file.
#include "jobs/check/minimality.hpp"

#include <doctest/doctest.h>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <random>
#include <set>

#include "engine/search/search.hpp"
#include "jobs/check/forgone_choices.hpp"
#include "jobs/check/release_attack.hpp"
#include "jobs/check/repeated_job.hpp"
#include "jobs/input/search_demands.hpp"
#include "jobs/run/anonymize.hpp"
#include "tests/unit/temporary_folder.hpp"

namespace pgveil::app::minimality_test {
namespace {

using Rows = std::vector<std::vector<std::string>>;  // x, y, s

constexpr const char* kLevels = "a,ab,*\nb,ab,*\nc,cd,*\nd,cd,*\n";

engine::Table table_of(const Rows& rows) {
  std::string text = "x,y,s\n";
  for (const auto& row : rows) text += fmt::format("\"{}\",\"{}\",{}\n", row[0], row[1], row[2]);
  auto made = engine::read_table(text, ',');
  REQUIRE_MESSAGE(made.has_value(), one_line(made.error()));
  return std::move(*made);
}

class Place {
 public:
  Place() { folder.write("h.csv", kLevels); }
  Job job(const std::string& model, const std::string& rest) const {
    auto read = read_job_text(
        "version: 1\nname: people\ninput: {file: people.csv}\nattributes:\n"
        "  x: {class: quasi_identifier, hierarchy: {file: h.csv, separator: \",\"}}\n"
        "  y: {class: quasi_identifier, hierarchy: {file: h.csv, separator: \",\"}}\n"
        "  s: {class: sensitive" +
            model + "}\nk: 2\nseed: 3\n" + rest + "\noutput: {file: out.csv, replace: true}\n",
        folder.path("job.yaml"));
    REQUIRE_MESSAGE(read.has_value(), one_line(read.error()));
    return *read;
  }

  TemporaryFolder folder;
};

// The records as they are published, in their order in the file; nullopt: nothing is.
std::optional<Rows> published(const Job& job, const Rows& rows) {
  const auto table = table_of(rows);
  AnonymizeRequest request;
  request.job = job;
  request.table = &table;
  std::optional<Rows> made;
  AnonymizeHooks hooks;
  hooks.publication = [&](const engine::Publication& publication) {
    made.emplace(publication.rows);
    for (const auto& column : publication.columns) {
      for (std::size_t row = 0; row < publication.rows; ++row)
        (*made)[row].push_back(column.codes[row] == engine::kNullCode ? ""
                                                                      : column.values[column.codes[row]]);
    }
  };
  return anonymize(request, hooks) ? made : std::nullopt;
}

std::optional<Minimality> attacked(const Job& job, const Rows& rows, const Rows& file) {
  const auto input = table_of(rows), shown = table_of(file);
  const auto classes = classes_of(shown, columns_of(job, shown, Asked::quasi_identifiers));
  auto made = repeat_search(job, input, shown, classes);
  REQUIRE_MESSAGE(made.has_value(), one_line(made.error()));
  return std::move(*made);
}

Rows draw_rows(std::mt19937_64& random) {
  Rows rows(5 + random() % 3);
  const bool has_one_y = random() % 2 == 0;
  for (auto& row : rows) {
    const auto letter = [&](std::uint64_t of) {
      return std::string(1, static_cast<char>('a' + random() % of));
    };
    row = {letter(4), letter(has_one_y ? 1 : 2)};
    row.push_back(fmt::format("s{}", random() % 3 == 0 ? 1 : random() % 3));
  }
  return rows;
}

// All tables with the same quasi-identifiers and sensitive values that give the same file.
std::vector<Rows> same_tables(const Job& job, const Rows& rows, const Rows& file) {
  std::vector<Rows> made;
  std::vector<std::string> values;
  for (const auto& row : rows) values.push_back(row[2]);
  std::ranges::sort(values);
  do {
    Rows other = rows;
    for (std::size_t i = 0; i < rows.size(); ++i) other[i][2] = values[i];
    if (published(job, other) == file) made.push_back(std::move(other));
  } while (std::ranges::next_permutation(values).found);
  return made;
}

// Persons whose class has one value. Of these, nothing more has to follow.
std::size_t persons_of_one_value(const Job& job, const Rows& rows, const Rows& file) {
  const auto input = table_of(rows), shown = table_of(file);
  const auto found = attack_release({&job, &shown}, input, {"x", "y"}, {});
  REQUIRE_MESSAGE(found.has_value(), one_line(found.error()));
  return found->known->learnt[0].learnt;
}

TEST_CASE("two persons have the one value that their class could not be published with") {
  const Place place;
  const auto job = place.job(", l_diversity: {distinct: 2}", "suppression: 0");
  const Rows rows{
      {"a", "a", "gout"}, {"a", "a", "gout"}, {"b", "a", "flu"}, {"b", "a", "cold"}, {"b", "a", "none"}};
  const auto file = published(job, rows);
  REQUIRE(file.has_value());
  for (const auto& record : *file) CHECK(record[0] == "ab");
  const auto made = attacked(job, rows, *file);
  REQUIRE(made.has_value());
  CHECK(made->choices == 1);
  CHECK(made->decided == 1);
  CHECK(made->columns[0].narrowed == 5);  // the others do not have gout
  CHECK(made->columns[0].learnt == 2);
  CHECK(made->columns[0].prior_right == 2);
  CHECK(made->columns[0].guessed_right >= 3);
}

TEST_CASE("a file that the job does not choose tells nothing") {
  const Place place;
  const auto job = place.job(", l_diversity: {distinct: 2}", "suppression: 0");
  const Rows rows{{"a", "a", "gout"}, {"a", "a", "gout"}, {"b", "a", "flu"}, {"b", "a", "cold"}};
  const Rows by_hand{{"*", "*", "gout"}, {"*", "*", "gout"}, {"*", "*", "flu"}, {"*", "*", "cold"}};
  CHECK_FALSE(attacked(job, rows, by_hand).has_value());
  CHECK_FALSE(attacked(place.job("", "suppression: 0"), rows, *published(job, rows)).has_value());
  const auto stopped = place.job(", l_diversity: {distinct: 2}", "suppression: 0\nlimits: {checks: 1}");
  CHECK_FALSE(attacked(stopped, rows, *published(job, rows)).has_value());
  const auto heuristic = place.job(", l_diversity: {distinct: 2}", "suppression: 0\nalgorithm: datafly");
  CHECK_FALSE(attacked(heuristic, rows, *published(job, rows)).has_value());
}

TEST_CASE("what a forgone transformation excludes is impossible in all tables that give the same file") {
  const Place place;
  const std::vector<std::pair<std::string, std::string>> demands{
      {", l_diversity: {distinct: 2}", "suppression: 0"},
      {", l_diversity: {distinct: 2}", "suppression: 40%\nsuppressed_records: keep"},
      {", l_diversity: {entropy: 1.8}", "suppression: 0"},
      {", t_closeness: {t: 0.4}", "suppression: 0\nmetric: precision"}};
  std::mt19937_64 random(5);
  std::size_t attacks = 0, narrowed = 0, learnt = 0, certain = 0;
  for (int round = 0; round < 100; ++round) {
    const auto rows = draw_rows(random);
    const auto& [model, rest] = demands[static_cast<std::size_t>(round) % demands.size()];
    const auto job = place.job(model, rest);
    const auto file = published(job, rows);
    if (!file) continue;
    CAPTURE(round);
    const auto tables = same_tables(job, rows, *file);
    REQUIRE_FALSE(tables.empty());
    const auto first = attacked(job, rows, *file);
    if (!first) continue;
    ++attacks;
    // A claim is made of the file alone, so it is the same for all of these tables, and true in each.
    for (const auto& table : tables) {
      const auto again = attacked(job, table, *file);
      REQUIRE(again.has_value());
      CHECK(again->columns[0].narrowed == first->columns[0].narrowed);
      CHECK(again->columns[0].learnt == first->columns[0].learnt);
      CHECK(again->columns[0].wrong == 0);
      CHECK(again->columns[0].mistaken == 0);
    }
    narrowed += first->columns[0].narrowed;
    learnt += first->columns[0].learnt;
    for (std::size_t i = 0; i < rows.size(); ++i) {
      std::set<std::string> values;
      for (const auto& table : tables) values.insert(table[i][2]);
      if (values.size() == 1) ++certain;
    }
    certain -= persons_of_one_value(job, rows, *file);
  }
  CHECK(attacks > 20);
  CHECK(narrowed >= learnt);
  // docs/attacks.md has these figures.
  CHECK(learnt == 8);
  CHECK(certain == 15);
}

// All tables of so many records whose columns have these values. The order of records makes no other table.
std::vector<Rows> all_tables(std::size_t records, const std::vector<std::string>& x,
                             const std::vector<std::string>& y) {
  Rows kinds;
  for (const auto& one : x) {
    for (const auto& other : y) kinds.push_back({one, other, "s"});
  }
  std::vector<Rows> made;
  std::vector<std::size_t> chosen(records, 0);
  while (true) {
    auto& rows = made.emplace_back();
    for (const auto kind : chosen) rows.push_back(kinds[kind]);
    std::size_t at = records;
    while (at > 0 && chosen[at - 1] + 1 == kinds.size()) --at;
    if (at == 0) return made;
    const auto next = chosen[at - 1] + 1;
    for (std::size_t i = at - 1; i < records; ++i) chosen[i] = next;
  }
}

std::vector<std::string> values_below(const std::string& cell, const std::vector<std::string>& values) {
  std::vector<std::string> made;
  for (const auto& value : values) {
    if (cell == "*" || cell.find(value) != std::string::npos) made.push_back(value);
  }
  return made;
}

// By file: the tables that give it.
std::map<Rows, std::vector<Rows>> by_file(const Job& job, const std::vector<Rows>& tables) {
  std::map<Rows, std::vector<Rows>> made;
  for (const auto& rows : tables) {
    if (const auto file = published(job, rows)) made[*file].push_back(rows);
  }
  return made;
}

TEST_CASE("the choice of one transformation excludes no value of a cell for who knows no record") {
  const Place place;
  const std::vector<std::string> x{"a", "b", "c", "d"}, y{"a", "b"};
  for (const char* rest :
       {"suppression: 0", "suppression: 0\nmetric: precision", "suppression: 0\nmetric: height"}) {
    CAPTURE(rest);
    // Hierarchies have all values, whichever a table has.
    const auto job = place.job("", rest);
    std::size_t cells = 0, narrowed = 0;
    for (const std::size_t records : {4U, 5U}) {
      for (const auto& [file, tables] : by_file(job, all_tables(records, x, y))) {
        std::set<Rows::value_type> classes(file.begin(), file.end());
        for (const auto& shown : classes) {
          for (const std::size_t c : {0, 1}) {
            const auto below = values_below(shown[c], c == 0 ? x : y);
            std::set<std::string> possible;
            for (const auto& rows : tables) {
              for (const auto& row : rows) {
                const bool is_in_class =
                    !values_below(shown[0], {row[0]}).empty() && !values_below(shown[1], {row[1]}).empty();
                if (is_in_class) possible.insert(row[c]);
              }
            }
            ++cells;
            if (possible.size() < below.size()) ++narrowed;
          }
        }
      }
    }
    CHECK(cells == 588);  // as docs/attacks.md says
    CHECK(narrowed == 0);
  }
}

TEST_CASE("what groups tell is true of all tables that give the same file") {
  const TemporaryFolder folder;
  const auto read = read_job_text(
      "version: 1\nname: people\ninput: {file: people.csv}\nattributes:\n"
      "  x: {class: quasi_identifier, numeric: true}\n  y: {class: quasi_identifier, numeric: true}\n"
      "  s: {class: sensitive}\nk: 2\nseed: 3\nalgorithm: mondrian\noutput: {file: out.csv}\n",
      folder.path("job.yaml"));
  REQUIRE_MESSAGE(read.has_value(), one_line(read.error()));
  std::size_t files = 0, alike = 0, settled = 0, last = 0;
  for (const auto& [file, tables] : by_file(*read, all_tables(5, {"1", "2", "3"}, {"1", "2", "3"}))) {
    ++files;
    const auto shown = table_of(file);
    for (const auto& rows : tables) {
      const auto input = table_of(rows);
      const auto made = attack_release({&*read, &shown}, input, {"x", "y"}, {});
      REQUIRE_MESSAGE(made.has_value(), one_line(made.error()));
      REQUIRE(made->repeated.has_value());
      CHECK(made->repeated->in_one_class == rows.size());
      CHECK(made->repeated->learnt[0].wrong == 0);
      REQUIRE(made->groups.has_value());
      for (const auto& column : made->groups->columns) {
        CHECK(column.occurring == column.occurring_true);
        CHECK(column.alike == column.alike_true);
        alike += column.alike;
        settled += column.settled;
        last += column.last_of_class;
      }
    }
  }
  CHECK(files > 50);
  CHECK(alike > 0);
  CHECK(settled > 0);
  CHECK(last > 0);
}

}  // namespace
}  // namespace pgveil::app::minimality_test
