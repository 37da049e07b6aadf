#pragma once
// Names and texts as parts of SQL, whatever they hold. This is the one place that quotes for SQL: a mistake
// here would be an injection. A NUL byte can't stand in SQL, quoted or not; none of the callers has one.
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
