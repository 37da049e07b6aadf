#include "bench/utility/outcome.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <random>
#include <utility>

#include "bench/utility/classifier.hpp"

namespace pgveil::bench::utility {

namespace {

using Columns = std::vector<std::uint32_t>;

Columns columns_of(const Set& set, const Names& names) {
  Columns out;
  for (const std::string& name : names) {
    const auto found = std::ranges::find(set.dimensions, name, &Dimension::name);
    out.push_back(static_cast<std::uint32_t>(found - set.dimensions.begin()));
  }
  std::ranges::sort(out);
  return out;
}

std::vector<Columns> sets_of_columns(std::size_t columns, std::size_t size) {
  std::vector<Columns> out;
  for (std::uint64_t bits = 0; bits < std::uint64_t{1} << columns; ++bits) {
    Columns chosen;
    for (std::uint32_t a = 0; a < columns; ++a) {
      if ((bits >> a & 1) != 0) chosen.push_back(a);
    }
    if (chosen.size() == size) out.push_back(std::move(chosen));
  }
  return out;
}

void keep_sample(std::vector<Columns>& columns, std::size_t sample) {
  std::mt19937_64 random(1);
  while (columns.size() > sample)
    columns.erase(columns.begin() + static_cast<std::ptrdiff_t>(random() % columns.size()));
}

// What is compared must keep the same promise.
void check_classes(const std::vector<MaskedClass>& classes, const Method& method, std::uint64_t k) {
  for (const MaskedClass& alike : classes) {
    if (alike.rows >= static_cast<double>(k)) continue;
    fmt::print(stderr, "{}: a class of {} rows where k is {}\n", method.name, alike.rows, k);
    std::exit(1);
  }
}

MeanError sum_of(const MeanError& a, const MeanError& b) {
  return {a.rows + b.rows, a.amounts + b.amounts, a.by_size + b.by_size};
}

MeanError better_of(const MeanError& a, const MeanError& b) {
  return {std::min(a.rows, b.rows), std::min(a.amounts, b.amounts), std::min(a.by_size, b.by_size)};
}

MeanError divided(const MeanError& sum, double n) {
  return {sum.rows / n, sum.amounts / n, sum.by_size / n};
}

}  // namespace

Question question_of(const Set& set, const Names& columns) {
  return ask(set, columns_of(set, columns));
}

Questions questions_of(const Set& set, std::size_t sample) {
  std::vector<Columns> declared;
  Questions questions;
  for (const Names& names : set.declared) {
    declared.push_back(columns_of(set, names));
    questions.declared.push_back(ask(set, declared.back()));
  }
  for (std::size_t size = 1; size <= 3; ++size) {
    auto columns = sets_of_columns(set.dimensions.size(), size);
    std::erase_if(columns,
                  [&](const Columns& some) { return std::ranges::find(declared, some) != declared.end(); });
    if (size == 3) keep_sample(columns, sample);
    for (const Columns& some : columns) questions.others[size - 1].push_back(ask(set, some));
  }
  return questions;
}

Mean mean_of(const std::vector<Question>& questions, const Method& method, const Masked& masked,
             const std::vector<MaskedClass>& classes) {
  Mean sum;
  for (const Question& question : questions) {
    const MeanError strict = error_of(question, masked, classes, Reading::strict);
    const MeanError spread = method.is_tree ? strict : error_of(question, masked, classes, Reading::spread);
    sum.strict = sum_of(sum.strict, strict);
    sum.better = sum_of(sum.better, better_of(strict, spread));
  }
  const auto n = static_cast<double>(std::max<std::size_t>(questions.size(), 1));
  return {divided(sum.better, n), divided(sum.strict, n)};
}

Outcome outcome_of(const Method& method, const Set& set, const Set& predicted, const Questions& questions,
                   std::uint64_t k) {
  const Masked masked = method.mask(set, k);
  const auto classes = classes_of(set, masked);
  check_classes(classes, method, k);
  Outcome outcome{method.name, mean_of(questions.declared, method, masked, classes), {}, 0, 0, masked.ms};
  for (std::size_t i = 0; i < 3; ++i)
    outcome.others[i] = mean_of(questions.others[i], method, masked, classes);
  outcome.exact_cells = exact_cells(set, masked);
  outcome.accuracy =
      &set == &predicted ? accuracy(set, masked) : accuracy(predicted, method.mask(predicted, k));
  return outcome;
}

}  // namespace pgveil::bench::utility
