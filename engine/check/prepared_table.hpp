#pragma once
// A table prepared for checks: quasi-identifiers ordered by name, equal rows merged. It is made once and then
// read by any number of searches. Immutable.
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "common/error.hpp"
#include "engine/check/distinct_rows.hpp"
#include "engine/data/hierarchy.hpp"
#include "engine/data/table.hpp"
#include "engine/lattice/lattice.hpp"
#include "engine/privacy/sensitive_values.hpp"

namespace pgveil::engine {

struct QuasiIdentifier {
  std::string column;
  Hierarchy hierarchy;
  bool is_continuous = false;                 // its loss is computed from intervals (data/continuous.hpp)
  std::optional<std::string> null_text = {};  // the text of NULL, if the attribute is continuous
};

// The columns that models other than k-anonymity look at.
struct PrivacyColumns {
  std::vector<SensitiveColumn> sensitive;
  // One flag per record: whether it is in the published subset. All records are the population that
  // δ-presence and k-map compare with. Empty: all records are published.
  std::vector<std::uint8_t> subset;
};

struct PreparedTable {
  std::vector<LevelTables> attributes;   // in the order of their names
  std::vector<std::size_t> given_order;  // given_order[i]: index in `attributes` of the i-th given one
  std::vector<std::vector<std::uint64_t>> histograms;  // [attribute][raw code]: rows
  std::uint64_t rows = 0;                              // published ones
  std::vector<SensitiveValues> sensitive;              // as given
  std::vector<std::uint8_t> subset;                    // as given
  // Attributes in `distinct` that come after the quasi-identifiers: the sensitive columns, then, with a
  // subset, whether a record is in it (1).
  std::vector<LevelTables> others;
  DistinctRows distinct;
  Lattice lattice;  // all levels of all attributes

  [[nodiscard]] bool has_subset() const { return !subset.empty(); }

  [[nodiscard]] Transformation from_given(std::span<const unsigned> levels) const;
  [[nodiscard]] std::vector<unsigned> to_given(const Transformation& transformation) const;
};

// Errors: no quasi-identifier; more than kMaxAttributes columns; a column that is named twice, has two roles,
// or is not in the table; an empty table or subset; 2³² rows or more; those of make_level_tables,
// measure_spans and make_sensitive_values.
[[nodiscard]] Result<PreparedTable> prepare(const Table& table,
                                            std::span<const QuasiIdentifier> quasi_identifiers,
                                            const PrivacyColumns& privacy = {});

}  // namespace pgveil::engine
