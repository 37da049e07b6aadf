#include "common/sql_quoting.hpp"

namespace pgveil {

std::string quoted_name(std::string_view name) {
  std::string out = "\"";
  for (const char c : name) {
    if (c == '"') out += '"';
    out += c;
  }
  return out + '"';
}

std::string qualified_name(std::string_view schema, std::string_view name) {
  return quoted_name(schema) + "." + quoted_name(name);
}

std::string quoted_literal(std::string_view text) {
  const bool has_backslash = text.find('\\') != std::string_view::npos;
  std::string out = has_backslash ? "E'" : "'";
  for (const char c : text) {
    if (c == '\'' || c == '\\') out += c;
    out += c;
  }
  return out + '\'';
}

}  // namespace pgveil
