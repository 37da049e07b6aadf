#pragma once
// Reads the values of constants in a client's text.
#include <optional>
#include <string_view>

#include "pg/ast.hpp"

namespace pgveil::rewriter {

// The text of a string constant; nullopt: something else.
[[nodiscard]] std::optional<std::string_view> text_of(const pg::Node* node);

// true, false, 't'::bool …; nullopt: not a constant.
[[nodiscard]] std::optional<bool> truth_of(const pg::Node* node);

}  // namespace pgveil::rewriter
