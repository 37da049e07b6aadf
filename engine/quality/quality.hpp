#pragma once
// Quality models: how much a transformation loses, lower is better. A model is a value; Quality is a model
// made ready for one table, with everything that needs no grouping looked up in tables per attribute and
// level. Formulas: comments at the functions of quality.cpp. Scores agree with ARX 3.9.2 in every printed
// digit.
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "engine/check/checker.hpp"
#include "engine/quality/score.hpp"

namespace pgveil::engine {

enum class Metric {
  discernibility,
  discernibility_monotonic,
  class_size,
  nonuniform_entropy,
  nonuniform_entropy_monotonic,
  normalized_nonuniform_entropy,
  precision,
  precision_monotonic,
  height,
  loss,
  kl_divergence,
  ambiguity
};
inline constexpr std::size_t kMetrics = 12;
[[nodiscard]] std::string_view name(Metric metric);
// Whatever is suppressed, no generalization of an anonymous transformation scores better than it.
[[nodiscard]] bool is_always_monotonic(Metric metric);

struct QualityModel {
  Metric metric = Metric::loss;
  std::optional<Aggregate>
      aggregate;    // default: loss geometric, precision and normalized entropy arithmetic, else sum
  double gs = 0.5;  // 0: generalize freely, suppress freely: see factors below
  std::vector<double> weights;  // empty, or one for each quasi-identifier in the given order; ≥ 0, not all 0
};

// sF = 2gs if gs < ½ else 1; gF = 1 if gs ≤ ½ else 1 − 2(gs − ½).
struct Factors {
  double generalization = 1;
  double suppression = 1;
};
[[nodiscard]] Factors factors(double gs);

// A refusal of gs outside [0, 1], of weights that are negative, not finite, all 0 or not as many as
// `attributes`.
[[nodiscard]] Result<void> validate(const QualityModel& model, std::size_t attributes);

class Quality {
 public:
  // REQUIRES: validate(model, …) passed. `table` must outlive it.
  Quality(const PreparedTable& table, const QualityModel& model, std::uint64_t suppression_limit);

  // No generalization of an anonymous transformation scores better than it.
  [[nodiscard]] bool is_monotonic() const { return is_monotonic_; }
  [[nodiscard]] SuppressedSums sums() const;
  [[nodiscard]] EntropyStart entropy_start() const;
  // Scores the classes as such, not attribute by attribute.
  [[nodiscard]] bool is_class_based() const;

  // REQUIRES: the summary is of this transformation, which is anonymous.
  [[nodiscard]] Score score(const Transformation& transformation, const Summary& summary) const;
  // The same with sums taken in the given order of the attributes: what the reference prints.
  [[nodiscard]] Score score_as_given(const Transformation& transformation, const Summary& summary) const;

  // A lower bound without any grouping, of the score of an anonymous transformation and of its
  // generalizations.
  [[nodiscard]] Score bound(const Transformation& transformation) const;
  // Lower bounds of the scores of a checked transformation, if it is anonymous, and of all its
  // generalizations or all its specializations that are, if the classes give one. k as in the check.
  [[nodiscard]] std::optional<double> bound_of_generalizations(const Transformation& transformation,
                                                               const Summary& summary, std::uint64_t k) const;
  [[nodiscard]] std::optional<double> bound_of_specializations(const Summary& summary, std::uint64_t k) const;

 private:
  // Per attribute and level, what needs no grouping: the share of loss, entropy, relative height …
  struct AttributeTables {
    std::vector<double> values;              // [level]
    std::vector<double> bounds;              // [level]
    std::vector<double> bound_factors;       // [level]: its part of the geometric mean, whose roots are dear
    std::vector<std::uint64_t> domain_rows;  // [level]: Σ_C n · hierarchy rows of the value
    double maximal_entropy = 0;
    // Of kl_divergence, the first of ambiguity too:
    std::vector<double> log_rows;    // [level]: Σ_C n · log2(hierarchy rows of the value)
    std::vector<double> value_bits;  // [level]: entropy of the generalized values
  };

  void fill_tables();
  [[nodiscard]] double attribute_value(std::size_t j, unsigned level, const Summary& summary) const;
  [[nodiscard]] double loss(std::size_t j, unsigned level, const Summary& summary) const;
  void fill_log_rows();  // and value_bits
  void fill_divergence_tables();
  // Of the classes as they are, nothing of them suppressed; and of what is published. In bits.
  [[nodiscard]] double unsuppressed_divergence(const Transformation& transformation,
                                               const Summary& summary) const;
  [[nodiscard]] double divergence(const Transformation& transformation, const Summary& summary) const;
  [[nodiscard]] double divergence_bound(const Transformation& transformation) const;
  [[nodiscard]] double divergence_bound_of_generalizations(const Transformation& transformation,
                                                           const Summary& summary) const;
  [[nodiscard]] double ambiguity_bound(const Transformation& transformation) const;
  [[nodiscard]] double class_bound(const Transformation& transformation) const;
  [[nodiscard]] double class_score(const Summary& summary) const;
  [[nodiscard]] Score aggregate_in(std::span<const std::size_t> order, const Transformation& transformation,
                                   const Summary& summary) const;

  const PreparedTable& table_;
  QualityModel model_;
  Aggregate aggregate_;
  Factors factors_;
  std::vector<double> weights_;  // by attribute, the largest is 1
  std::uint64_t suppression_limit_;
  bool is_monotonic_;
  std::vector<AttributeTables> tables_;
  std::vector<std::size_t> name_order_;
  double input_bits_ = 0;  // entropy of the records as they are, of kl_divergence
};

}  // namespace pgveil::engine
