#pragma once
// One published file as somebody looks up persons in it by known columns: which of its classes can be a
// person's, and which values these classes have. For attacks on files. Pure.
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "common/error.hpp"
#include "engine/data/table.hpp"
#include "jobs/check/cell_values.hpp"
#include "jobs/check/published_classes.hpp"
#include "jobs/check/refinement.hpp"
#include "jobs/check/repeated_job.hpp"
#include "jobs/check/transformation_order.hpp"
#include "jobs/language/job.hpp"

namespace pgveil::app {

// A set of classes: one bit each.
using ClassBits = std::vector<std::uint64_t>;
[[nodiscard]] std::uint64_t count_bits(const ClassBits& bits);

// Texts that stand for no value of the input, and people who are not in it. Both are expected in files of
// other jobs, so aggregates exclude nothing there.
enum class Strangers { refused, allowed };

[[nodiscard]] bool has_aggregate(const Job& job);

class ReleaseLookup {
 public:
  // known: quasi-identifiers of the job, at least one. targets: columns of the input, by their names in the
  // file; those that the file lacks are null. aggregates: of the file; unused if strangers are allowed, and
  // then no target is aggregated. Errors: those of ShownValues::make; no_release: a cell stands for no value,
  // and strangers are refused.
  [[nodiscard]] static Result<ReleaseLookup> make(const PublishedFile& release, const engine::Table& input,
                                                  const std::vector<std::string>& known,
                                                  const ColumnPointers& targets,
                                                  const PublishedClasses& classes,
                                                  const AggregatesByName& aggregates, Strangers strangers);

  // From now on, the class of each person is the one that the repeated job gives. by_row: of the input.
  void use_repeated(const ColumnPointers& known, const RepeatedClasses& by_row);

  // The classes that can be the person's, for the codes of the known columns.
  [[nodiscard]] ClassBits classes_of(const CellCodes& known) const;
  // Whether the order of the job's transformations makes each person's class certain.
  [[nodiscard]] bool uses_order() const { return order_.is_known(); }
  [[nodiscard]] std::uint64_t records_in(const ClassBits& classes) const;
  [[nodiscard]] bool has(std::size_t target) const { return !values_[target].empty(); }

  // What the order excludes in the cells of each class. known: the columns of the input. REQUIRES:
  // uses_order().
  [[nodiscard]] Refinement refinement(const ColumnPointers& known, const Job& job) const;
  // Values that some record of these classes has, as ascending codes of the input. The last code stands for
  // all values that nobody in the input has.
  [[nodiscard]] CellCodes values_in(const ClassBits& classes, std::size_t target) const;

 private:
  [[nodiscard]] ClassBits one_bit(std::size_t at) const;
  void find_starred(const ColumnPointers& columns, const PublishedClasses& classes);
  void add_transformations(const PublishedFile& release, const engine::Table& input,
                           const std::vector<std::string>& known, const std::vector<ShownValues>& shown,
                           const std::vector<std::size_t>& places, const PublishedClasses& classes);

  bool knows_classes_ = false;                    // the known columns decide them
  ClassBits starred_;                             // classes that show only `*`: there is at most one
  TransformationOrder order_;                     // of the known columns
  std::map<CellCodes, std::size_t> repeated_;     // by the codes of the known columns
  std::vector<std::vector<ClassBits>> possible_;  // by known column and raw code
  std::vector<std::uint64_t> sizes_;              // by class
  std::vector<ValuesByClass> values_;             // by target; empty: the file lacks the column
};

}  // namespace pgveil::app
