#pragma once
// The values of a sensitive column, made ready for the models that look at them: how often the table has
// each, how they are ordered, and their hierarchy.
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
// By rule, or all values in their order.
using ValueOrder = std::variant<SortedBy, std::vector<std::string>>;

struct SensitiveColumn {
  std::string column;
  std::optional<ValueOrder> order = {};       // for the ordered distance
  std::optional<Hierarchy> hierarchy = {};    // for the hierarchical distance
  std::optional<std::string> null_text = {};  // one value like any other
};

struct SensitiveValues {
  LevelTables levels;                   // level 0 alone without a hierarchy
  std::vector<std::uint64_t> in_table;  // [raw code]: records
  std::uint64_t total = 0;
  std::vector<Code> ascending;  // raw codes in their order; empty: none was given
  [[nodiscard]] bool has_hierarchy() const { return levels.height() > 0; }
};

// For validate(Anonymity).
[[nodiscard]] std::vector<SensitiveShape> shapes_of(std::span<const SensitiveValues> columns);

// is_counted: one for each record, or empty for all. Errors of kind configuration: values that are no number
// or not in the order (named in private_detail), a hierarchy whose highest level has more than one value, and
// those of make_level_tables.
[[nodiscard]] Result<SensitiveValues> make_sensitive_values(const Column& column,
                                                            const SensitiveColumn& given,
                                                            std::span<const std::uint8_t> is_counted);

}  // namespace pgveil::engine
