#pragma once
// Texts that are packed with gzip or zstd. Do not use it for files that must be read in pieces: a text is in
// memory as a whole. Pure functions of their arguments; may be called from any thread.
#include <cstddef>
#include <memory>
#include <string>
#include <string_view>

#include "common/error.hpp"

namespace pgveil {

enum class Packing { none, gzip, zstd };

// By the end of a file's name: .gz, .zst or neither.
[[nodiscard]] Packing packing_of_name(std::string_view path);

// What the bytes are is told by their beginning. Text that is packed is unpacked, members and frames that
// follow one another included, and other text is returned as it is. limit_bytes: for the unpacked text,
// because a small file can hold a very large one. Errors (ErrorKind::configuration): the packed text ends
// early, is damaged, or is larger than limit_bytes; the bytes begin as UTF-16, Parquet, Arrow, a ZIP archive
// (which spreadsheets are too), xz or bzip2 do, and none of these can be read.
[[nodiscard]] Result<std::string> unpacked(std::string bytes, std::size_t limit_bytes);

// Half of the machine's memory, as a limit for unpacked().
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
