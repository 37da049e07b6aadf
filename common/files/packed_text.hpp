#pragma once
// Texts that are packed with gzip or zstd, as a whole or piece by piece. Pure functions of their arguments;
// may be called from any thread.
#include <cstddef>
#include <memory>
#include <string>
#include <string_view>

#include "common/error.hpp"
#include "common/read_piece.hpp"

namespace pgveil {

enum class Packing { none, gzip, zstd };

// By the end of a file's name: .gz, .zst or neither.
[[nodiscard]] Packing packing_of_name(std::string_view path);

// Unpacks bytes that come in pieces. What they are is told by their beginning. Text that is packed is
// unpacked, members and frames that follow one another included, and other text stays as it is. limit_bytes:
// for the unpacked text, because a small file can hold a very large one. Errors (ErrorKind::configuration):
// the packed text is damaged, or is larger than limit_bytes; the bytes, or what is packed in them, begin like
// a kind of file that is no text in UTF-8 (UTF-16, Parquet, spreadsheets, other archives and so on); the text
// is packed twice.
class Unpacker {
 public:
  explicit Unpacker(std::size_t limit_bytes);
  Unpacker(Unpacker&&) noexcept;
  Unpacker& operator=(Unpacker&&) noexcept;
  ~Unpacker();

  // Appends what these bytes give to `out`.
  [[nodiscard]] Result<void> add(std::string_view bytes, std::string& out);
  // Appends the rest. Errors also: the packed text ends early.
  [[nodiscard]] Result<void> finish(std::string& out);

 private:
  class Codec;
  [[nodiscard]] Result<void> begin(std::string& out);
  [[nodiscard]] Result<void> take(std::string_view bytes, std::string& out);

  std::size_t limit_bytes_, left_bytes_;
  std::string beginning_;  // until it is known what the bytes are, and then of what is packed in them
  bool has_begun_ = false;
  std::unique_ptr<Codec> codec_;  // null: the text is not packed
};

// All of them at once. Errors: those of Unpacker.
[[nodiscard]] Result<std::string> unpacked(std::string_view bytes, std::size_t limit_bytes);

// The same for bytes that come in pieces.
[[nodiscard]] ReadPiece unpacked_pieces(ReadPiece read, std::size_t limit_bytes);

// Half of the machine's memory, as a limit for unpacking.
[[nodiscard]] std::size_t most_unpacked_bytes();

// Packs a text piece by piece. The same text always gives the same bytes with one version of the library: no
// time and no name is stored.
class Packer {
 public:
  explicit Packer(Packing packing);
  Packer(Packer&&) noexcept;
  Packer& operator=(Packer&&) noexcept;
  ~Packer();

  // The packed bytes that are ready after this piece; may be empty.
  [[nodiscard]] std::string add(std::string_view text);
  // The rest. Nothing may be added afterwards.
  [[nodiscard]] std::string finish();

 private:
  class Codec;
  std::unique_ptr<Codec> codec_;  // null: Packing::none
};

}  // namespace pgveil
