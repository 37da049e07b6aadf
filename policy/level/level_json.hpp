#pragma once
// Writes and reads a level in the JSON of a version. For policy/ only.
#include <string>
#include <string_view>

#include "common/first_error.hpp"
#include "common/json_object.hpp"
#include "policy/level/level.hpp"

namespace pgveil::policy {

[[nodiscard]] std::string json_text(std::string_view text);  // in quotes (version.cpp)
[[nodiscard]] std::string level_json(const Level& level);
[[nodiscard]] Level read_level(JsonObjectView object, FirstError& errors);

}  // namespace pgveil::policy
