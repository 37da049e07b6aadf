#include "common/separated_text.hpp"

#include <doctest/doctest.h>

#include <algorithm>
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

TEST_CASE("text in pieces of any size has the records of the whole, or its refusal") {
  const std::string mark = "\xEF\xBB\xBF";
  const std::string texts[] = {"",
                               "a",
                               "a,b\n1,2\n",
                               "a,b\r\n1,2",
                               mark + "a,b\n\"1\n2\",\"3\"\"\n\"\n4,5\n",
                               "\"never\nclosed\n\n",
                               "a\"b\n\"c\nd\"\n",
                               "\"a\"b\n",
                               "a\rb\n",
                               "a\n\n\nb\n",
                               "\"\n\n\n\"\n\"\n\"\"\"\n",
                               "a,\"b\n",
                               "x\r"};
  for (const std::string& text : texts) {
    const auto whole = read_all(text, ',');
    for (std::size_t size = 1; size <= text.size() + 1; ++size) {
      CAPTURE(text);
      CAPTURE(size);
      std::size_t at = 0;
      RecordStream stream(
          [&](std::string& to) -> Result<bool> {
            if (at >= text.size()) return false;
            to += text.substr(at, size);
            at += size;
            return true;
          },
          ',');
      Records records;
      std::vector<std::string_view> fields;
      auto more = stream.next(fields);
      for (; more && *more; more = stream.next(fields)) records.emplace_back(fields.begin(), fields.end());
      REQUIRE(more.has_value() == whole.has_value());
      if (whole) {
        CHECK(records == *whole);
        CHECK(stream.records_read() == whole->size());
      } else {
        CHECK(more.error().public_message == whole.error().public_message);
      }
    }
  }
}

TEST_CASE("a long text in pieces is not held as a whole, and an error of the source is passed on") {
  std::size_t pieces = 0, most = 0;
  RecordRuns runs([&](std::string& to) -> Result<bool> {
    if (++pieces > 1'000) return Error{.kind = ErrorKind::io, .sqlstate = "XX000", .public_message = "gone"};
    to += "some,text\n\"more\n\",x\nhalf";
    most = std::max(most, to.size());
    return true;
  });
  auto run = runs.next();
  while (run) run = runs.next();
  CHECK(run.error().public_message == "gone");
  CHECK(most < 100);
}
