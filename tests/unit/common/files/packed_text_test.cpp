#include "common/files/packed_text.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <string>

using namespace pgveil;

namespace {

constexpr std::size_t kLimit = std::size_t{1} << 24;

std::string packed(std::string_view text, Packing packing, std::size_t piece = 1'000) {
  Packer packer(packing);
  std::string out;
  for (std::size_t at = 0; at < text.size(); at += piece) out += packer.add(text.substr(at, piece));
  return out + packer.finish();
}

std::string message_of(const Result<std::string>& result) {
  return result ? "" : result.error().public_message;
}

// Each byte with zero bytes behind it.
std::string wide(std::string_view text, std::size_t zeros) {
  std::string out;
  for (const char c : text) out += c + std::string(zeros, '\0');
  return out;
}

std::string long_text() {
  std::string text;
  for (int i = 0; i < 60'000; ++i) text += std::to_string(i * 7'919) + ";town\n";
  return text;
}

}  // namespace

TEST_CASE("what is packed is unpacked, in pieces of any size, and always to the same bytes") {
  for (const Packing packing : {Packing::none, Packing::gzip, Packing::zstd}) {
    for (const std::string& text : {std::string(), std::string("a"), long_text()}) {
      const std::string one = packed(text, packing);
      CHECK(*unpacked(one, kLimit) == text);
      CHECK(packed(text, packing) == one);
      CHECK(*unpacked(packed(text, packing, 77), kLimit) == text);
      if (packing != Packing::none && text.size() > 1'000) CHECK(one.size() < text.size() / 2);
    }
  }
}

TEST_CASE("packed bytes that come in pieces of any size give the same text") {
  const std::string text = long_text();
  for (const Packing packing : {Packing::none, Packing::gzip, Packing::zstd}) {
    const std::string bytes =
        packed(text, packing) + (packing == Packing::none ? "" : packed("more\n", packing));
    const std::string expected = packing == Packing::none ? text : text + "more\n";
    for (const std::size_t size : {1U, 7U, 1'000U, 65'536U, 1'000'000U}) {
      std::string_view rest = bytes;
      const auto read = unpacked_pieces(
          [&](std::string& to) -> Result<bool> {
            to += rest.substr(0, size);
            const bool had_some = !rest.empty();
            rest.remove_prefix(std::min(size, rest.size()));
            return had_some;
          },
          kLimit);
      std::string out;
      auto more = read(out);
      while (more && *more) more = read(out);
      CHECK(more.has_value());
      CHECK(out == expected);
    }
  }
}

TEST_CASE("members and frames that follow one another are one text") {
  for (const Packing packing : {Packing::gzip, Packing::zstd})
    CHECK(*unpacked(packed("a;b\n", packing) + packed("1;2\n", packing), kLimit) == "a;b\n1;2\n");
}

TEST_CASE("packed text that is cut off, damaged or followed by other bytes is refused") {
  for (const Packing packing : {Packing::gzip, Packing::zstd}) {
    const std::string whole = packed(long_text(), packing);
    for (std::size_t size = 4; size < whole.size(); size += whole.size() / 50)
      CHECK(message_of(unpacked(whole.substr(0, size), kLimit)) == "the packed text ends early");
    CHECK(message_of(unpacked(whole + "x", kLimit)).starts_with("the packed text"));
  }
  std::string gzip = packed(long_text(), Packing::gzip);
  gzip[gzip.size() / 2] = static_cast<char>(~gzip[gzip.size() / 2]);
  CHECK(message_of(unpacked(gzip, kLimit)) == "the packed text is damaged");
}

TEST_CASE("a small file that holds a very large text stops at the limit") {
  const std::string zeros(std::size_t{1} << 24, '0');
  for (const Packing packing : {Packing::gzip, Packing::zstd}) {
    const std::string bomb = packed(zeros, packing, std::size_t{1} << 20);
    CHECK(bomb.size() < 100'000);
    CHECK(*unpacked(bomb, zeros.size()) == zeros);
    CHECK(message_of(unpacked(bomb, zeros.size() - 1)).find("larger than 16777215 bytes") !=
          std::string::npos);
  }
}

TEST_CASE("other kinds of files are named") {
  const std::string utf16(
      "\xFF\xFE"
      "a\0",
      4);
  const std::pair<std::string, std::string> kinds[] = {{"PAR1....", "Parquet"},
                                                       {"ARROW1..", "Arrow"},
                                                       {"PK\x03\x04....", "spreadsheet"},
                                                       {utf16, "UTF-16"},
                                                       {"BZh9....", "bzip2"},
                                                       {std::string("\xFD") + "7zXZ", "xz"},
                                                       {"\xD0\xCF\x11\xE0", "old spreadsheet"},
                                                       {{"FEA1\0\0\0\0", 8}, "Feather file of version 1"},
                                                       {"ORC\n\x0E\n\x04", "an ORC file"},
                                                       {"Obj\x01\x04", "Avro"},
                                                       {{"SQLite format 3\0\x10", 17}, "SQLite"},
                                                       {"%PDF-1.7\n", "PDF"},
                                                       {"\x04\x22\x4D\x18@", "lz4"},
                                                       {"7z\xBC\xAF\x27\x1C", "7z"},
                                                       {{"\xFF\xFE\0\0a\0\0\0", 8}, "UTF-32"},
                                                       {{"\0\0\xFE\xFF\0\0\0a", 8}, "UTF-32"},
                                                       {wide("a;b\n1;2\n", 1), "UTF-16"},
                                                       {wide(std::string(99, 'a'), 1).substr(1), "UTF-16"},
                                                       {wide("a;b\n1;2\n", 3), "UTF-32"}};
  for (const auto& [bytes, name] : kinds) {
    CAPTURE(name);
    CHECK(message_of(unpacked(bytes, kLimit)).find(name) != std::string::npos);
    for (const Packing packing : {Packing::gzip, Packing::zstd}) {
      const auto within = message_of(unpacked(packed(bytes, packing), kLimit));
      CHECK(within.starts_with("the unpacked file is no readable text"));
      CHECK(within.find(name) != std::string::npos);
    }
  }
  for (const char* text : {"PARIS;1\n", "ORC;1\n", "FEA1,FEA2\n1,2\n", "a", "\"\"\n"})
    CHECK(*unpacked(text, kLimit) == text);
}

TEST_CASE("what is packed twice is named") {
  for (const auto& text : {std::string("a;b\n1;2\n"), long_text()}) {
    const auto once = packed(text, Packing::gzip);
    CHECK(message_of(unpacked(packed(once, Packing::zstd), kLimit)) == "the file is packed twice");
    CHECK(message_of(unpacked(packed(once, Packing::gzip), kLimit)) == "the file is packed twice");
  }
}

TEST_CASE("a file's name says how it is packed") {
  CHECK(packing_of_name("/a/out.csv.gz") == Packing::gzip);
  CHECK(packing_of_name("out.csv.zst") == Packing::zstd);
  CHECK(packing_of_name("out.gz.csv") == Packing::none);
  CHECK(most_unpacked_bytes() > (std::size_t{1} << 28));
}
