#include "policy/utility/utility.hpp"

#include <algorithm>
#include <numeric>
#include <ranges>
#include <set>
#include <string>
#include <utility>

#include "common/assert.hpp"
#include "policy/counts/counts_view.hpp"
#include "policy/tree/released_together.hpp"
#include "policy/utility/cell_bound.hpp"

namespace pgveil::policy {

namespace {

using Attributes = std::vector<std::uint32_t>;

std::vector<Attributes> single_columns(const DisclosureTree& tree) {
  std::vector<Attributes> questions;
  for (std::uint32_t a = 0; a < tree.attributes.size(); ++a) questions.push_back({a});
  return questions;
}

Attributes attributes_named(const DisclosureTree& tree, const std::vector<std::string>& columns) {
  Attributes attributes;
  for (const std::string& column : columns) {
    const auto found = std::ranges::find(tree.attributes, column, &TreeAttribute::name);
    PGVEIL_ASSERT(found != tree.attributes.end());
    attributes.push_back(static_cast<std::uint32_t>(found - tree.attributes.begin()));
  }
  return attributes;
}

std::vector<Attributes> declared_questions(const DisclosureTree& tree, const Growth& growth) {
  std::vector<Attributes> questions;
  for (const Question& question : growth.workload)
    questions.push_back(attributes_named(tree, question.columns));
  for (const std::string& column : growth.priority) questions.push_back(attributes_named(tree, {column}));
  return questions;
}

// Those whose pairs are measured first come first.
Attributes by_importance(const DisclosureTree& tree, const std::vector<Attributes>& declared) {
  std::set<std::uint32_t> named;
  for (const Attributes& question : declared) named.insert(question.begin(), question.end());
  const auto rank = [&](std::uint32_t a) {
    return std::pair(named.contains(a) ? 0 : 1, coarseness_of(tree.attributes[a]) > 0 ? 1 : 0);
  };
  Attributes order(tree.attributes.size());
  std::iota(order.begin(), order.end(), 0U);
  std::ranges::stable_sort(order, {}, rank);
  return order;
}

std::vector<Attributes> pairs_of(const DisclosureTree& tree, const std::vector<Attributes>& declared,
                                 std::uint64_t entries) {
  const std::size_t most =
      std::min<std::uint64_t>(kMostPairs, kMostPairWork / std::max<std::uint64_t>(entries, 1));
  const Attributes order = by_importance(tree, declared);
  std::vector<Attributes> pairs;
  for (std::size_t later = 1; later < order.size(); ++later) {
    for (std::size_t earlier = 0; earlier < later && pairs.size() < most; ++earlier) {
      const std::uint32_t a = std::min(order[earlier], order[later]);
      const std::uint32_t b = std::max(order[earlier], order[later]);
      if (source_of(tree.attributes[a]) != source_of(tree.attributes[b])) pairs.push_back({a, b});
    }
  }
  std::ranges::sort(pairs);
  return pairs;
}

// One question at a time: its groups take memory in proportion to the counts.
std::vector<AnswerError> errors_of(const CountsView& counts, const std::vector<std::uint64_t>& shown,
                                   const std::vector<Attributes>& questions) {
  std::vector<AnswerError> errors;
  for (const Attributes& question : questions) {
    const AnswerMeter meter(counts, {&question, 1});
    errors.push_back(meter.measure(0, shown));
  }
  return errors;
}

std::uint64_t missing_ppm(const AnswerError& error) {
  return (error.rows - error.rows_shown) * 1'000'000 / error.rows;
}

auto with_rows(const std::vector<AnswerError>& errors) {
  return errors | std::views::filter([](const AnswerError& error) { return error.rows > 0; });
}

}  // namespace

Utility measure_utility(const DisclosureTree& tree, const Counts& counts, const Growth& growth) {
  const CountsView view(counts);
  const auto shown = shown_by_entry(tree, view);
  const auto declared = declared_questions(tree, growth);
  return {.most_cells = cell_bound(counts, tree.k),
          .columns = errors_of(view, shown, single_columns(tree)),
          .pairs = errors_of(view, shown, pairs_of(tree, declared, view.entries().size())),
          .declared = errors_of(view, shown, declared),
          .implied = implied_columns(counts, tree.k)};
}

std::optional<std::uint64_t> mean_column_error_ppm(const Utility& utility) {
  std::uint64_t sum = 0;
  std::uint64_t count = 0;
  for (const AnswerError& error : with_rows(utility.columns)) {
    sum += error.mean_error_ppm;
    ++count;
  }
  if (count == 0) return std::nullopt;
  return (sum + count / 2) / count;
}

std::vector<Worsened> worsened(const Utility& before, const Utility& now) {
  std::vector<Worsened> found;
  const auto compare = [&](const AnswerError& was, const std::vector<AnswerError>& errors) {
    const auto is = std::ranges::find(errors, was.attributes, &AnswerError::attributes);
    if (is == errors.end() || was.rows == 0 || is->rows == 0) return;
    const Worsened change{was.attributes, missing_ppm(was), missing_ppm(*is)};
    if (change.missing_now_ppm >= change.missing_before_ppm + kClearlyWorsePpm) found.push_back(change);
  };
  for (const AnswerError& error : before.columns) compare(error, now.columns);
  for (const AnswerError& error : before.declared) {
    if (error.attributes.size() > 1) compare(error, now.declared);
  }
  return found;
}

const AnswerError* least_shown(const Utility& utility) {
  const AnswerError* least = nullptr;
  for (const AnswerError& error : with_rows(utility.columns)) {
    if (least == nullptr || missing_ppm(error) > missing_ppm(*least)) least = &error;
  }
  return least;
}

}  // namespace pgveil::policy
