#pragma once
// From classes of equal quasi-identifiers and sensitive values to classes of equal quasi-identifiers, each held against the
// models: what a check finds when there are more models than k-anonymity. One lane has one.
#include <cstdint>
#include <vector>

#include "engine/check/grouping.hpp"
#include "engine/check/prepared_table.hpp"
#include "engine/check/source_grouper.hpp"
#include "engine/check/summary_value.hpp"
#include "engine/privacy/class_test.hpp"

namespace pgveil::engine {

class ClassCounter {
 public:
  // `table` must outlive it.
  ClassCounter(const PreparedTable& table, const Anonymity& anonymity);

  // `fine` was made by `grouper` at the levels of `tables`.
  [[nodiscard]] Summary count(const Classes& fine, const CodeTables& tables, SourceGrouper& grouper);

  // Of the last count: the classes that are suppressed, with their published records.
  [[nodiscard]] const Classes& suppressed() const { return suppressed_; }
  [[nodiscard]] std::size_t bytes() const;

 private:
  void order_by_class(std::size_t classes);
  [[nodiscard]] ClassView view_of(const Classes& fine, std::span<const std::uint32_t> members);
  void take_values(const Classes& fine, std::span<const std::uint32_t> members, std::size_t column);
  [[nodiscard]] Code other_code(std::size_t other, std::uint32_t row) const;

  struct Values {
    std::vector<Code> codes;
    std::vector<std::uint64_t> counts;
    std::vector<std::uint32_t> place_of;  // [raw code]: its place in codes + 1, while values are taken
  };

  const PreparedTable& table_;
  Anonymity anonymity_;
  ClassTest test_;
  std::vector<std::uint32_t> class_of_;  // [fine class]
  std::vector<std::uint32_t> ends_;      // [class]: of its members
  std::vector<std::uint32_t> members_;   // fine classes, class by class
  std::vector<Values> values_;           // [sensitive column], of one class
  std::vector<ClassView::Values> views_;
  Classes suppressed_;
};

}  // namespace pgveil::engine
