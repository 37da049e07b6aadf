#include "engine/quality/quality.hpp"

#include <fmt/format.h>

#include <cmath>
#include <numeric>

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

Aggregate default_aggregate(Metric metric) {
  switch (metric) {
    case Metric::loss: return Aggregate::geometric_mean;
    case Metric::precision:
    case Metric::precision_monotonic:
    case Metric::normalized_nonuniform_entropy: return Aggregate::arithmetic_mean;
    case Metric::discernibility:
    case Metric::discernibility_monotonic:
    case Metric::class_size:
    case Metric::nonuniform_entropy:
    case Metric::nonuniform_entropy_monotonic:
    case Metric::height:
    case Metric::kl_divergence:
    case Metric::ambiguity: return Aggregate::sum;
  }
  return Aggregate::sum;
}

Error model_error(std::string message) {
  return Error{.kind = ErrorKind::configuration,
               .sqlstate = std::string(sqlstate::kInvalidParameterValue),
               .public_message = std::move(message)};
}

}  // namespace

bool is_always_monotonic(Metric metric) {
  switch (metric) {
    case Metric::discernibility_monotonic:
    case Metric::nonuniform_entropy_monotonic:
    case Metric::precision_monotonic:
    case Metric::height: return true;
    case Metric::discernibility:
    case Metric::class_size:
    case Metric::nonuniform_entropy:
    case Metric::normalized_nonuniform_entropy:
    case Metric::precision:
    case Metric::loss:
    case Metric::kl_divergence:
    case Metric::ambiguity: return false;
  }
  return false;
}

std::string_view name(Metric metric) {
  switch (metric) {
    case Metric::discernibility: return "discernibility";
    case Metric::discernibility_monotonic: return "discernibility_monotonic";
    case Metric::class_size: return "class_size";
    case Metric::nonuniform_entropy: return "nonuniform_entropy";
    case Metric::nonuniform_entropy_monotonic: return "nonuniform_entropy_monotonic";
    case Metric::normalized_nonuniform_entropy: return "normalized_nonuniform_entropy";
    case Metric::precision: return "precision";
    case Metric::precision_monotonic: return "precision_monotonic";
    case Metric::height: return "height";
    case Metric::loss: return "loss";
    case Metric::kl_divergence: return "kl_divergence";
    case Metric::ambiguity: return "ambiguity";
  }
  return "";
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
      aggregate_(model.aggregate.value_or(default_aggregate(model.metric))),
      factors_(factors(model.gs)),
      weights_(table.attributes.size(), 1),
      suppression_limit_(suppression_limit),
      is_monotonic_(suppression_limit == 0 || is_always_monotonic(model.metric)),
      name_order_(table.attributes.size()) {
  std::iota(name_order_.begin(), name_order_.end(), std::size_t{0});
  if (!model.weights.empty()) {
    const double largest = *std::ranges::max_element(model.weights);
    for (std::size_t i = 0; i < model.weights.size(); ++i) {
      weights_[table.given_order[i]] = model.weights[i] / largest;
    }
  }
  fill_tables();
  if (model.metric == Metric::kl_divergence) fill_divergence_tables();
  if (model.metric == Metric::ambiguity) fill_log_rows();
}

bool Quality::is_class_based() const {
  return model_.metric == Metric::discernibility || model_.metric == Metric::discernibility_monotonic ||
         model_.metric == Metric::class_size || model_.metric == Metric::kl_divergence ||
         model_.metric == Metric::ambiguity;
}

SuppressedSums Quality::sums() const {
  switch (model_.metric) {
    case Metric::loss: return SuppressedSums::domain_rows;
    case Metric::nonuniform_entropy:
    case Metric::normalized_nonuniform_entropy: return SuppressedSums::entropy;
    case Metric::kl_divergence: return SuppressedSums::divergence;
    case Metric::ambiguity: return SuppressedSums::combinations;
    case Metric::discernibility:
    case Metric::discernibility_monotonic:
    case Metric::class_size:
    case Metric::nonuniform_entropy_monotonic:
    case Metric::precision:
    case Metric::precision_monotonic:
    case Metric::height: return SuppressedSums::none;
  }
  return SuppressedSums::none;
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
      double value = 0;
      switch (model_.metric) {
        case Metric::discernibility:
        case Metric::discernibility_monotonic:
        case Metric::class_size:
        case Metric::kl_divergence:
        case Metric::ambiguity: break;
        case Metric::nonuniform_entropy:
        case Metric::nonuniform_entropy_monotonic:
        case Metric::normalized_nonuniform_entropy:
          value = factors_.generalization * entropy(raw, attribute.code_at[level], attribute.distinct(level));
          break;
        case Metric::precision:
        case Metric::precision_monotonic:
          value = ratio(factors_.generalization * static_cast<double>(level),
                        static_cast<double>(attribute.height()));
          break;
        case Metric::height: value = static_cast<double>(level); break;
        case Metric::loss: break;
      }
      tables.values.push_back(value);
      tables.bounds.push_back(0);
    }
    for (unsigned level = 0; level <= attribute.height(); ++level) {
      // Suppressing nothing costs least, unless suppression is cheaper than this level (precision with gs <
      // ½).
      double bound = attribute_value(j, level, Summary{});
      if (model_.metric == Metric::precision) {
        Summary most;
        most.suppressed_rows = suppression_limit_;
        bound = std::min(bound, attribute_value(j, level, most));
      }
      tables.bounds[level] = is_always_monotonic(model_.metric) ? bound : slack(bound);
      tables.bound_factors.push_back(
          geometric_factor(tables.bounds[level], weights_[j], table_.attributes.size()));
    }
  }
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

