#include "common/array_text.hpp"

namespace pgveil {

std::string array_text(std::span<const std::string> values) {
  std::string out = "{";
  for (const std::string& value : values) {
    out += out.size() > 1 ? ",\"" : "\"";
    for (const char c : value) {
      if (c == '"' || c == '\\') out += '\\';
      out += c;
    }
    out += '"';
  }
  return out += '}';
}

}  // namespace pgveil
