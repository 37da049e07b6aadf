#pragma once
// The byte format between pgveil and the program that runs it on a cluster (docs/spark.md). Numbers have four
// bytes, little endian, and wide numbers have eight. A text is its length and its bytes. A list of texts is
// their number, all their lengths, and all their bytes. The bytes come from another program, so everything is
// bounded or grows only with what was really sent.
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

inline constexpr std::uint32_t kFramesVersion = 2;
inline constexpr std::uint32_t kMostTextBytes = 1U << 20U;

// Reads up to `size` bytes into `to`; fewer only at the end. Errors: ErrorKind::io.
using ReadBytes = std::function<Result<std::size_t>(char* to, std::size_t size)>;
using WriteBytes = std::function<Result<void>(std::string_view bytes)>;

// Makes an error of ErrorKind::protocol.
[[nodiscard]] Error broken_frames(std::string_view what);

// The first error is kept; after it everything that is read is empty or 0. `read` must outlive the reader.
class FrameReader {
 public:
  explicit FrameReader(const ReadBytes& read) : read_(read) {}

  [[nodiscard]] bool is_good() const { return !error_; }
  [[nodiscard]] const Error& error() const { return *error_; }  // REQUIRES: !is_good()
  void fail(Error error);
  void fail(std::string_view what) { fail(broken_frames(what)); }

  void begin();  // checks that these are frames of this version
  void end();    // checks that nothing follows
  [[nodiscard]] std::uint32_t number();
  [[nodiscard]] std::string text();
  [[nodiscard]] std::vector<std::string> texts();
  [[nodiscard]] engine::Hierarchy hierarchy();

  // Calls each(number) for so many numbers, until it fails.
  template <class Each>
  void numbers(std::uint64_t count, Each&& each) {
    while (count > 0 && is_good()) {
      const std::span<const unsigned char> piece = next_piece(count);
      for (std::size_t at = 0; at < piece.size() && is_good(); at += 4) each(little_endian(&piece[at]));
      count -= piece.size() / 4;
    }
  }

  // The same for wide numbers.
  template <class Each>
  void wide_numbers(std::uint64_t count, Each&& each) {
    std::uint64_t low = 0;
    bool has_low = false;
    numbers(2 * count, [&](std::uint32_t half) {
      if (has_low) {
        each(low | std::uint64_t{half} << 32U);
      } else {
        low = half;
      }
      has_low = !has_low;
    });
  }

 private:
  [[nodiscard]] static std::uint32_t little_endian(const unsigned char* raw);
  bool bytes(char* to, std::size_t size);  // all of them or none
  [[nodiscard]] std::string text_of(std::uint32_t size);
  [[nodiscard]] std::span<const unsigned char> next_piece(std::uint64_t numbers);

  const ReadBytes& read_;
  std::optional<Error> error_;
  std::vector<unsigned char> piece_;
};

// Collects small writes in a buffer.
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
