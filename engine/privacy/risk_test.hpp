#pragma once
// Holds all classes together against the models of the whole table (anonymity.hpp): how many of the smallest
// have to go until the others keep them.
#include <cstdint>
#include <vector>

#include "engine/privacy/anonymity.hpp"
#include "engine/risk/class_sizes.hpp"

namespace pgveil::engine {

// A size is the published records of a class; the highest risk is the class's own business (class_test.hpp).
class RiskTest {
 public:
  // REQUIRES: validate() passed.
  explicit RiskTest(const Anonymity& anonymity);

  [[nodiscard]] bool is_needed() const { return !models_.empty(); }

  // No class keeps them all. An estimator that does not fit the sizes keeps nothing.
  [[nodiscard]] bool keeps(const SizeHistogram& sizes) const;

  // Classes that go, the smallest first. The fewest, but for estimates, which may fall and rise: there it is
  // found by halving, and what is left keeps them.
  [[nodiscard]] std::uint64_t classes_to_suppress(const SizeHistogram& sizes) const;
  // The same for what is inherited by generalizations alone: so many go at least, also in every
  // specialization.
  [[nodiscard]] std::uint64_t classes_that_stay_suppressed(const SizeHistogram& sizes) const;

 private:
  using Models = std::vector<RiskModel>;
  [[nodiscard]] static bool keeps(const Models& models, const SizeHistogram& sizes);
  [[nodiscard]] static std::uint64_t least(const Models& models, const SizeHistogram& sizes);

  Models models_, inherited_;
};

// Records of so many of the smallest classes. REQUIRES: there are as many.
[[nodiscard]] std::uint64_t records_of_smallest(const SizeHistogram& sizes, std::uint64_t classes);

}  // namespace pgveil::engine
