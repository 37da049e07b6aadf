#include "common/read_piece.hpp"

#include <utility>

namespace pgveil {

ReadPiece in_one_piece(std::string text) {
  return [text = std::move(text), is_over = false](std::string& to) mutable -> Result<bool> {
    if (is_over) return false;
    to += std::exchange(text, {});
    return is_over = true;
  };
}

Result<std::string> joined(const ReadPiece& read) {
  std::string text;
  while (true) {
    const auto more = read(text);
    if (!more) return more.error();
    if (!*more) return text;
  }
}

}  // namespace pgveil
