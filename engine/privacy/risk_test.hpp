#pragma once
// Tests all classes together against the models of the whole table (anonymity.hpp): how many of the smallest
// must be suppressed until the others keep them.
#include <cstdint>
#include <vector>

#include "engine/privacy/anonymity.hpp"
#include "engine/risk/class_sizes.hpp"

namespace pgveil::engine {

// A size is the number of published records of a class. The highest risk is tested per class
// (class_test.hpp).
class RiskTest {
 public:
  // REQUIRES: validate() passed.
  explicit RiskTest(const Anonymity& anonymity);

  [[nodiscard]] bool is_needed() const { return !models_.empty(); }

  // Whether classes of these sizes keep the models. No class at all keeps all of them; an estimator that does
  // not fit the sizes keeps nothing.
  [[nodiscard]] bool keeps(const SizeHistogram& sizes) const;

  // How many classes to suppress, the smallest first. This is the smallest such number, except for estimates,
  // which may fall and rise: there it is found by bisection, and the remaining classes keep the models.
  [[nodiscard]] std::uint64_t classes_to_suppress(const SizeHistogram& sizes) const;
  // The same for the models that generalizations inherit: at least this many classes must be suppressed, also
  // in every specialization.
  [[nodiscard]] std::uint64_t classes_that_stay_suppressed(const SizeHistogram& sizes) const;

 private:
  using Models = std::vector<RiskModel>;
  [[nodiscard]] static bool keeps(const Models& models, const SizeHistogram& sizes);
  [[nodiscard]] static std::uint64_t least(const Models& models, const SizeHistogram& sizes);

  Models models_, inherited_;
};

// The number of records in this many of the smallest classes. REQUIRES: there are as many classes.
[[nodiscard]] std::uint64_t records_of_smallest(const SizeHistogram& sizes, std::uint64_t classes);

}  // namespace pgveil::engine
