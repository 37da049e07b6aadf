#pragma once
// Quotes names and texts for SQL, whatever they contain. This is the only place that does so, because a
// mistake here would be an injection. REQUIRES: no NUL byte, which cannot occur in SQL, quoted or not.
#include <string>
#include <string_view>

namespace pgveil {

// people → "people"; a"b → "a""b".
[[nodiscard]] std::string quoted_name(std::string_view name);

// "hr"."people"
[[nodiscard]] std::string qualified_name(std::string_view schema, std::string_view name);

// O'Neill → 'O''Neill'. With a backslash E'…\\…', which means the same under any standard_conforming_strings.
[[nodiscard]] std::string quoted_literal(std::string_view text);

}  // namespace pgveil
