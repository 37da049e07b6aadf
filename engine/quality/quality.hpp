#pragma once
// Quality models: how much information a transformation loses; lower is better. A QualityModel is a value.
// Quality is a model prepared for one table, with everything that needs no grouping in look-up tables per
// attribute and level. The formulas are in comments at the functions of quality.cpp. Scores agree with ARX
// 3.9.2 in every printed digit.
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
// Whether no generalization of an anonymous transformation scores better than it, whatever is suppressed.
[[nodiscard]] bool is_always_monotonic(Metric metric);

struct QualityModel {
  Metric metric = Metric::loss;
  std::optional<Aggregate>
      aggregate;    // default: geometric for loss, arithmetic for precision and normalized entropy, else sum
  double gs = 0.5;  // 0: generalize freely, suppress freely: see Factors below
  std::vector<double> weights;  // empty, or one per quasi-identifier in the given order; ≥ 0, not all 0
};

// sF = 2gs if gs < ½ else 1; gF = 1 if gs ≤ ½ else 1 − 2(gs − ½).
struct Factors {
  double generalization = 1;
  double suppression = 1;
};
[[nodiscard]] Factors factors(double gs);

// Refuses gs outside [0, 1], and weights that are negative, not finite, all 0 or not as many as `attributes`.
[[nodiscard]] Result<void> validate(const QualityModel& model, std::size_t attributes);

class Quality {
 public:
  // `table` must outlive this object. REQUIRES: validate(model, …) passed.
  Quality(const PreparedTable& table, const QualityModel& model, std::uint64_t suppression_limit);

  // Whether no generalization of an anonymous transformation scores better than it.
  [[nodiscard]] bool is_monotonic() const { return is_monotonic_; }
  [[nodiscard]] SuppressedSums sums() const { return facts_.sums; }
  [[nodiscard]] EntropyStart entropy_start() const;
  // Whether the classes are scored as such, not attribute by attribute.
  [[nodiscard]] bool is_class_based() const { return facts_.class_score != nullptr; }

  // REQUIRES: the summary is of this transformation, which is anonymous. A dropped attribute loses nothing,
  // and may only occur if is_combined().
  [[nodiscard]] Score score(const Transformation& transformation, const Summary& summary) const;
  // The same, but with sums taken in the given order of the attributes, as the reference prints them.
  [[nodiscard]] Score score_as_given(const Transformation& transformation, const Summary& summary) const;

  // A lower bound, found without any grouping, of the scores of the transformation (if anonymous) and of its
  // generalizations.
  [[nodiscard]] Score bound(const Transformation& transformation) const;
  // Whether every transformation scores at least combined_bound() of its scores on disjoint sets of
  // attributes, with all other columns dropped, if each of these suppresses some of the same records.
  [[nodiscard]] bool is_combined() const;
  [[nodiscard]] double combined_bound(std::span<const double> scores) const;
  // Lower bounds of the scores of a checked transformation, if it is anonymous, and of all its anonymous
  // generalizations or specializations. nullopt: the classes give no bound. k is that of the check.
  [[nodiscard]] std::optional<double> bound_of_generalizations(const Transformation& transformation,
                                                               const Summary& summary, std::uint64_t k) const;
  [[nodiscard]] std::optional<double> bound_of_specializations(const Summary& summary, std::uint64_t k) const;

 private:
  using ClassScore = double (Quality::*)(const Transformation&, const Summary&) const;
  using ClassBound = double (Quality::*)(const Transformation&) const;
  using LevelValue = double (Quality::*)(std::size_t attribute, unsigned level) const;
  using AttributeValue = double (Quality::*)(std::size_t attribute, unsigned level, const Summary&) const;
  using BoundAbove = double (Quality::*)(const Transformation&, const Summary&, std::uint64_t k) const;
  using BoundBelow = double (Quality::*)(const Summary&, std::uint64_t k) const;

  // Everything that tells one metric from another. It scores either attribute by attribute or the classes.
  struct Facts {
    std::string_view name;
    Aggregate aggregate = Aggregate::sum;  // of the attributes, unless the model says otherwise
    bool is_always_monotonic = false;
    bool may_gain_by_suppressing = false;  // suppressing a record can cost less than a level (gs < ½)
    SuppressedSums sums = SuppressedSums::none;
    LevelValue level_value = nullptr;          // what needs no grouping; none: 0
    AttributeValue attribute_value = nullptr;  // with what is suppressed
    ClassScore class_score = nullptr;
    ClassBound class_bound = nullptr;
    BoundAbove bound_of_generalizations = nullptr;  // none: the classes give no bound
    BoundBelow bound_of_specializations = nullptr;
    void (Quality::*prepare)() = nullptr;  // more tables
  };
  [[nodiscard]] static Facts facts_of(Metric metric);
  friend std::string_view name(Metric metric);
  friend bool is_always_monotonic(Metric metric);

