#pragma once
// Holds one class against the models: does it keep them, and if not, how many of its records are suppressed
// at least, whatever it is divided into.
#include <cstdint>
#include <span>
#include <vector>

#include "engine/privacy/anonymity.hpp"
#include "engine/privacy/sensitive_values.hpp"

namespace pgveil::engine {

// A class: its records in the subset that is published (all of them, where there is none) and altogether; of
// each sensitive column the values that the published ones have, each once, and how often.
struct ClassView {
  std::uint64_t records = 0;
  std::uint64_t population = 0;
  struct Values {
    std::span<const Code> codes;
    std::span<const std::uint64_t> counts;
  };
  std::span<const Values> columns;
};

struct ClassVerdict {
  bool is_kept = true;
  // Of every division of the class at least so many records are in parts that break a model; kHopeless: one
  // part can't be suppressed either. From 0, for models that dividing can repair, to all.
  std::uint64_t stays_suppressed = 0;
  static constexpr std::uint64_t kHopeless = UINT64_MAX;
};

class ClassTest {
 public:
  // `columns` must outlive it. REQUIRES: validate() passed.
  ClassTest(const Anonymity& anonymity, std::span<const SensitiveValues> columns);

  // REQUIRES: columns in the order of the constructor's.
  [[nodiscard]] ClassVerdict test(const ClassView& view);
  // By size alone: the class is too small for any values to help.
  [[nodiscard]] bool is_too_small(const ClassView& view) const;

 private:
  // Records that stay suppressed, as a real number; negative: it is kept. Models are convex or concave in q,
  // so what the parts of a class keep on average bounds what the class has: n·D ≤ (n − s)·t + s·1.
  [[nodiscard]] double excess(const SensitiveModel& it, const ClassView& view);
  [[nodiscard]] double distance(const SensitiveValues& column, const ClassView::Values& values,
                                Distance distance, std::uint64_t records);
  [[nodiscard]] double hierarchical(const SensitiveValues& column, const ClassView::Values& values,
                                    std::uint64_t records);

  Anonymity anonymity_;
  std::span<const SensitiveValues> columns_;
  std::uint64_t smallest_;
  std::vector<std::uint64_t> in_class_, in_table_;  // while a distance is taken
  std::vector<double> extra_, merged_;
};

}  // namespace pgveil::engine
