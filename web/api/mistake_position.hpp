#pragma once
// Tells at which place of a visitor's text a mistake is. Pure.
#include <boost/json/object.hpp>
#include <string_view>

#include "common/error.hpp"

namespace pgveil::app {

// Turns "policies.yaml:7:5: what; fix" into {"line", "column", "message"}. Line and column are 1 and 1 for an
// error without a place. file: the path that the text was read under.
[[nodiscard]] boost::json::object place_json(const Error& error, std::string_view file);

}  // namespace pgveil::app
