#pragma once
// --contingency: pairs of values and their counts, before and after, in a file of their own. The file has
// VALUES OF THE INPUT and must not be published.
#include <string>
#include <string_view>
#include <utility>

#include "common/error.hpp"
#include "engine/publish/contingency.hpp"

namespace pgveil::app {

// Reads "age,illness". Errors, kind usage: the text is not two names.
[[nodiscard]] Result<std::pair<std::string, std::string>> contingency_columns(std::string_view text);

[[nodiscard]] std::string contingency_json(const engine::Contingency& contingency);

}  // namespace pgveil::app
