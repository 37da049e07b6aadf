// What disclosure trees disclose and what they cost to build, per strategy. CPU time of one thread, medians.
#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <fstream>
#include <iterator>
#include <map>
#include <random>
#include <string>
#include <vector>

#include "common/separated_text.hpp"
#include "policy/builder/constraint_repair.hpp"
#include "policy/cohorts/constraint_check.hpp"
#include "policy/cohorts/leveled_counts.hpp"
#include "policy/cohorts/projection.hpp"
#include "policy/tree/disclosure.hpp"
#include "policy/tree/tree.hpp"

namespace {

using namespace pgveil::policy;
using Rows = std::vector<std::vector<std::string>>;  // with a line of names first

double cpu_ms() {
  timespec now;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) * 1e3 + static_cast<double>(now.tv_nsec) / 1e6;
}

Rows read_rows(const char* path) {
  std::ifstream file(path, std::ios::binary);
  const std::string bytes{std::istreambuf_iterator<char>(file), {}};
  pgveil::RecordReader reader(bytes, ';');
  Rows rows;
  std::vector<std::string_view> fields;
  while (true) {
    const auto more = reader.next(fields);
    if (!more || !*more) break;
    rows.emplace_back(fields.begin(), fields.end());
  }
  return rows;
}

// As large as ADULT, and skewed: the smaller of two draws, so that low values are frequent.
Rows draw_rows() {
  std::mt19937_64 random(1);
  const std::vector<std::size_t> cardinalities = {2, 72, 5, 7, 16, 41, 7, 14, 2};
  Rows rows(1);
  for (std::size_t a = 0; a < cardinalities.size(); ++a) rows[0].push_back(fmt::format("a{}", a));
  for (int r = 0; r < 30'162; ++r) {
    auto& row = rows.emplace_back();
    for (const std::size_t values : cardinalities)
      row.push_back(fmt::format("v{}", std::min(random() % values, random() % values)));
  }
  return rows;
}

Counts count(const Rows& rows, std::size_t width) {
  Counts counts;
  std::vector<std::map<std::string, Code>> codes(width);
  for (std::size_t a = 0; a < width; ++a)
    counts.attributes.push_back({rows[0][a], static_cast<int>(a + 1), {}});
  std::map<std::vector<Code>, std::uint64_t> groups;
  for (std::size_t r = 1; r < rows.size(); ++r) {
    std::vector<Code> key(width);
    for (std::size_t a = 0; a < width; ++a) {
      auto& values = counts.attributes[a].values;
      const auto [at, is_new] = codes[a].emplace(rows[r][a], static_cast<Code>(values.size() + 1));
      if (is_new) values.push_back(rows[r][a]);
      key[a] = at->second;
    }
    ++groups[key];
  }
  counts.codes.resize(width);
  for (const auto& [key, occurrences] : groups) {
    for (std::size_t a = 0; a < width; ++a) counts.codes[a].push_back(key[a]);
    counts.rows.push_back(occurrences);
  }
  return counts;
}

double percent(std::uint64_t part, std::uint64_t whole) {
  return 100.0 * static_cast<double>(part) / static_cast<double>(whole);
}

void measure_one(const Counts& counts, std::uint64_t k, const Growth& growth, const char* name, int rounds) {
  std::vector<double> times;
  Disclosure disclosure;
  for (int round = 0; round < rounds; ++round) {
    const double start = cpu_ms();
    const auto tree = build_tree(counts, k, growth);
    times.push_back(cpu_ms() - start);
    if (!tree) {
      fmt::print(stderr, "{}\n", pgveil::one_line(tree.error()));
      std::exit(1);
    }
    disclosure = measure(*tree, counts);
  }
  std::ranges::sort(times);
  fmt::print("| {:>7} | {:>3} | {:<21} | {:>7} | {:>8} | {:>9.1f} % | {:>8.2f} % | {:>5.2f} % | {:>8.1f} |\n",
             counts.attributes.size(), k, name, disclosure.cohorts, disclosure.smallest_cohort,
             percent(disclosure.disclosed, disclosure.cells),
             percent(disclosure.computable, disclosure.cells), percent(disclosure.equal, disclosure.cells),
             times[times.size() / 2]);
}

