#include "engine/quality/quality.hpp"

#include <fmt/format.h>

#include <cmath>
#include <numeric>

#include "common/assert.hpp"
#include "common/sqlstate.hpp"

namespace pgveil::engine {
namespace {

// The reference truncates loss and entropy of an attribute to ten decimals before it aggregates.
double floored(double value) {
  return std::floor(value * 1e10) / 1e10;
}

double log2_of(double value) {
  return std::log(value) / std::log(2.0);
}

double ratio(double part, double whole) {
  return whole == 0 ? 0 : part / whole;
}

// A rounding error must not make a bound exceed the score. The truncation above is the largest error.
double slack(double bound) {
  return std::max(0.0, bound - bound * 1e-12 - 2e-10);
}

// −Σ_v a_v · log2(a_v ÷ b(v)), where a counts raw values and b their generalizations.
double entropy(const std::vector<std::uint64_t>& raw, const std::vector<Code>& code_at,
               std::size_t distinct) {
  std::vector<std::uint64_t> generalized(distinct, 0);
  for (std::size_t code = 0; code < raw.size(); ++code) generalized[code_at[code]] += raw[code];
  double sum = 0;
  for (std::size_t code = 0; code < raw.size(); ++code) {
    const auto a = static_cast<double>(raw[code]);
    if (a > 0) sum += a * log2_of(a / static_cast<double>(generalized[code_at[code]]));
  }
  return sum == 0 ? 0 : -sum;
}

Error model_error(std::string message) {
  return Error{.kind = ErrorKind::configuration,
               .sqlstate = std::string(sqlstate::kInvalidParameterValue),
               .public_message = std::move(message)};
}

}  // namespace

Quality::Facts Quality::facts_of(Metric metric) {
  switch (metric) {
    case Metric::discernibility:
      return {.name = "discernibility",
              .class_score = &Quality::discernibility,
              .class_bound = &Quality::squares_bound,
              .bound_of_generalizations = &Quality::discernibility_above,
              .bound_of_specializations = &Quality::discernibility_below};
    case Metric::discernibility_monotonic:
      return {.name = "discernibility_monotonic",
              .is_always_monotonic = true,
              .class_score = &Quality::squares,
              .class_bound = &Quality::squares_bound,
              .bound_of_generalizations = &Quality::squares_above};
    case Metric::class_size:
      return {.name = "class_size",
              .class_score = &Quality::class_size,
              .class_bound = &Quality::class_size_bound,
              .bound_of_generalizations = &Quality::class_size_above};
    case Metric::nonuniform_entropy:
      return {.name = "nonuniform_entropy",
              .sums = SuppressedSums::entropy,
              .level_value = &Quality::level_entropy,
              .attribute_value = &Quality::floored_entropy};
    case Metric::nonuniform_entropy_monotonic:
      return {.name = "nonuniform_entropy_monotonic",
              .is_always_monotonic = true,
              .level_value = &Quality::level_entropy,
              .attribute_value = &Quality::entropy_of_all};
    case Metric::normalized_nonuniform_entropy:
      return {.name = "normalized_nonuniform_entropy",
              .aggregate = Aggregate::arithmetic_mean,
              .sums = SuppressedSums::entropy,
              .level_value = &Quality::level_entropy,
              .attribute_value = &Quality::normalized_entropy};
    case Metric::precision:
      return {.name = "precision",
              .aggregate = Aggregate::arithmetic_mean,
              .may_gain_by_suppressing = true,
              .level_value = &Quality::share_of_height,
              .attribute_value = &Quality::precision};
    case Metric::precision_monotonic:
      return {.name = "precision_monotonic",
              .aggregate = Aggregate::arithmetic_mean,
              .is_always_monotonic = true,
              .level_value = &Quality::share_of_height,
              .attribute_value = &Quality::value_of_level};
    case Metric::height:
      return {.name = "height",
              .is_always_monotonic = true,
              .level_value = &Quality::level_number,
              .attribute_value = &Quality::value_of_level};
    case Metric::loss:
      return {.name = "loss",
              .aggregate = Aggregate::geometric_mean,
              .sums = SuppressedSums::domain_rows,
              .attribute_value = &Quality::loss};
    case Metric::kl_divergence:
      return {.name = "kl_divergence",
              .sums = SuppressedSums::divergence,
              .class_score = &Quality::divergence,
              .class_bound = &Quality::divergence_bound,
              .bound_of_generalizations = &Quality::divergence_above,
              .prepare = &Quality::fill_divergence_tables};
    case Metric::ambiguity:
      return {.name = "ambiguity",
              .sums = SuppressedSums::combinations,
              .class_score = &Quality::ambiguity,
              .class_bound = &Quality::ambiguity_bound,
              .bound_of_generalizations = &Quality::ambiguity_above,
              .prepare = &Quality::fill_log_rows};
  }
  fail_assertion("the metric is one of the enumeration", __FILE__, __LINE__);
}

std::string_view name(Metric metric) {
  return Quality::facts_of(metric).name;
}

bool is_always_monotonic(Metric metric) {
  return Quality::facts_of(metric).is_always_monotonic;
}

Factors factors(double gs) {
  return {gs <= 0.5 ? 1 : 1 - 2 * (gs - 0.5), gs < 0.5 ? 2 * gs : 1};
}

Result<void> validate(const QualityModel& model, std::size_t attributes) {
  if (!(model.gs >= 0 && model.gs <= 1)) return model_error("gs is outside 0 to 1");
  if (model.weights.empty()) return {};
  if (model.weights.size() != attributes) {
    return model_error(fmt::format("{} weights for {} quasi-identifiers", model.weights.size(), attributes));
  }
  double largest = 0;
  for (const double weight : model.weights) {
    if (!std::isfinite(weight) || weight < 0) return model_error("a weight is negative or not a number");
    largest = std::max(largest, weight);
  }
  if (largest == 0) return model_error("all weights are 0");
  return {};
}

Quality::Quality(const PreparedTable& table, const QualityModel& model, std::uint64_t suppression_limit)
    : table_(table),
      model_(model),
      facts_(facts_of(model.metric)),
      aggregate_(model.aggregate.value_or(facts_.aggregate)),
      factors_(factors(model.gs)),
      weights_(table.attributes.size(), 1),
      suppression_limit_(suppression_limit),
      is_monotonic_(suppression_limit == 0 || facts_.is_always_monotonic),
      name_order_(table.attributes.size()) {
  std::iota(name_order_.begin(), name_order_.end(), std::size_t{0});
  if (!model.weights.empty()) {
    const double largest = *std::ranges::max_element(model.weights);
    for (std::size_t i = 0; i < model.weights.size(); ++i) {
      weights_[table.given_order[i]] = model.weights[i] / largest;
    }
  }
  fill_tables();
  if (facts_.prepare != nullptr) (this->*facts_.prepare)();
}

EntropyStart Quality::entropy_start() const {
  EntropyStart start{{}, factors_.suppression};
  for (const auto& tables : tables_) start.from.push_back(tables.values);
  return start;
}

void Quality::fill_tables() {
  for (std::size_t j = 0; j < table_.attributes.size(); ++j) {
    const auto& attribute = table_.attributes[j];
    const auto& raw = table_.histograms[j];
    auto& tables = tables_.emplace_back();
    tables.maximal_entropy =
        factors_.generalization * entropy(raw, std::vector<Code>(raw.size(), 0), std::size_t{1});
    for (unsigned level = 0; level <= attribute.height(); ++level) {
      std::uint64_t domain_rows = 0;
      for (std::size_t code = 0; code < raw.size(); ++code) {
        domain_rows += raw[code] * attribute.spans[level][attribute.code_at[level][code]];
      }
      tables.domain_rows.push_back(domain_rows);
      tables.values.push_back(facts_.level_value == nullptr ? 0 : (this->*facts_.level_value)(j, level));
    }
    fill_bounds(j);
  }
}

void Quality::fill_bounds(std::size_t j) {
  for (unsigned level = 0; level <= table_.attributes[j].height(); ++level) {
    double bound = 0;
    if (!is_class_based()) {
      // Suppressing nothing costs least, unless suppression is cheaper than this level.
      bound = (this->*facts_.attribute_value)(j, level, Summary{});
      if (facts_.may_gain_by_suppressing) {
        Summary most;
        most.suppressed_rows = suppression_limit_;
        bound = std::min(bound, (this->*facts_.attribute_value)(j, level, most));
      }
    }
    tables_[j].bounds.push_back(facts_.is_always_monotonic ? bound : slack(bound));
    tables_[j].bound_factors.push_back(
        geometric_factor(tables_[j].bounds[level], weights_[j], table_.attributes.size()));
  }
  tables_[j].bounds.push_back(0);
  tables_[j].bound_factors.push_back(1);
}

double Quality::level_entropy(std::size_t j, unsigned level) const {
  const auto& attribute = table_.attributes[j];
  return factors_.generalization *
         entropy(table_.histograms[j], attribute.code_at[level], attribute.distinct(level));
}

double Quality::share_of_height(std::size_t j, unsigned level) const {
  return ratio(factors_.generalization * static_cast<double>(level),
               static_cast<double>(table_.attributes[j].height()));
}

double Quality::level_number(std::size_t, unsigned level) const {
  return static_cast<double>(level);
}

// raw_j = Σ_{c∉S} gF·n·share + Σ_{c∈S} (n if sF = 1, else n·share + sF(n − n·share)), scaled to [0, 1]. The
// sum of n·share over all classes is a look-up, so the check only sums over suppressed classes.
double Quality::loss(std::size_t j, unsigned level, const Summary& summary) const {
  const auto rows = static_cast<double>(table_.rows);
  const auto domain = static_cast<double>(table_.attributes[j].range);
  const std::uint64_t suppressed_domain_rows = summary.suppressed_domain_rows[j];
  const double kept_share =
      static_cast<double>(tables_[j].domain_rows[level] - suppressed_domain_rows) / domain;
  const double suppressed_share = static_cast<double>(suppressed_domain_rows) / domain;
  const auto suppressed = static_cast<double>(summary.suppressed_rows);
  const double penalty = factors_.suppression == 1
                             ? suppressed
                             : suppressed_share + factors_.suppression * (suppressed - suppressed_share);
  // A single value of a category still stands for one row of the hierarchy; a number stands for no interval.
  const double least = table_.attributes[j].is_continuous ? 0 : factors_.generalization * rows / domain;
  const double raw = factors_.generalization * kept_share + penalty;
  return floored(std::max(0.0, ratio(raw - least, rows - least)));
}

double Quality::entropy_with_suppressed(std::size_t j, unsigned level, const Summary& summary) const {
  return summary.suppressed_rows == 0 ? tables_[j].values[level] : summary.entropy[j];
}

double Quality::floored_entropy(std::size_t j, unsigned level, const Summary& summary) const {
  return floored(entropy_with_suppressed(j, level, summary));
}

double Quality::entropy_of_all(std::size_t j, unsigned level, const Summary&) const {
  return floored(tables_[j].values[level]);
}

double Quality::normalized_entropy(std::size_t j, unsigned level, const Summary& summary) const {
  return ratio(floored(entropy_with_suppressed(j, level, summary)), floored(tables_[j].maximal_entropy));
}

double Quality::precision(std::size_t j, unsigned level, const Summary& summary) const {
  const auto rows = static_cast<double>(table_.rows);
  const auto suppressed = static_cast<double>(summary.suppressed_rows);
  return ((rows - suppressed) * tables_[j].values[level] + suppressed * factors_.suppression) / rows;
}

double Quality::value_of_level(std::size_t j, unsigned level, const Summary&) const {
  return tables_[j].values[level];
}

double Quality::squares(const Transformation&, const Summary& summary) const {
  return static_cast<double>(summary.squares);
}

double Quality::discernibility(const Transformation&, const Summary& summary) const {
  return static_cast<double>(summary.squares - summary.suppressed_squares +
                             table_.rows * summary.suppressed_rows);
}

// It applies sF to the classes and gF to the suppressed group, because the reference does so.
double Quality::class_size(const Transformation&, const Summary& summary) const {
  const double groups =
      factors_.suppression * static_cast<double>(summary.classes - summary.suppressed_classes) +
      factors_.generalization * (summary.suppressed_classes > 0 ? 1 : 0);
  return static_cast<double>(table_.rows) / groups;
}

Score Quality::aggregate_in(std::span<const std::size_t> order, const Transformation& transformation,
                            const Summary& summary) const {
  std::array<double, kMaxAttributes> values;
  std::array<double, kMaxAttributes> weights;
  for (std::size_t i = 0; i < order.size(); ++i) {
    const unsigned level = transformation.level(order[i]);
    const bool is_dropped = level > table_.attributes[order[i]].height();
    values[i] = is_dropped ? 0 : (this->*facts_.attribute_value)(order[i], level, summary);
    weights[i] = weights_[order[i]];
  }
  return aggregate(aggregate_, std::span(values).first(order.size()), std::span(weights).first(order.size()));
}

Score Quality::score(const Transformation& transformation, const Summary& summary) const {
  if (is_class_based()) return single((this->*facts_.class_score)(transformation, summary));
  return aggregate_in(name_order_, transformation, summary);
}

Score Quality::score_as_given(const Transformation& transformation, const Summary& summary) const {
  if (is_class_based()) return single((this->*facts_.class_score)(transformation, summary));
  return aggregate_in(table_.given_order, transformation, summary);
}

}  // namespace pgveil::engine
