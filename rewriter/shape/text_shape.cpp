#include "rewriter/shape/text_shape.hpp"

#include <unordered_map>
#include <utility>

#include "pg/parse.hpp"

namespace pgveil::rewriter {
namespace {

using namespace std::string_view_literals;

// The number of the first literal of this text.
class FirstOfEqual {
 public:
  explicit FirstOfEqual(const TextShape& shape) : shape_(shape) {}

  std::size_t operator()(std::size_t i) {
    const std::string_view text = shape_.text_of(shape_.literals[i]);
    if (shape_.literals.size() > kFew) return numbers_.try_emplace(text, i).first->second;
    for (std::size_t j = 0; j < i; ++j) {
      if (shape_.text_of(shape_.literals[j]) == text) return j;
    }
    return i;
  }

 private:
  static constexpr std::size_t kFew = 16;
  const TextShape& shape_;
  std::unordered_map<std::string_view, std::size_t> numbers_;
};

}  // namespace

std::optional<TextShape> text_shape(std::string_view sql, std::size_t limit_bytes) {
  if (sql.size() > limit_bytes) return std::nullopt;
  auto literals = pg::plain_literals(sql);
  if (!literals || literals->empty() || !pg::is_valid_utf8(sql)) return std::nullopt;
  return TextShape{sql, std::move(*literals)};
}

std::string shape_key(const TextShape& shape, const OpaqueLiterals& opaque) {
  FirstOfEqual first_of_equal(shape);
  std::string key;
  key.reserve(shape.sql.size() + 16);
  key += opaque.empty() ? "\0?"sv : "\0="sv;
  std::size_t done = 0;
  for (std::size_t i = 0; i < shape.literals.size(); ++i) {
    const pg::PlainLiteral& literal = shape.literals[i];
    const bool is_opaque = opaque.empty() || opaque[i];
    key += shape.sql.substr(done, literal.offset - done);
    key += '\0';
    key += is_opaque ? static_cast<char>(literal.kind) : '=';
    if (const auto first = first_of_equal(i); first != i) key += std::to_string(first);
    key += '\0';
    if (!is_opaque) key += shape.text_of(literal);
    done = literal.offset + literal.bytes;
  }
  key += shape.sql.substr(done);
  return key;
}

}  // namespace pgveil::rewriter
