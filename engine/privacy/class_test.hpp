#pragma once
// Tests one class against the models. Tells whether it keeps them, and if not, how many of its records at
// least are suppressed, however it is divided.
#include <cstdint>
#include <span>
#include <vector>

#include "engine/privacy/anonymity.hpp"
#include "engine/privacy/sensitive_values.hpp"

namespace pgveil::engine {

// A class: the number of its published records (those in the subset, or all if there is none), the number of
// all its records, and per sensitive column the distinct values of the published ones, with how often each
// occurs.
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
  // However the class is divided, at least this many records are in parts that break a model. Ranges from 0,
  // for models that dividing can repair, to all records. kHopeless: some part cannot be suppressed either.
  std::uint64_t stays_suppressed = 0;
  static constexpr std::uint64_t kHopeless = UINT64_MAX;
};

class ClassTest {
 public:
  // `columns` must outlive this object. REQUIRES: validate() passed.
  ClassTest(const Anonymity& anonymity, std::span<const SensitiveValues> columns);

  // REQUIRES: the view has its columns in the order of the constructor's.
  [[nodiscard]] ClassVerdict test(const ClassView& view);
  // Decides by size alone: no values can make a class of this size keep the models.
  [[nodiscard]] bool is_too_small(const ClassView& view) const;

 private:
  // The number of records that stay suppressed, as a real number; negative: the class is kept. Models are
  // convex or concave in q, so what the parts of a class keep on average bounds what the class has: n·D ≤ (n
  // − s)·t + s·1.
  [[nodiscard]] double excess(const SensitiveModel& it, const ClassView& view);
  [[nodiscard]] double distance(const SensitiveValues& column, const ClassView::Values& values,
                                Distance distance, std::uint64_t records);
  [[nodiscard]] double hierarchical(const SensitiveValues& column, const ClassView::Values& values,
                                    std::uint64_t records);

  Anonymity anonymity_;
  std::span<const SensitiveValues> columns_;
  std::uint64_t smallest_;
  std::vector<std::uint64_t> in_class_, in_table_;  // scratch for distances
  std::vector<double> extra_, merged_;
};

}  // namespace pgveil::engine
