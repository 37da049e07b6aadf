#pragma once
// Functions that become NULL of their type. Definitions may quote data. Sizes of the whole database or a
// tablespace grow, page by page, with hidden rows; so do statistics of tables. How a value is stored tells
// how long the hidden values of its row are. Counters of transactions and the like tell what others do on the
// server. Tools ask for all of these and accept NULL.
#include <optional>
#include <string_view>

namespace pgveil::rewriter {

// The type of pg_catalog that the function returns; nullopt: it is not one of them.
[[nodiscard]] std::optional<std::string_view> null_type(std::string_view function);

}  // namespace pgveil::rewriter
