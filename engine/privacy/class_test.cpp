#include "engine/privacy/class_test.hpp"

#include <algorithm>
#include <cmath>

#include "common/frequencies.hpp"
#include "engine/privacy/overloaded.hpp"

namespace pgveil::engine {
namespace {

constexpr double kKept = -1;

double as_double(std::uint64_t number) {
  return static_cast<double>(number);
}

// Bounds the suppressed records: n records have a mean of `found`; kept parts have at most `allowed`,
// suppressed ones at most 1.
double over(double found, double allowed, double records) {
  if (found <= allowed + kFrequencyTolerance) return kKept;
  return allowed >= 1 ? 0 : records * (found - allowed) / (1 - allowed);
}

double entropy_excess(const EntropyDiversity& it, const ClassView::Values& values, double records) {
  const double least = std::log(it.l);
  const double found = entropy_of(values.counts);
  const bool has_values = as_double(values.counts.size()) >= std::ceil(it.l);
  if (!has_values) return records;
  if (found >= least + std::log1p(-kFrequencyTolerance)) return kKept;
  return records * (1 - found / least);
}

// c · tail − f(1) is concave, so the sum over the parts is at most the class's. Kept parts have more than 0,
// suppressed ones at least −s.
double recursive_excess(const RecursiveDiversity& it, const ClassView::Values& values, double records) {
  if (values.counts.size() < it.l) return records;
  const Skew skew = skew_of(values.counts, it.l);
  const double slack =
      it.c * (1 - kFrequencyTolerance) * as_double(skew.tail) - as_double(skew.most_frequent);
  return slack > 0 ? kKept : -slack;
}

double likeness_excess(const BetaLikeness& it, const SensitiveValues& column, const ClassView::Values& values,
                       double records) {
  double most = kKept;
  for (std::size_t i = 0; i < values.codes.size(); ++i) {
    const double p = as_double(column.in_table[values.codes[i]]) / as_double(column.total);
    const double beta = it.likeness == Likeness::basic ? it.beta : std::min(it.beta, -std::log(p));
    most = std::max(most, over(as_double(values.counts[i]) / records, (1 + beta) * p, records));
  }
  return most;
}

// Dividing may remove a value, so nothing is known about the parts.
double disclosure_excess(const DeltaDisclosure& it, const SensitiveValues& column,
                         const ClassView::Values& values, double records) {
  for (std::size_t i = 0; i < values.codes.size(); ++i) {
    const double p = as_double(column.in_table[values.codes[i]]) / as_double(column.total);
    const double q = as_double(values.counts[i]) / records;
    if (!(std::fabs(std::log2(q / p)) < it.delta * (1 - kFrequencyTolerance))) return 0;
  }
  return kKept;
}

// A part without a record of the subset breaks `least`, but has nothing to suppress.
double presence_excess(const DeltaPresence& it, const ClassView& view) {
  const double share = as_double(view.records) / as_double(view.population);
  if (share > it.most + kFrequencyTolerance)
    return it.most >= 1 ? kKept
                        : (as_double(view.records) - it.most * as_double(view.population)) / (1 - it.most);
  return share >= it.least - kFrequencyTolerance ? kKept : 0;
}

}  // namespace

ClassTest::ClassTest(const Anonymity& anonymity, std::span<const SensitiveValues> columns)
    : anonymity_(anonymity), columns_(columns), smallest_(smallest_class(anonymity)) {}

bool ClassTest::is_too_small(const ClassView& view) const {
  return view.records < smallest_ || (anonymity_.k_map && view.population < *anonymity_.k_map);
}

ClassVerdict ClassTest::test(const ClassView& view) {
  if (view.records == 0) {
    const bool is_hopeless = anonymity_.presence && anonymity_.presence->least > 0;
    return {!is_hopeless, is_hopeless ? ClassVerdict::kHopeless : 0};
  }
  if (is_too_small(view)) return {false, view.records};
  double most = anonymity_.presence ? presence_excess(*anonymity_.presence, view) : kKept;
  // Merging never breaks these models, so a class that breaks them has a part that does.
  bool is_certain = most >= 0;
  for (const auto& it : anonymity_.sensitive) {
    const double found = excess(it, view);
    most = std::max(most, found);
    is_certain = is_certain || (found >= 0 && !std::holds_alternative<DeltaDisclosure>(it.model));
  }
  if (most < 0) return {};
  const auto stays =
      static_cast<std::uint64_t>(std::ceil(most * (1 - kFrequencyTolerance) - kFrequencyTolerance));
  return {false, std::clamp<std::uint64_t>(stays, is_certain ? 1 : 0, view.records)};
}

double ClassTest::excess(const SensitiveModel& it, const ClassView& view) {
  const auto& column = columns_[it.column];
  const auto& values = view.columns[it.column];
  const double records = as_double(view.records);
  return std::visit(
      Overloaded{
          [&](const DistinctDiversity& model) {
            return as_double(values.codes.size()) >= std::ceil(model.l) ? kKept : records;
          },
          [&](const EntropyDiversity& model) { return entropy_excess(model, values, records); },
          [&](const RecursiveDiversity& model) { return recursive_excess(model, values, records); },
          [&](const TCloseness& model) {
            return over(distance(column, values, model.distance, view.records), model.t, records);
          },
          [&](const BetaLikeness& model) { return likeness_excess(model, column, values, records); },
          [&](const DeltaDisclosure& model) { return disclosure_excess(model, column, values, records); }},
      it.model);
}

double ClassTest::distance(const SensitiveValues& column, const ClassView::Values& values, Distance distance,
                           std::uint64_t records) {
  switch (distance) {
    case Distance::equal:
      in_table_.clear();
      for (const auto code : values.codes) in_table_.push_back(column.in_table[code]);
      return equal_distance(values.counts, in_table_, column.total);
    case Distance::ordered:
      in_class_.assign(column.in_table.size(), 0);
      for (std::size_t i = 0; i < values.codes.size(); ++i) in_class_[values.codes[i]] = values.counts[i];
      in_table_.clear();
      extra_.clear();
      break;
    case Distance::hierarchical: return hierarchical(column, values, records);
  }
  std::vector<std::uint64_t> ordered;
  for (const auto code : column.ascending) {
    ordered.push_back(in_class_[code]);
    in_table_.push_back(column.in_table[code]);
  }
  return ordered_distance(ordered, in_table_);
}

// Works from the leaves up. The surplus or deficit of a node is first settled among its children, at the cost
// of its own height; the rest moves up (Li et al., section 4.2).
double ClassTest::hierarchical(const SensitiveValues& column, const ClassView::Values& values,
                               std::uint64_t records) {
  const auto& levels = column.levels;
  const unsigned height = levels.height();
  extra_.assign(levels.distinct(0), 0);
  for (std::size_t code = 0; code < extra_.size(); ++code)
    extra_[code] = -as_double(column.in_table[code]) / as_double(column.total);
  for (std::size_t i = 0; i < values.codes.size(); ++i)
    extra_[values.codes[i]] += as_double(values.counts[i]) / as_double(records);
  std::vector<Code> parent_of;
  std::vector<double> positive;
  double cost = 0;
  for (unsigned level = 1; level <= height; ++level) {
    // Each node of the level below has one parent, which any of its leaves tells.
    parent_of.assign(levels.distinct(level - 1), 0);
    for (std::size_t code = 0; code < levels.code_at[level].size(); ++code)
      parent_of[levels.code_at[level - 1][code]] = levels.code_at[level][code];
    merged_.assign(levels.distinct(level), 0);
    positive.assign(levels.distinct(level), 0);
    for (std::size_t node = 0; node < parent_of.size(); ++node) {
      merged_[parent_of[node]] += extra_[node];
      positive[parent_of[node]] += std::max(extra_[node], 0.0);
    }
    double moved = 0;  // min(positive, negative), where negative = positive − sum
    for (std::size_t node = 0; node < merged_.size(); ++node)
      moved += std::min(positive[node], positive[node] - merged_[node]);
    cost += moved * level / height;
    std::swap(extra_, merged_);
  }
  return cost;
}

}  // namespace pgveil::engine