// Ages in fives, tens and twenties beside the exact ones, which no column of the table may have the numbers
// of.
std::vector<TreeAttribute> with_age_ranges(const Counts& counts) {
  std::vector<TreeAttribute> out;
  for (const Attribute& attribute : counts.attributes) out.push_back({attribute.name, attribute.number});
  const auto age = std::ranges::find(counts.attributes, "age", &Attribute::name);
  if (age == counts.attributes.end()) return {};
  std::uint32_t step = 0;
  for (const int width : {5, 10, 20}) {
    const Level level{"age", age->number, ++step, LevelShows::label, Bins{width * kScale, 0}};
    out.push_back({fmt::format("age_{}", width), 100 + width, level});
  }
  return out;
}

// Shares of exact cells without and with levels, and of rows whose age is shown exactly, and in each level at
// least.
void measure_levels(const Counts& exact, std::uint64_t k, Strategy strategy, const char* name) {
  const auto attributes = with_age_ranges(exact);
  if (attributes.empty()) return;
  const Counts leveled = with_attributes(exact, attributes);
  const auto tree = build_tree(leveled, k, {.strategy = strategy});
  const auto bare = build_tree(exact, k, {.strategy = strategy});
  if (!tree || !bare) std::exit(1);
  const Disclosure with = measure(*tree, leveled);
  const Disclosure without = measure(*bare, exact);
  const std::size_t width = exact.attributes.size();
  std::uint64_t cells = 0;
  for (std::size_t a = 0; a < width; ++a) cells += with.disclosed_by_attribute[a];
  fmt::print("| {:>7} | {:>3} | {:<8} | {:>13} | {:>5.1f} → {:>5.1f} % |", width, k, name,
             fmt::format("{} → {}", without.cohorts, with.cohorts), percent(without.disclosed, without.cells),
             percent(cells, without.cells));
  const auto age = std::ranges::find(exact.attributes, "age", &Attribute::name) - exact.attributes.begin();
  for (const std::size_t a : {static_cast<std::size_t>(age), width, width + 1, width + 2}) {
    fmt::print(" {:>5.1f} ({:>5.1f}) |", percent(with.disclosed_by_attribute[a], with.rows),
               percent(with.computable_by_attribute[a], with.rows));
  }
  fmt::print("\n");
}

// The quasi-identifiers are all columns but the sensitive one, which the entries tell apart.
Counts count_with_sensitive(const Rows& rows, std::size_t sensitive, std::size_t width) {
  Rows turned;
  for (const auto& row : rows) {
    auto& out = turned.emplace_back();
    for (std::size_t a = 0; a < width; ++a) {
      if (a != sensitive) out.push_back(row[a]);
    }
    out.push_back(row[sensitive]);
  }
  Counts counts = count(turned, width);
  counts.sensitive.push_back({counts.attributes.back().name, 99, counts.attributes.back().values.size(),
                              std::move(counts.codes.back())});
  counts.attributes.pop_back();
  counts.codes.pop_back();
  return counts;
}

// How often a guess is right that takes the table's most frequent value for everybody in these leaves.
struct Guess {
  std::uint64_t right = 0;
  std::uint64_t rows = 0;
};
Guess guess_most_frequent(const Counts& counts, const std::vector<NodeIndex>& leaf_of,
                          const std::vector<NodeIndex>& among) {
  const auto& codes = counts.sensitive.front().codes;
  std::vector<std::uint64_t> rows_of(counts.sensitive.front().value_count + 1, 0);
  for (std::size_t i = 0; i < counts.size(); ++i) rows_of[codes[i]] += counts.rows[i];
  const auto top = static_cast<Code>(std::ranges::max_element(rows_of) - rows_of.begin());
  Guess guess;
  for (std::size_t i = 0; i < counts.size(); ++i) {
    if (!among.empty() && std::ranges::find(among, leaf_of[i]) == among.end()) continue;
    guess.rows += counts.rows[i];
    if (codes[i] == top) guess.right += counts.rows[i];
  }
  return guess;
}

