#pragma once
// What to do instead of what tools ask for and are refused.
#include <optional>
#include <string_view>

namespace pgveil::rewriter {

// Of relations of pg_catalog, and of functions of pg_catalog; nullopt: there is no better hint than the usual
// one.
[[nodiscard]] std::optional<std::string_view> hint_for_catalog(std::string_view name);
[[nodiscard]] std::optional<std::string_view> hint_for_function(std::string_view name);

}  // namespace pgveil::rewriter
