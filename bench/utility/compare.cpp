#include "bench/utility/compare.hpp"

#include <fmt/format.h>

#include <cstdio>
#include <utility>

#include "bench/utility/classifier.hpp"
#include "bench/utility/outcome.hpp"

namespace pgveil::bench::utility {

namespace {

struct Row {
  std::uint64_t k = 0;
  Outcome outcome;
};

// In per cent; what SQL would answer behind it, where another reading is better.
std::string percents(double better, double strict) {
  if (better == strict) return fmt::format("{:.1f}", 100 * better);
  return fmt::format("{:.1f} ({:.1f})", 100 * better, 100 * strict);
}

std::string counts_of(const Mean& mean) {
  return percents(mean.better.rows, mean.strict.rows);
}
std::string sums_of(const Mean& mean) {
  return percents(mean.better.amounts, mean.strict.amounts);
}
std::string by_size(const Mean& mean) {
  return percents(mean.better.by_size, mean.strict.by_size);
}

std::string ratio(double ours, double theirs) {
  return theirs == 0 ? "–" : fmt::format("{:.2f}", ours / theirs);
}

std::string ratios(const Outcome& ours, const Outcome& theirs) {
  std::string out;
  for (std::size_t i = 0; i < 3; ++i)
    out += (i == 0 ? "" : " · ") + ratio(ours.others[i].better.rows, theirs.others[i].better.rows);
  return out;
}

void print_heading(const Set& set, const Questions& questions) {
  std::string declared;
  for (const Names& names : set.declared)
    declared += fmt::format("{}`{}`", declared.empty() ? "" : "; ", fmt::join(names, ", "));
  fmt::print(
      "\n### {}, {} rows\n\nDeclared: {}. Undeclared: {} questions of one column, {} of two, {} of three.\n\n"
      "| k | method | declared | by size | ours ÷ this | 1 column | by size | 2 columns | 3 columns "
      "| ours ÷ this | exact cells |\n|---|---|---|---|---|---|---|---|---|---|---|\n",
      set.name, set.rows(), declared, questions.others[0].size(), questions.others[1].size(),
      questions.others[2].size());
}

void print_counts(const Row& row, const Outcome& ours) {
  const Outcome& it = row.outcome;
  const auto& [one, two, three] = it.others;
  fmt::print("| {} | {} | {} | {} | {} | {} | {} | {} | {} | {} | {:.1f} |\n", row.k, it.method,
             counts_of(it.declared), by_size(it.declared),
             ratio(ours.declared.better.rows, it.declared.better.rows), counts_of(one), by_size(one),
             counts_of(two), counts_of(three), ratios(ours, it), 100 * it.exact_cells);
  std::fflush(stdout);
}

void print_sums(const Row& row, const Outcome& ours) {
  const auto& [one, two, three] = row.outcome.others;
  fmt::print(" {} | {} | {} | {} | {} |", sums_of(row.outcome.declared),
             ratio(ours.declared.better.amounts, row.outcome.declared.better.amounts), sums_of(one),
             sums_of(two), sums_of(three));
}

// `ours` of a row: the first outcome of its k.
void print_sums_and_models(const Set& set, const Set& predicted, const std::vector<Row>& rows,
                           std::size_t methods) {
  const bool has_sums = !set.amounts.empty();
  fmt::print(
      "\nPredicted: {}. Always the more frequent class: {:.1f} %. Trained on the raw rows: {:.1f} %.\n\n",
      predicted.class_name, 100 * majority(predicted), 100 * accuracy(predicted, not_masked(predicted)));
  fmt::print("| k | method |{} accuracy | ms |\n|---|---|{}---|---|\n",
             has_sums ? " sums, declared | ours ÷ this | 1 column | 2 columns | 3 columns |" : "",
             has_sums ? "---|---|---|---|---|" : "");
  for (std::size_t i = 0; i < rows.size(); ++i) {
    fmt::print("| {} | {} |", rows[i].k, rows[i].outcome.method);
    if (has_sums) print_sums(rows[i], rows[i - i % methods].outcome);
    fmt::print(" {:.1f} | {:.0f} |\n", 100 * rows[i].outcome.accuracy, rows[i].outcome.ms);
  }
}

// What the first tree costs the questions that nobody declared, against the paper's.
void print_price(std::uint64_t k, const Outcome& ours, const Outcome& greedy) {
  fmt::print("- k = {}, `{}`:", k, ours.method);
  constexpr const char* kOf[] = {"one column", "two columns", "three columns"};
  for (std::size_t i = 0; i < 3; ++i) {
    fmt::print("{} {:+.1f} on {}", i == 0 ? "" : ",",
               100 * (ours.others[i].better.rows - greedy.others[i].better.rows), kOf[i]);
  }
  fmt::print("\n");
}

// Of more than one question none comes first.
std::vector<Method> trees_of(const std::vector<Names>& questions) {
  std::vector<Method> trees = {workload_tree(questions)};
  if (questions.size() == 1) trees.push_back(priority_tree(questions.front().front()));
  trees.push_back(thorough_tree());
  trees.push_back(greedy_tree());
  return trees;
}

std::vector<Method> methods_of(const Set& set) {
  std::vector<Method> methods = {workload_tree(set.declared), broad_workload_tree(set.declared),
                                 priority_tree(set.declared.front().front()), thorough_tree(), greedy_tree()};
  for (Method& method : generalizations(set.declared)) methods.push_back(std::move(method));
  return methods;
}

constexpr std::size_t kGreedy = 4;  // its place in methods_of

void print_summary(const std::vector<Row>& rows, std::size_t methods) {
  fmt::print("\nPrice on undeclared counts against the paper's tree, in points:\n\n");
  std::string ahead;
  for (std::size_t first = 0; first < rows.size(); first += methods) {
    const Outcome& ours = rows[first].outcome;
    print_price(rows[first].k, ours, rows[first + kGreedy].outcome);
    print_price(rows[first].k, rows[first + 1].outcome, rows[first + kGreedy].outcome);
    for (std::size_t i = first + 1; i < first + methods; ++i) {
      if (rows[i].outcome.declared.better.rows < ours.declared.better.rows)
        ahead += fmt::format("{}{} (k = {})", ahead.empty() ? "" : ", ", rows[i].outcome.method, rows[i].k);
    }
  }
  fmt::print("\nAhead of `workload` on the declared questions: {}.\n", ahead.empty() ? "nothing" : ahead);
}

std::vector<Method> alternatives(const std::vector<Names>& questions) {
  std::vector<Method> methods = trees_of(questions);
  for (Method& method : generalizations(questions)) methods.push_back(std::move(method));
  return methods;
}

double error_on(const std::vector<Question>& questions, const Method& method, const Set& set,
                std::uint64_t k) {
  const Masked masked = method.mask(set, k);
  return 100 * mean_of(questions, method, masked, classes_of(set, masked)).better.rows;
}

std::vector<double> print_errors(const std::vector<Question>& questions, const std::vector<Method>& methods,
                                 const Set& set, std::uint64_t k) {
  double least = 0;
  for (const Question& question : questions) least += 100 * least_error(question, k);
  fmt::print(" {:.1f} |", least / static_cast<double>(questions.size()));
  std::vector<double> errors;
  for (const Method& method : methods) {
    errors.push_back(error_on(questions, method, set, k));
    fmt::print(" {:.1f} |", errors.back());
    std::fflush(stdout);
  }
  return errors;
}

}  // namespace

void print_error_heading(std::size_t questions, bool has_targets) {
  std::string names, lines;
  const std::vector<Names> some(questions, Names{""});
  for (const Method& method : alternatives(some)) {
    names += fmt::format(" {} |", method.name);
    lines += "---|";
  }
  fmt::print("\n| set | declared | k | least |{}{}\n|---|---|---|---|{}{}\n", names,
             has_targets ? " target |" : "", lines, has_targets ? "---|" : "");
}

void compare(const Set& set, const Set& predicted, const std::vector<std::uint64_t>& ks, std::size_t sample) {
  const Questions questions = questions_of(set, sample);
  const auto methods = methods_of(set);
  print_heading(set, questions);
  std::vector<Row> rows;
  for (const std::uint64_t k : ks) {
    const std::size_t first = rows.size();
    for (const Method& method : methods) {
      rows.push_back({k, outcome_of(method, set, predicted, questions, k)});
      print_counts(rows.back(), rows[first].outcome);
    }
  }
  print_sums_and_models(set, predicted, rows, methods.size());
  print_summary(rows, methods.size());
}

void compare_targets(const Set& set, const std::vector<Target>& targets) {
  for (const Target& target : targets) {
    const std::vector<Names> declared = {{target.column}};
    fmt::print("| {} | {} | {} |", set.name, target.column, target.k);
    const auto errors =
        print_errors({question_of(set, declared.front())}, alternatives(declared), set, target.k);
    fmt::print(" {:.0f}: {} |\n", target.percent, errors.front() <= target.percent ? "reached" : "missed");
  }
}

void draw_frontier(const Set& set, const std::vector<Names>& declared, const std::string& name,
                   const std::vector<std::uint64_t>& ks) {
  std::vector<Question> questions;
  for (const Names& columns : declared) questions.push_back(question_of(set, columns));
  for (const std::uint64_t k : ks) {
    fmt::print("| {} | {} | {} |", set.name, name, k);
    print_errors(questions, alternatives(declared), set, k);
    fmt::print("\n");
  }
}

}  // namespace pgveil::bench::utility