// mode: hide: how many cohorts break l-diversity, how many are joined, what that costs in cells, and what a
// reader gains who learns that a cohort broke it and then guesses the table's most frequent value.
void measure_hide(const Rows& rows, std::size_t sensitive, std::uint64_t k, std::uint64_t l) {
  const Counts counts = count_with_sensitive(rows, sensitive, rows[0].size());
  const auto tree = build_tree(counts, k, {});
  if (!tree) std::exit(1);
  const ColumnRule rule{
      counts.sensitive[0].name, ColumnClass::sensitive, {{DistinctL{l}, ConstraintMode::hide}}, {}};
  const std::vector<ConstrainedColumn> columns = {{rule, counts}};
  const auto leaf_of = leaves_in(*tree, counts);
  std::vector<NodeIndex> leaves;
  for_each_cohort(*tree, [&](const Cohort& cohort) { leaves.push_back(cohort.leaf); });
  std::vector<NodeIndex> broken;
  for (const auto& breach : find_group_breaches(leaf_of, leaves, rule, counts))
    broken.push_back(breach.group);
  const HiddenBreaches hidden = with_breaches_hidden(*tree, columns);
  const Disclosure before = measure(*tree, counts);
  const Disclosure after = measure(hidden.tree, counts);
  const Guess all = guess_most_frequent(counts, leaf_of, {});
  const Guess told = guess_most_frequent(counts, leaf_of, broken);
  fmt::print(
      "| {:<14} | {:>3} | {:>3} | {:>7} | {:>6} | {:>6} | {:>6.1f} → {:>5.1f} % | {:>8.2f} % | "
      "{:>6.1f} → {:>5.1f} % |\n",
      rule.name, k, l, before.cohorts, broken.size(), hidden.joined, percent(before.disclosed, before.cells),
      percent(after.disclosed, after.cells), percent(after.computable, after.cells),
      percent(all.right, all.rows), told.rows == 0 ? 0 : percent(told.right, told.rows));
}

}  // namespace

int main(int argc, char** argv) {
  const int rounds = argc > 1 ? std::atoi(argv[1]) : 15;
  const Rows rows = argc > 2 ? read_rows(argv[2]) : draw_rows();
  fmt::print("{} rows\n\n", rows.size() - 1);
  fmt::print(
      "| columns |   k | strategy              | cohorts | smallest |   disclosed | computable |   equal | "
      "build ms "
      "|\n");
  fmt::print(
      "| ------- | --- | --------------------- | ------- | -------- | ----------- | ---------- | ------- | "
      "-------- "
      "|\n");
  for (const std::size_t width : {9U, 5U}) {
    const Counts counts = count(rows, width);
    for (const std::uint64_t k : {2U, 5U, 20U, 100U}) {
      measure_one(counts, k, {.strategy = Strategy::greedy}, "greedy", rounds);
      measure_one(counts, k, {.strategy = Strategy::thorough}, "thorough", rounds);
      measure_one(counts, k, {.strategy = Strategy::thorough, .max_cohorts = 100}, "thorough, 100 at most",
                  rounds);
    }
  }
  fmt::print(
      "\nWith ages in 5s, 10s and 20s. Shares of rows whose age is disclosed (or hidden and computable), "
      "exactly and in "
      "each level:\n\n"
      "| columns |   k | strategy |       cohorts |      exact cells |   age exactly |         in 5s |       "
      " in 10s "
      "|        in 20s |\n"
      "| ------- | --- | -------- | ------------- | ---------------- | ------------- | ------------- | "
      "------------- "
      "| ------------- |\n");
  for (const std::size_t width : {9U, 5U}) {
    const Counts counts = count(rows, width);
    for (const std::uint64_t k : {2U, 5U, 20U, 100U}) {
      measure_levels(counts, k, Strategy::greedy, "greedy");
      measure_levels(counts, k, Strategy::thorough, "thorough");
    }
  }
  fmt::print(
      "\nl-diversity with mode: hide, thorough, the other columns as quasi-identifiers. A guess: the table's "
      "most "
      "frequent value, right for all rows → for the rows of cohorts that broke the constraint:\n\n"
      "| sensitive      |   k |   l | cohorts | broken | joined |        disclosed | computable |            "
      "guess "
      "|\n"
      "| -------------- | --- | --- | ------- | ------ | ------ | ---------------- | ---------- | "
      "---------------- "
      "|\n");
  const std::size_t width = rows[0].size();
  for (const std::uint64_t k : {5U, 20U, 100U}) measure_hide(rows, width - 1, k, 2);
  for (const std::uint64_t k : {5U, 20U, 100U}) measure_hide(rows, width - 2, k, 3);
  return 0;
}
