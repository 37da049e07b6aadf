#include "rewriter/shape/parameter_form.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace pgveil::rewriter {
namespace {

using Kind = pg::PlainLiteral::Kind;

// pg_type.oid
constexpr std::uint32_t kInt4 = 23;
constexpr std::uint32_t kInt8 = 20;
constexpr std::uint32_t kNumeric = 1700;

std::uint32_t type_of(Kind kind) {
  switch (kind) {
    case Kind::text: return 0;
    case Kind::integer: return kInt4;
    case Kind::large: return kInt8;
    case Kind::decimal: return kNumeric;
  }
  return 0;
}

// Without its quotes, with one quote for two.
std::string value_of(Kind kind, std::string_view literal) {
  if (kind != Kind::text) return std::string(literal);
  std::string out;
  for (std::size_t i = 1; i + 1 < literal.size(); ++i) {
    out += literal[i];
    if (literal[i] == '\'') ++i;
  }
  return out;
}

// Whether '…'::type follows. Of a literal that is opaque, the type is a plain one. date '…' is not known
// here.
bool has_cast(std::string_view rest) {
  const std::size_t at = rest.find_first_not_of(" \t\n\r\f");
  return at != std::string_view::npos && rest.substr(at).starts_with("::");
}

}  // namespace

std::optional<ParameterForm> parameter_form(const TextShape& shape, const OpaqueLiterals& opaque) {
  if (shape.sql.find('$') != std::string_view::npos) return std::nullopt;
  ParameterForm out;
  std::vector<std::string_view> written;  // the literal of each parameter
  std::size_t done = 0;
  for (std::size_t i = 0; i < opaque.size(); ++i) {
    if (!opaque[i]) continue;
    const pg::PlainLiteral& literal = shape.literals[i];
    const std::string_view text = shape.text_of(literal);
    const auto known = std::ranges::find(written, text);
    if (known != written.end() && literal.kind == Kind::text) return std::nullopt;
    const std::size_t number = static_cast<std::size_t>(known - written.begin()) + 1;
    if (known == written.end()) {
      written.push_back(text);
      out.types.push_back(type_of(literal.kind));
      out.values.push_back(value_of(literal.kind, text));
    }
    out.sql += shape.sql.substr(done, literal.offset - done);
    out.sql += fmt::format(" ${} ", number);
    done = literal.offset + literal.bytes;
    out.has_open_type =
        out.has_open_type || (literal.kind == Kind::text && !has_cast(shape.sql.substr(done)));
  }
  out.sql += shape.sql.substr(done);
  return out;
}

}  // namespace pgveil::rewriter
