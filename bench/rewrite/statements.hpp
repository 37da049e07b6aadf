#pragma once
// The statements that are rewritten: of three sizes, each over `people` (protected) or `orders` (open).
#include <span>
#include <string_view>

namespace pgveil::bench {

struct Sample {
  std::string_view name;
  std::string_view sql;
};
[[nodiscard]] std::span<const Sample> samples();

}  // namespace pgveil::bench
