#pragma once
// The values of a sensitive column, prepared for the models that look at them: how often each occurs in the
// table, how they are ordered, and their hierarchy.
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <variant>
#include <vector>

#include "engine/data/hierarchy.hpp"
#include "engine/data/table.hpp"
#include "engine/privacy/anonymity.hpp"

namespace pgveil::engine {

enum class SortedBy {
  text,   // bytes, which orders ISO dates too
  number  // decimals; NULL before all
};
// A rule, or all values in their order.
using ValueOrder = std::variant<SortedBy, std::vector<std::string>>;

struct SensitiveColumn {
  std::string column;
  std::optional<ValueOrder> order = {};       // for the ordered distance
  std::optional<Hierarchy> hierarchy = {};    // for the hierarchical distance
  std::optional<std::string> null_text = {};  // one value like any other
};

struct SensitiveValues {
  LevelTables levels;                   // only level 0 without a hierarchy
  std::vector<std::uint64_t> in_table;  // [raw code]: records
  std::uint64_t total = 0;
  std::vector<Code> ascending;  // raw codes in their order; empty: no order was given
  [[nodiscard]] bool has_hierarchy() const { return levels.height() > 0; }
};

// For validate(Anonymity).
[[nodiscard]] std::vector<SensitiveShape> shapes_of(std::span<const SensitiveValues> columns);

// is_counted: one flag per record, or empty for all. Errors of kind configuration: values that are no number
// or not in the order (named in private_detail); a hierarchy whose highest level has more than one value;
// those of make_level_tables.
[[nodiscard]] Result<SensitiveValues> make_sensitive_values(const Column& column,
                                                            const SensitiveColumn& given,
                                                            std::span<const std::uint8_t> is_counted);

}  // namespace pgveil::engine
