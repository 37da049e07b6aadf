#pragma once
// Excerpts of long answers (console.hpp): which attribute is meant, and which of the rows that fit are shown.
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "console/console.hpp"
#include "policy/tree/tree.hpp"

namespace pgveil::console {

// The attribute of the excerpt's column; nullopt: none is named. Errors: 42703, the tree has none of this name.
[[nodiscard]] Result<std::optional<std::uint32_t>> attribute_of(const policy::DisclosureTree& tree,
                                                                const Excerpt& excerpt);

// Counts the rows that fit, in their order, and says which of them are shown.
class ExcerptRows {
 public:
  explicit ExcerptRows(const Excerpt& excerpt) : excerpt_(excerpt) {}

  // The next row that fits: is it shown?
  [[nodiscard]] bool takes_next();

  // "4,182 cohorts, of which 1 to 1,000 are shown: LIMIT and OFFSET show others"; empty: all are.
  [[nodiscard]] std::string note(std::string_view what) const;

 private:
  Excerpt excerpt_;
  std::uint64_t seen_ = 0;
  std::uint64_t shown_ = 0;
};

}  // namespace pgveil::console