  // Per attribute and level, everything that needs no grouping: the share of loss, entropy, relative height …
  struct AttributeTables {
    std::vector<double> values;              // [level]
    std::vector<double> bounds;              // [level]; a dropped attribute loses nothing
    std::vector<double> bound_factors;       // [level]: its factor of the geometric mean; roots are expensive
    std::vector<std::uint64_t> domain_rows;  // [level]: Σ_C n · hierarchy rows of the value
    double maximal_entropy = 0;
    // For kl_divergence; the first one also for ambiguity:
    std::vector<double> log_rows;    // [level]: Σ_C n · log2(hierarchy rows of the value)
    std::vector<double> value_bits;  // [level]: entropy of the generalized values
  };

  void fill_tables();
  void fill_bounds(std::size_t j);
  // Of one attribute at one level, without grouping.
  [[nodiscard]] double level_entropy(std::size_t j, unsigned level) const;
  [[nodiscard]] double share_of_height(std::size_t j, unsigned level) const;
  [[nodiscard]] double level_number(std::size_t j, unsigned level) const;
  // Of one attribute, with what is suppressed.
  [[nodiscard]] double entropy_with_suppressed(std::size_t j, unsigned level, const Summary& summary) const;
  [[nodiscard]] double floored_entropy(std::size_t j, unsigned level, const Summary& summary) const;
  [[nodiscard]] double entropy_of_all(std::size_t j, unsigned level, const Summary& summary) const;
  [[nodiscard]] double normalized_entropy(std::size_t j, unsigned level, const Summary& summary) const;
  [[nodiscard]] double precision(std::size_t j, unsigned level, const Summary& summary) const;
  [[nodiscard]] double value_of_level(std::size_t j, unsigned level, const Summary& summary) const;
  [[nodiscard]] double loss(std::size_t j, unsigned level, const Summary& summary) const;
  // Of the classes.
  [[nodiscard]] double squares(const Transformation& transformation, const Summary& summary) const;
  [[nodiscard]] double discernibility(const Transformation& transformation, const Summary& summary) const;
  [[nodiscard]] double class_size(const Transformation& transformation, const Summary& summary) const;
  [[nodiscard]] double ambiguity(const Transformation& transformation, const Summary& summary) const;
  void fill_log_rows();  // also fills value_bits
  void fill_divergence_tables();
  // In bits. The first is of the classes without suppression, the second of what is published.
  [[nodiscard]] double unsuppressed_divergence(const Transformation& transformation,
                                               const Summary& summary) const;
  [[nodiscard]] double divergence(const Transformation& transformation, const Summary& summary) const;
  [[nodiscard]] double divergence_bound(const Transformation& transformation) const;
  // Bounds without grouping: at most so many classes, and what follows from it.
  [[nodiscard]] double most_classes(const Transformation& transformation) const;
  [[nodiscard]] double squares_bound(const Transformation& transformation) const;
  [[nodiscard]] double class_size_bound(const Transformation& transformation) const;
  [[nodiscard]] double ambiguity_bound(const Transformation& transformation) const;
  // Bounds by the classes of a transformation: of its generalizations, and of its specializations.
  [[nodiscard]] double divergence_above(const Transformation& transformation, const Summary& summary,
                                        std::uint64_t k) const;
  [[nodiscard]] double ambiguity_above(const Transformation& transformation, const Summary& summary,
                                       std::uint64_t k) const;
  [[nodiscard]] double class_size_above(const Transformation& transformation, const Summary& summary,
                                        std::uint64_t k) const;
  [[nodiscard]] double squares_above(const Transformation& transformation, const Summary& summary,
                                     std::uint64_t k) const;
  [[nodiscard]] double discernibility_above(const Transformation& transformation, const Summary& summary,
                                            std::uint64_t k) const;
  [[nodiscard]] double discernibility_below(const Summary& summary, std::uint64_t k) const;
  [[nodiscard]] Score aggregate_in(std::span<const std::size_t> order, const Transformation& transformation,
                                   const Summary& summary) const;

  const PreparedTable& table_;
  QualityModel model_;
  Facts facts_;
  Aggregate aggregate_;
  Factors factors_;
  std::vector<double> weights_;  // by attribute; scaled so that the largest is 1
  std::uint64_t suppression_limit_;
  bool is_monotonic_;
  std::vector<AttributeTables> tables_;
  std::vector<std::size_t> name_order_;
  double input_bits_ = 0;  // entropy of the records as they are, for kl_divergence
};

}  // namespace pgveil::engine
