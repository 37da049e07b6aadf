#pragma once
// Splits SQL into tokens as PostgreSQL's scanner does.
#include <cstddef>
#include <optional>
#include <string_view>
#include <vector>

namespace pgveil::pg {

struct Token {
  // constant: any literal but a plain string; name: an identifier, bare or quoted; parameter: $1.
  enum class Kind { keyword, string, constant, name, parameter, comment, other };
  Kind kind = Kind::other;
  std::size_t offset = 0;
  std::string_view text;  // of the SQL that was cut
};

// nullopt: the scanner cannot read it. The tokens are views into `sql`, which must not contain NUL.
[[nodiscard]] std::optional<std::vector<Token>> tokens_of(std::string_view sql);

}  // namespace pgveil::pg
