#pragma once
// A text with parameters in the places of its opaque literals, and what to bind to them. A text in this form
// can be prepared once and executed for all texts of its shape.
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "rewriter/shape/text_shape.hpp"

namespace pgveil::rewriter {

struct ParameterForm {
  std::string sql;                   // a client's text, not yet rewritten
  std::vector<std::uint32_t> types;  // OIDs of PostgreSQL's own types; 0: as PostgreSQL finds out
  std::vector<std::string> values;   // in text format; as many as types
  // A text without a cast is among them: PostgreSQL takes its type from what it is compared with, once, when
  // the statement is prepared.
  bool has_open_type = false;
};

// A number has the type that PostgreSQL gives to its literal, and a text is left as open as its literal is.
// Equal numbers are one parameter, so that equal expressions stay equal. nullopt: the text has parameters
// already, or two equal texts, whose types PostgreSQL may find out differently.
[[nodiscard]] std::optional<ParameterForm> parameter_form(const TextShape& shape,
                                                          const OpaqueLiterals& opaque);

}  // namespace pgveil::rewriter
