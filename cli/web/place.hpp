#pragma once
// Where in a text that a visitor wrote a mistake is. Pure.
#include <boost/json/object.hpp>
#include <string_view>

#include "common/error.hpp"

namespace pgveil::cli {

// "policies.yaml:7:5: what; fix" → {"line", "column", "message"}; 1 and 1 for an error without a place. file: as the text was called when it was read.
[[nodiscard]] boost::json::object place_json(const Error& error, std::string_view file);

}  // namespace pgveil::cli
