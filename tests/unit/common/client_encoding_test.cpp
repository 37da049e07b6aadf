#include "common/client_encoding.hpp"

#include <doctest/doctest.h>

#include "common/utf8.hpp"

using namespace pgveil;

TEST_CASE("encodings are found by any of PostgreSQL's names") {
  for (const char* name : {"LATIN1", "latin1", "iso-8859-1", "ISO_8859_1", "'latin1'"}) {
    CAPTURE(name);
    REQUIRE(single_byte_encoding(name) != nullptr);
    CHECK(single_byte_encoding(name)->name == "LATIN1");
  }
  CHECK(single_byte_encoding("Windows-1252")->name == "WIN1252");
  CHECK(single_byte_encoding("win")->name == "WIN1251");
  CHECK(single_byte_encoding("KOI8")->name == "KOI8R");
  CHECK(single_byte_encoding("iso-8859-15")->name == "LATIN9");
  for (const char* name : {"", "UTF8", "unicode", "SQL_ASCII", "SJIS", "BIG5", "GBK", "GB18030", "UHC",
                           "EUC_JP", "JOHAB", "SHIFT_JIS_2004", "MULE_INTERNAL", "latin", "latin11", "x"}) {
    CAPTURE(name);
    CHECK(single_byte_encoding(name) == nullptr);
  }
}

TEST_CASE("bytes become the characters that they stand for, and back") {
  const SingleByteEncoding& latin1 = *single_byte_encoding("LATIN1");
  const SingleByteEncoding& windows = *single_byte_encoding("WIN1252");
  CHECK(to_utf8("a\xe9'\\", latin1) == "aé'\\");
  CHECK(to_utf8("\x80", windows) == "€");
  CHECK(to_utf8("\xa4", *single_byte_encoding("LATIN9")) == "€");
  CHECK(to_utf8("\xcf\xf0", *single_byte_encoding("WIN1251")) == "Пр");
  CHECK_FALSE(to_utf8("a\x81", windows).has_value());
  CHECK(to_utf8("", windows) == "");
  CHECK(from_utf8("aé€漢😀", windows) == "a\xe9\x80??");
  CHECK(from_utf8("not UTF-8: \xe9", windows) == "not UTF-8: \xe9");
  for (const char* name : {"LATIN1", "LATIN2", "WIN1250", "WIN1258", "KOI8U", "WIN866", "ISO_8859_8"}) {
    const SingleByteEncoding& encoding = *single_byte_encoding(name);
    for (int byte = 0; byte < 256; ++byte) {
      const std::string text(1, static_cast<char>(byte));
      const auto utf8 = to_utf8(text, encoding);
      if (!utf8) continue;
      CHECK(utf8_prefix(*utf8) == utf8->size());
      CHECK((byte < 0x80) == (*utf8 == text));  // no byte beyond ASCII becomes a quote or a backslash
      CHECK(from_utf8(*utf8, encoding) == text);
    }
  }
}

TEST_CASE("a character goes to UTF-8 and back at each length") {
  for (const char32_t character :
       {U'\x01', U'\x7f', U'\x80', U'\x7ff', U'\x800', U'\xffff', U'\x10000', U'\x10ffff'}) {
    std::string text;
    append_utf8(text, character);
    CHECK(utf8_prefix(text) == text.size());
    std::string_view left = text;
    CHECK(take_character(left) == character);
    CHECK(left.empty());
  }
  CHECK(is_ascii("a'\x7f"));
  CHECK_FALSE(is_ascii("a\x80"));
}
