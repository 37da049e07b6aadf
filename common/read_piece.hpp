#pragma once
// Bytes that come in pieces, so that a long file is never in memory as a whole.
#include <functional>
#include <string>

#include "common/error.hpp"

namespace pgveil {

// Appends the next piece to `to`. False: there was none left.
using ReadPiece = std::function<Result<bool>(std::string& to)>;

// A text in memory as one piece.
[[nodiscard]] ReadPiece in_one_piece(std::string text);

// All pieces, for what must be in memory as a whole.
[[nodiscard]] Result<std::string> joined(const ReadPiece& read);

}  // namespace pgveil
