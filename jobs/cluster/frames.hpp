#pragma once
// Bytes between pgveil and the program that runs it on a cluster (docs/spark.md): numbers of four bytes,
// little endian; a text is its length and its bytes; texts are how many, all their lengths, all their bytes.
// They come from another program: everything is bounded, or grows only with what was really sent.
#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "common/error.hpp"
#include "engine/data/hierarchy.hpp"

namespace pgveil::app {

inline constexpr std::uint32_t kFramesVersion = 1;
inline constexpr std::uint32_t kMostTextBytes = 1U << 20U;

// Reads up to `size` bytes to `to`; fewer only at the end. Errors: ErrorKind::io.
using ReadBytes = std::function<Result<std::size_t>(char* to, std::size_t size)>;
using WriteBytes = std::function<Result<void>(std::string_view bytes)>;

// ErrorKind::protocol.
[[nodiscard]] Error broken_frames(std::string_view what);

// The first thing that is wrong is kept; after that everything read is empty or 0. Lives shorter than what it
// reads by.
class FrameReader {
 public:
  explicit FrameReader(const ReadBytes& read) : read_(read) {}

  [[nodiscard]] bool is_good() const { return !error_; }
  [[nodiscard]] const Error& error() const { return *error_; }  // REQUIRES: !is_good()
  void fail(Error error);
  void fail(std::string_view what) { fail(broken_frames(what)); }

  void begin();  // what says that these are frames, and of which version
  void end();    // nothing follows
  [[nodiscard]] std::uint32_t number();
  [[nodiscard]] std::string text();
  [[nodiscard]] std::vector<std::string> texts();
  [[nodiscard]] engine::Hierarchy hierarchy();

  template <class Each>
  void numbers(std::uint64_t count, Each&& each) {
    while (count > 0 && is_good()) {
      const std::span<const unsigned char> piece = next_piece(count);
      for (std::size_t at = 0; at < piece.size() && is_good(); at += 4) each(little_endian(&piece[at]));
      count -= piece.size() / 4;
    }
  }

 private:
  [[nodiscard]] static std::uint32_t little_endian(const unsigned char* raw);
  bool bytes(char* to, std::size_t size);  // all of them, or none
  [[nodiscard]] std::string text_of(std::uint32_t size);
  [[nodiscard]] std::span<const unsigned char> next_piece(std::uint64_t numbers);

  const ReadBytes& read_;
  std::optional<Error> error_;
  std::vector<unsigned char> piece_;
};

// Gathers small writes.
class FrameWriter {
 public:
  explicit FrameWriter(const WriteBytes& write);

  void number(std::uint32_t value);
  void text(std::string_view value);  // REQUIRES: below 2^32 bytes
  void texts(std::span<const std::string> values);
  void hierarchy(const engine::Hierarchy& hierarchy);
  [[nodiscard]] Result<void> finish();

 private:
  void flush();

  const WriteBytes& write_;
  std::string buffer_;
  Result<void> result_;
};

}  // namespace pgveil::app
