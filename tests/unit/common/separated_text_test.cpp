#include "common/separated_text.hpp"

#include <doctest/doctest.h>

#include <string>
#include <string_view>
#include <vector>

using namespace pgveil;

namespace {

using Records = std::vector<std::vector<std::string>>;

Result<Records> read_all(std::string_view text, char separator) {
  RecordReader reader(text, separator);
  Records records;
  std::vector<std::string_view> fields;
  while (true) {
    const auto more = reader.next(fields);
    if (more.has_error()) return more.error();
    if (!*more) return records;
    records.emplace_back(fields.begin(), fields.end());
  }
}

}  // namespace

TEST_CASE("separated text is read as RFC 4180 says") {
  const struct {
    const char* name;
    std::string_view text;
    char separator;
    Records expected;
  } cases[] = {{"nothing", "", ',', {}},
               {"one empty field", "\n", ',', {{""}}},
               {"without a last line end", "a,b", ',', {{"a", "b"}}},
               {"both line ends", "a;b\r\nc;d\n", ';', {{"a", "b"}, {"c", "d"}}},
               {"tabs", "a\tb\n", '\t', {{"a", "b"}}},
               {"an empty last field", "a,\n", ',', {{"a", ""}}},
               {"quotes", "\"a,\"\"b\"\"\n\",c\n", ',', {{"a,\"b\"\n", "c"}}},
               {"two escaped fields", "\"x\"\"\",\"\"\"y\"\n", ',', {{"x\"", "\"y"}}},
               {"an empty quoted field", "\"\",a\n", ',', {{"", "a"}}},
               {"a byte order mark",
                "\xEF\xBB\xBF"
                "a\n",
                ',',
                {{"a"}}}};
  for (const auto& [name, text, separator, expected] : cases) {
    CAPTURE(name);
    const auto read = read_all(text, separator);
    REQUIRE(read.has_value());
    CHECK(*read == expected);
  }
}

TEST_CASE("separated text that is not RFC 4180 is refused with the record's number") {
  for (const std::string_view text : {"a\nb\"c\n", "a\n\"b\n", "a\n\"b\"c\n", "a\nb\rc\n", "a\n\"b\"\r"}) {
    CAPTURE(text);
    const auto read = read_all(text, ',');
    REQUIRE(read.has_error());
    CHECK(read.error().public_message.starts_with("record 2: "));
  }
}
