#pragma once
// The second implementation of the models of sensitive values: how far the values of one class are from what
// a model demands, in real numbers. It is written from the definitions (sources:
// engine/privacy/anonymity.hpp), with formulas other than the search's and over texts instead of codes, so
// that each of the two detects a mistake in the other. It includes nothing that the search counts with.
//
//   entropy l       e^H = Π q^(−q)
//   recursive       f(1) ÷ Σ_{i≥l} f(i): kept by every c above it
//   equal           ½ Σ |q − p|
//   ordered         Σ |Q − P| ÷ (m − 1) over the m values in their order, Q and P cumulative
//   hierarchical    1 ÷ 2H · Σ |q − p| over all nodes of the levels 0 to H − 1: a path of a tree passes two
//                   edges for each level, so an edge is 1 ÷ 2H long, and through it goes what is below it too
//                   much
//   β-likeness      max (q − p) ÷ p; enhanced: infinite as well where it is above −ln p
//   δ-disclosure    max |log2 q − log2 p| over the class's values
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "common/error.hpp"
#include "engine/data/hierarchy.hpp"
#include "engine/privacy/anonymity.hpp"
#include "engine/privacy/sensitive_values.hpp"

namespace pgveil::engine {

using ValueText = std::optional<std::string>;  // nullopt: NULL, one value like any other
using ValueCounts = std::map<ValueText, std::uint64_t>;

// The values with which those of classes are compared. Immutable.
class ValueTable {
 public:
  // null_text: what stands for NULL in the order or the hierarchy. Errors, kind configuration: values that
  // are no number, not in the order or not in the hierarchy (their number, not their texts); a hierarchy
  // without a common root.
  [[nodiscard]] static Result<ValueTable> make(const ValueCounts& in_table,
                                               const std::optional<ValueOrder>& order,
                                               const std::optional<Hierarchy>& hierarchy,
                                               const std::optional<std::string>& null_text);

  [[nodiscard]] bool has_order() const { return has_order_; }
  [[nodiscard]] bool has_hierarchy() const { return !paths_.empty(); }

  // Measures of one class. REQUIRES: it has a record; for the distances, its values are in the table, which
  // has an order or a hierarchy.
  [[nodiscard]] static double entropy_l(const ValueCounts& values);
  [[nodiscard]] static double recursive_c(const ValueCounts& values,
                                          std::uint64_t l);  // infinite: fewer than l values
  [[nodiscard]] double distance(const ValueCounts& values, Distance distance) const;
  [[nodiscard]] double beta(const ValueCounts& values, Likeness likeness) const;
  [[nodiscard]] double delta(const ValueCounts& values) const;

  // Whether a class keeps the model, with a tolerance for binary fractions.
  [[nodiscard]] bool keeps(const ValueCounts& values, const ValueModel& model) const;

 private:
  ValueCounts in_table_;
  double total_ = 0;
  bool has_order_ = false;
  std::vector<ValueText> ascending_;
  std::map<ValueText, std::vector<std::string>> paths_;  // the value's generalizations, level 1 first
};

}  // namespace pgveil::engine
