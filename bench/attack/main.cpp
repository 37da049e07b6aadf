// What the attackers of docs/attacks.md learn from disclosure trees of ADULT (or CUP), and how long they
// take.
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <map>
#include <random>
#include <string>
#include <vector>

#include "attack/findings.hpp"
#include "attack/known_persons.hpp"
#include "common/separated_text.hpp"
#include "policy/cohorts/leveled_counts.hpp"

namespace {

using namespace pgveil::policy;
using namespace pgveil::attack;
using Rows = std::vector<std::vector<std::string>>;  // with a line of names first

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

Counts count(const Rows& rows) {
  const std::size_t width = rows[0].size();
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

// Ages in fives, tens and twenties beside the exact ones. Empty: the table has no ages.
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

double percent(std::uint64_t part, std::uint64_t whole) {
  return whole == 0 ? 0 : 100.0 * static_cast<double>(part) / static_cast<double>(whole);
}

void attack_one(const Counts& counts, std::uint64_t k, const Growth& growth, const char* name) {
  const auto tree = build_tree(counts, k, growth);
  if (!tree) {
    fmt::print(stderr, "{}\n", pgveil::one_line(tree.error()));
    std::exit(1);
  }
  const auto begin = std::chrono::steady_clock::now();
  const Knowledge by_rules = knowledge_of(*tree, counts, growth, Made::to_the_end);
  const Findings reader = attack_tree(knowledge_of(*tree, counts, growth, Made::unknown), counts);
  const Findings rules = attack_tree(by_rules, counts);
  const Findings totals = attack_tree(with_totals(by_rules, *tree, counts), counts);
  const KnownPersons persons = attack_known(by_rules, counts, rules, {0, 1, 2});
  const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - begin;
  std::uint64_t blank = 0;
  std::uint64_t prior = 0;
  std::uint64_t guessed = 0;
  std::uint64_t best = 0;
  std::uint64_t bounded = 0;
  for (const AttributeFindings& it : rules.attributes) {
    blank += it.computed_in_blank;
    prior += it.prior_right;
    guessed += it.guessed_right;
    best += it.best_right;
    bounded += it.pinned;
  }
  if (reader.wrong() + rules.wrong() + totals.wrong() + persons.wrong > 0) {
    fmt::print(stderr, "a claim is wrong\n");
    std::exit(1);
  }
  const std::uint64_t hidden = rules.hidden();
  fmt::print(
      "| {:>3} | {:<9} | {:>7} | {:>6} | {:>6} | {:>5} | {:>6} | {:>6} | {:>5.1f} | {:>5.1f} | {:>5.1f} "
      "| {:>6.1f} | {:>6.2f} | {:>6.1f} |\n",
      k, name, hidden, reader.computed(), rules.computed(), blank, totals.computed(), bounded,
      percent(prior, hidden), percent(guessed, hidden), percent(best, hidden),
      percent(rules.singling_out.isolating, rules.singling_out.predicates),
      percent(persons.learnt, persons.unknown_cells), seconds.count());
  std::fflush(stdout);
}

}  // namespace

int main(int argc, char** argv) {
  const Rows rows = argc > 1 ? read_rows(argv[1]) : draw_rows();
  const Counts counts = count(rows);
  const auto leveled = with_age_ranges(counts);
  fmt::print(
      "{} rows, {} columns. Cells: hidden; computed by a reader, by one who knows the algorithm, of these "
      "in\n"
      "the class that shows nothing, and by one who knows the totals; bounded. Right guesses in per cent of "
      "the\n"
      "hidden cells: prior, within the bounds, best possible. Classes that are singled out, and unknown "
      "cells\n"
      "of persons whose first three columns are known that are learnt, in per cent. Seconds for all of "
      "them.\n\n"
      "|   k | strategy  |  hidden | reader |  rules | blank | totals | bound. | prior | guess |  best | "
      "single "
      "| learnt | time s |\n"
      "| --- | --------- | ------- | ------ | ------ | ----- | ------ | ------ | ----- | ----- | ----- | "
      "------ "
      "| ------ | ------ |\n",
      rows.size() - 1, rows[0].size());
  for (const std::uint64_t k : {2U, 5U, 20U, 100U}) {
    attack_one(counts, k, {.strategy = Strategy::greedy}, "greedy");
    attack_one(counts, k, {}, "thorough");
    if (!leveled.empty()) attack_one(with_attributes(counts, leveled), k, {}, "levels");
  }
}
