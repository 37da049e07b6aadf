#include "policy/utility/answer_error.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <map>

#include "rows.hpp"

namespace pgveil::policy::testing {

namespace {

using Attributes = std::vector<std::uint32_t>;

// What the rows show, grouped: by its definition, with texts, row by row.
AnswerError naive_answer_error(const DisclosureTree& tree, const Table& table, const Attributes& question) {
  std::map<std::vector<std::string>, std::pair<std::uint64_t, std::uint64_t>> groups;  // rows, shown
  for (const Row& row : table.rows) {
    const auto visible = shown(tree, row);
    const auto has_all = [&](const std::vector<Text>& values) {
      return std::ranges::all_of(question, [&](std::uint32_t a) { return values[a].has_value(); });
    };
    if (!has_all(row.values)) continue;
    std::vector<std::string> group;
    for (const std::uint32_t a : question) group.push_back(*row.values[a]);
    auto& [rows, rows_shown] = groups[group];
    ++rows;
    if (!has_all(visible)) continue;
    for (const std::uint32_t a : question) CHECK(visible[a] == row.values[a]);
    ++rows_shown;
  }
  AnswerError error{.attributes = question};
  std::vector<double> errors;
  std::vector<std::pair<double, std::vector<std::string>>> truly;  // largest first, then by text
  std::vector<std::pair<double, std::vector<std::string>>> answer;
  for (const auto& [group, counted] : groups) {
    const auto rows = static_cast<double>(counted.first);
    const auto visible = static_cast<double>(counted.second);
    ++error.groups;
    error.groups_shown += counted.second > 0 ? 1 : 0;
    error.rows += counted.first;
    error.rows_shown += counted.second;
    errors.push_back((rows - visible) / rows);
    truly.emplace_back(-rows, group);
    if (counted.second > 0) answer.emplace_back(-visible, group);
  }
  if (groups.empty()) return error;
  double sum = 0;
  for (const double one : errors) sum += one;
  error.mean_error_ppm = static_cast<std::uint64_t>(1e6 * sum / static_cast<double>(errors.size()) + 0.5);
  std::ranges::sort(errors);
  std::size_t rank = 1;  // the first that 95 % are no larger than
  while (rank * 100 < errors.size() * 95) ++rank;
  error.p95_error_ppm = static_cast<std::uint64_t>(1e6 * errors[rank - 1] + 0.5);
  std::ranges::sort(truly);
  std::ranges::sort(answer);
  error.top_groups = std::min<std::size_t>(10, truly.size());
  for (std::size_t i = 0; i < error.top_groups; ++i) {
    for (std::size_t j = 0; j < std::min<std::size_t>(10, answer.size()); ++j)
      error.top_kept += truly[i].second == answer[j].second ? 1 : 0;
  }
  return error;
}

std::vector<Attributes> all_questions(std::size_t attribute_count) {
  std::vector<Attributes> questions;
  for (std::uint32_t a = 0; a < attribute_count; ++a) {
    questions.push_back({a});
    for (std::uint32_t b = 0; b < attribute_count; ++b) {
      if (a != b) questions.push_back({a, b});
    }
  }
  Attributes all;
  for (std::uint32_t a = 0; a < attribute_count; ++a) all.push_back(a);
  if (attribute_count > 2) questions.push_back(all);
  return questions;
}

void check_same(AnswerError found, AnswerError expected) {
  // Each group is rounded by itself, so the mean may be off by one from the mean of unrounded errors.
  CHECK(std::max(found.mean_error_ppm, expected.mean_error_ppm) -
            std::min(found.mean_error_ppm, expected.mean_error_ppm) <=
        1);
  expected.mean_error_ppm = found.mean_error_ppm;
  CHECK(found == expected);
}

}  // namespace

TEST_CASE("the error of answers is that of a count row by row, with levels, units and NULL") {
  std::mt19937_64 random(701);
  int wrong = 0;
  int right = 0;
  int top_lost = 0;
  for (int i = 0; i < 600; ++i) {
    CAPTURE(i);
    const RandomShape shape{.max_rows = 80, .max_attributes = 2, .max_values = 14, .has_units = i % 3 == 0};
    const Table table = i % 2 == 0 ? random_leveled_table(random, shape) : random_table(random, shape);
    const Growth growth{.strategy = i % 4 < 2 ? Strategy::greedy : Strategy::thorough};
    const auto tree = build_tree(count(table, random()), 2 + random() % 3, growth);
    if (!tree) continue;
    const auto questions = all_questions(table.attributes.size());
    const auto errors = answer_errors(*tree, count(table, random()), questions);
    REQUIRE(errors.size() == questions.size());
    for (std::size_t q = 0; q < questions.size(); ++q) {
      CAPTURE(q);
      check_same(errors[q], naive_answer_error(*tree, table, questions[q]));
      wrong += errors[q].mean_error_ppm > 0 ? 1 : 0;
      right += errors[q].groups > 0 && errors[q].mean_error_ppm == 0 ? 1 : 0;
      top_lost += errors[q].top_kept < errors[q].top_groups ? 1 : 0;
    }
  }
  CHECK(wrong > 1000);
  CHECK(right > 50);
  CHECK(top_lost > 500);
}

TEST_CASE("the error of answers is measured on other rows than the tree's own, too") {
  std::mt19937_64 random(702);
  for (int i = 0; i < 200; ++i) {
    CAPTURE(i);
    const Table table = random_table(random, {});
    const auto tree = build_tree(count(table), 2, {});
    if (!tree) continue;
    Table other = random_table(random, {.max_values = 8});
    for (Row& row : other.rows) row.values.resize(table.attributes.size());
    other.attributes = table.attributes;
    const auto questions = all_questions(table.attributes.size());
    const auto errors = answer_errors(*tree, count(other), questions);
    for (std::size_t q = 0; q < questions.size(); ++q)
      check_same(errors[q], naive_answer_error(*tree, other, questions[q]));
  }
}

TEST_CASE("the worked example answers one state of five, and no other") {
  const Table table = worked_example();
  const auto tree = build_tree(count(table), 2, kGreedy).value();
  const std::vector<Attributes> questions = {{2}, {2, 1}};
  const auto errors = answer_errors(tree, count(table), questions);
  CHECK(errors[0] == AnswerError{.attributes = {2},
                                 .groups = 5,
                                 .groups_shown = 1,
                                 .rows = 11,
                                 .rows_shown = 6,
                                 .mean_error_ppm = 800'000,
                                 .p95_error_ppm = 1'000'000,
                                 .top_groups = 5,
                                 .top_kept = 1});
  CHECK(errors[1].groups == 7);
  CHECK(errors[1].rows_shown == 4);
  CHECK(errors[1].mean_error_ppm == 857'143);  // 6 of 7
}

TEST_CASE("a question about nothing but NULL has no groups and no error") {
  const Table table{{"a"}, false, {{{std::nullopt}}, {{std::nullopt}}}};
  const auto tree = build_tree(count(table), 2, {}).value();
  const std::vector<Attributes> questions = {{0}};
  CHECK(answer_errors(tree, count(table), questions) ==
        std::vector<AnswerError>{AnswerError{.attributes = {0}}});
}

}  // namespace pgveil::policy::testing