double Quality::attribute_value(std::size_t j, unsigned level, const Summary& summary) const {
  const double value = tables_[j].values[level];
  const double entropy = summary.suppressed_rows == 0 ? value : summary.entropy[j];
  switch (model_.metric) {
    case Metric::nonuniform_entropy: return floored(entropy);
    case Metric::nonuniform_entropy_monotonic: return floored(value);
    case Metric::normalized_nonuniform_entropy:
      return ratio(floored(entropy), floored(tables_[j].maximal_entropy));
    case Metric::precision: {
      const auto rows = static_cast<double>(table_.rows);
      const auto suppressed = static_cast<double>(summary.suppressed_rows);
      return ((rows - suppressed) * value + suppressed * factors_.suppression) / rows;
    }
    case Metric::precision_monotonic:
    case Metric::height: return value;
    case Metric::loss: return loss(j, level, summary);
    case Metric::discernibility:
    case Metric::discernibility_monotonic:
    case Metric::class_size:
    case Metric::kl_divergence:
    case Metric::ambiguity: return 0;
  }
  return 0;
}

double Quality::class_score(const Summary& summary) const {
  const auto rows = static_cast<double>(table_.rows);
  const auto squares = static_cast<double>(summary.squares);
  // The class-size metric applies sF to the classes and gF to the suppressed group, because the reference
  // does so.
  const double groups =
      factors_.suppression * static_cast<double>(summary.classes - summary.suppressed_classes) +
      factors_.generalization * (summary.suppressed_classes > 0 ? 1 : 0);
  switch (model_.metric) {
    case Metric::discernibility_monotonic: return squares;
    case Metric::discernibility:
      return static_cast<double>(summary.squares - summary.suppressed_squares +
                                 table_.rows * summary.suppressed_rows);
    case Metric::class_size: return rows / groups;
    case Metric::nonuniform_entropy:
    case Metric::nonuniform_entropy_monotonic:
    case Metric::normalized_nonuniform_entropy:
    case Metric::precision:
    case Metric::precision_monotonic:
    case Metric::height:
    case Metric::loss:
    case Metric::kl_divergence:
    case Metric::ambiguity: return 0;
  }
  return 0;
}

Score Quality::aggregate_in(std::span<const std::size_t> order, const Transformation& transformation,
                            const Summary& summary) const {
  std::array<double, kMaxAttributes> values;
  std::array<double, kMaxAttributes> weights;
  for (std::size_t i = 0; i < order.size(); ++i) {
    values[i] = attribute_value(order[i], transformation.level(order[i]), summary);
    weights[i] = weights_[order[i]];
  }
  return aggregate(aggregate_, std::span(values).first(order.size()), std::span(weights).first(order.size()));
}

Score Quality::score(const Transformation& transformation, const Summary& summary) const {
  if (model_.metric == Metric::kl_divergence) return single(divergence(transformation, summary));
  if (model_.metric == Metric::ambiguity) return single(summary.shown_combinations);
  if (is_class_based()) return single(class_score(summary));
  return aggregate_in(name_order_, transformation, summary);
}

Score Quality::score_as_given(const Transformation& transformation, const Summary& summary) const {
  if (model_.metric == Metric::kl_divergence) return single(divergence(transformation, summary));
  if (model_.metric == Metric::ambiguity) return single(summary.shown_combinations);
  if (is_class_based()) return single(class_score(summary));
  return aggregate_in(table_.given_order, transformation, summary);
}

}  // namespace pgveil::engine
