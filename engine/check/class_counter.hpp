#pragma once
// Turns classes of equal quasi-identifiers and sensitive values into classes of equal quasi-identifiers, and
// tests each against the models. Checks use it if there are more models than k-anonymity. Each lane has one.
#include <cstdint>
#include <vector>

#include "engine/check/grouping.hpp"
#include "engine/check/prepared_table.hpp"
#include "engine/check/source_grouper.hpp"
#include "engine/check/summary_value.hpp"
#include "engine/lattice/transformation.hpp"
#include "engine/privacy/class_test.hpp"
#include "engine/privacy/risk_test.hpp"

namespace pgveil::engine {

class ClassCounter {
 public:
  // `table` must outlive the counter. counts_sizes: whether sizes() is needed.
  ClassCounter(const PreparedTable& table, const Anonymity& anonymity, bool counts_sizes);

  // REQUIRES: `fine` was made by `grouper` at the levels of `tables`, which are those of `at`.
  [[nodiscard]] Summary count(const Classes& fine, const CodeTables& tables, SourceGrouper& grouper,
                              const Transformation& at);

  // The suppressed classes of the last count, with their published records.
  [[nodiscard]] const Classes& suppressed() const { return suppressed_; }
  // The sizes of all classes of the last count.
  [[nodiscard]] const SizeHistogram& sizes() const { return sizes_; }
  [[nodiscard]] std::size_t bytes() const;

 private:
  void order_by_class(std::size_t classes);
  [[nodiscard]] ClassView view_of(const Classes& fine, std::span<const std::uint32_t> members);
  void take_values(const Classes& fine, std::span<const std::uint32_t> members, std::size_t column);
  [[nodiscard]] Code other_code(std::size_t other, std::uint32_t row) const;
  void suppress(std::uint32_t row, std::uint64_t records, Summary& sums);
  void suppress_for_all(const Transformation& at, Summary& sums);
  // Adds the first `count` of these classes, all of the same size, ordered by their texts. So the order of
  // the input does not matter.
  void keep_first(const Transformation& at, std::size_t count, std::vector<std::uint32_t>& rows) const;
  [[nodiscard]] const std::string& text_of(const Transformation& at, std::size_t attribute,
                                           std::uint32_t row) const;

  struct Values {
    std::vector<Code> codes;
    std::vector<std::uint64_t> counts;
    std::vector<std::uint32_t> place_of;  // [raw code]: its place in codes + 1, while values are taken
  };

  const PreparedTable& table_;
  Anonymity anonymity_;
  ClassTest test_;
  RiskTest risks_;
  bool counts_sizes_;
  std::vector<std::uint32_t> class_of_;  // [fine class]
  std::vector<std::uint32_t> ends_;      // [class]: end of its members
  std::vector<std::uint32_t> members_;   // fine classes, grouped by class
  std::vector<Values> values_;           // [sensitive column], for one class
  std::vector<ClassView::Values> views_;
  Classes suppressed_;
  struct Kept {
    std::uint64_t records;
    std::uint32_t row;
  };
  std::vector<Kept> kept_;  // kept on their own; used if there are models of all classes together
  SizeHistogram sizes_;     // of all classes
  SizeHistogram kept_sizes_;
};

}  // namespace pgveil::engine
