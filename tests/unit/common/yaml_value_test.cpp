#include <doctest/doctest.h>

#include <array>
#include <limits>

#include "common/yaml.hpp"

namespace pgveil::yaml {

namespace {

Value value_of(std::string_view text) {
  const auto document = parse("v: " + std::string(text), "f.yaml");
  if (!document) FAIL(document.error().public_message);
  return document->as_map()->front().value;
}

template <class T>
std::string message_of(const Result<T>& result) {
  return result ? "no error" : result.error().public_message;
}

}  // namespace

TEST_CASE("texts are taken as written, null is none") {
  CHECK(value_of("abc").as_string().value() == "abc");
  CHECK(value_of("007").as_string().value() == "007");
  CHECK(value_of("true").as_string().value() == "true");
  CHECK(value_of("'~'").as_string().value() == "~");
  CHECK(value_of("\"\"").as_string().value().empty());
  CHECK(value_of("'it''s'").as_string().value() == "it's");
  CHECK(value_of("\"a\\tb\\u00e9\"").as_string().value() == "a\tbé");
  for (const std::string text : {"", "~", "null", "Null", "NULL", "[a]", "{a: b}"}) {
    CAPTURE(text);
    CHECK(message_of(value_of(text).as_string()).starts_with("f.yaml:1:"));
  }
  CHECK(message_of(value_of("").as_string()) ==
        "f.yaml:1:1: expected a text, found nothing; write one word or a quoted text");
}

TEST_CASE("a literal block text of the key source is only read where one is expected") {
  const auto block = parse("source: |\n  SELECT 1\n    FROM t\n", "f.yaml")->as_map()->front().value;
  CHECK(block.as_block_text().value() == "SELECT 1\n  FROM t\n");
  CHECK(message_of(block.as_string()) ==
        "f.yaml:1:9: expected a text, found a block text; write one word or a quoted text");
  CHECK(!block.as_integer(0, 9));
  CHECK(!block.as_boolean());
  CHECK(!block.as_duration_ms());
  CHECK(!block.as_sequence());
  CHECK(!block.as_map());
  const auto end = parse("source: |-\n  SELECT 1", "f.yaml")->as_map()->front().value;
  CHECK(end.as_block_text().value() == "SELECT 1");
  const auto with_mark = parse("\xEF\xBB\xBFsource: |\r\n  SELECT 'é'\r\n", "f.yaml");
  REQUIRE(with_mark.has_value());
  CHECK(with_mark->as_map()->front().value.as_block_text()->starts_with("SELECT 'é'"));
  CHECK(value_of("'a b'").as_block_text().value() == "a b");
  CHECK(!value_of("[a]").as_block_text());
}

TEST_CASE("whole numbers are decimal, in range and unquoted") {
  CHECK(value_of("0").as_integer(0, 9).value() == 0);
  CHECK(value_of("9").as_integer(0, 9).value() == 9);
  CHECK(value_of("-9").as_integer(-9, 9).value() == -9);
  constexpr auto kMin = std::numeric_limits<std::int64_t>::min();
  constexpr auto kMax = std::numeric_limits<std::int64_t>::max();
  CHECK(value_of("9223372036854775807").as_integer(kMin, kMax).value() == kMax);
  CHECK(value_of("-9223372036854775808").as_integer(kMin, kMax).value() == kMin);
  for (const std::string text : {"10", "-1", "+1", "01", "-0", "1.0", "1e3", "0x1", "1_0", "one", "'1'", "",
                                 "[1]", "9223372036854775808", "1 2", "１"}) {
    CAPTURE(text);
    CHECK(!value_of(text).as_integer(0, 9).has_value());
  }
  CHECK(message_of(value_of("10").as_integer(0, 9)) ==
        "f.yaml:1:4: 10 is out of range; write a whole number from 0 to 9");
  CHECK(message_of(value_of("2").as_integer(1, 1)) == "f.yaml:1:4: 2 is out of range; write 1");
}

TEST_CASE("booleans are true and false, nothing else") {
  CHECK(value_of("true").as_boolean().value());
  CHECK_FALSE(value_of("false").as_boolean().value());
  for (const std::string text : {"yes", "no", "on", "True", "FALSE", "1", "'true'", "", "[true]"}) {
    CAPTURE(text);
    CHECK(!value_of(text).as_boolean().has_value());
  }
}

TEST_CASE("durations need a unit") {
  CHECK(value_of("250ms").as_duration_ms().value() == 250);
  CHECK(value_of("30s").as_duration_ms().value() == 30'000);
  CHECK(value_of("5m").as_duration_ms().value() == 300'000);
  CHECK(value_of("24h").as_duration_ms().value() == 86'400'000);
  CHECK(value_of("'7d'").as_duration_ms().value() == 604'800'000);
  CHECK(value_of("0s").as_duration_ms().value() == 0);
  CHECK(value_of("3650d").as_duration_ms().has_value());
  for (const std::string text : {"5", "m", "5 m", "-5m", "5min", "1.5h", "05m", "5M", "1h30m", "", "[5m]",
                                 "3651d", "9223372036854775807d", "99999999999999999999s"}) {
    CAPTURE(text);
    CHECK(!value_of(text).as_duration_ms().has_value());
  }
}

TEST_CASE("lists and maps are not each other, nor texts") {
  CHECK(value_of("[a, 'b', 3]").as_strings().value() == std::vector<std::string>{"a", "b", "3"});
  CHECK(value_of("[]").as_strings().value().empty());
  CHECK(
      message_of(value_of("[a, [b]]").as_strings()).starts_with("f.yaml:1:8: expected a text, found a list"));
  CHECK(
      message_of(value_of("[a, ~]").as_strings()).starts_with("f.yaml:1:8: expected a text, found nothing"));
  CHECK(!value_of("a").as_sequence().has_value());
  CHECK(!value_of("{a: b}").as_sequence().has_value());
  CHECK(!value_of("").as_sequence().has_value());
  CHECK(!value_of("[a]").as_map().has_value());
  CHECK(!value_of("a").as_map().has_value());
  CHECK(value_of("{}").as_map().value().empty());
}

TEST_CASE("unknown keys are refused with the nearest known one, or all of them") {
  const auto refused = [](std::string_view text) {
    return message_of(refuse_unknown_keys(value_of(text).as_map().value(), {"columns", "readers", "k"}));
  };
  CHECK(refused("{columns: 1, k: 2}") == "no error");
  CHECK(refused("{k: 1, colums: 1}") == "f.yaml:1:11: unknown key \"colums\"; did you mean \"columns\"?");
  CHECK(refused("{reader: 1}") == "f.yaml:1:5: unknown key \"reader\"; did you mean \"readers\"?");
  CHECK(refused("{x: 1}") == "f.yaml:1:5: unknown key \"x\"; use one of columns, readers, k");
  CHECK(refused("{'': 1}") == "f.yaml:1:5: unknown key \"\"; use one of columns, readers, k");
  CHECK(refused("{" + std::string(500, 'x') + ": 1}").size() < 300);
}

TEST_CASE("find gives the value of a key, or nothing") {
  const auto entries = value_of("{a: 1, b: 2}").as_map().value();
  REQUIRE(find(entries, "b") != nullptr);
  CHECK(find(entries, "b")->as_string().value() == "2");
  CHECK(find(entries, "c") == nullptr);
}

TEST_CASE("texts in messages stay on one line and short") {
  CHECK(in_quotes("a\"b\\") == "\"a\\\"b\\\\\"");
  CHECK(in_quotes("a\nb\x01") == "\"a\\x0ab\\x01\"");
  CHECK(in_quotes("é") == "\"é\"");
  const std::string cut =
      in_quotes(std::string(79, 'x') + "é" + std::string(100, 'y'));  // é lies across the cut
  CHECK(cut == "\"" + std::string(79, 'x') + "…\"");
}

TEST_CASE("suggestions name the nearest word") {
  const std::array<std::string_view, 3> words = {"suppress", "alert", "ignore"};
  CHECK(suggestion("supress", words) == "did you mean \"suppress\"?");
  CHECK(suggestion("alerts", words) == "did you mean \"alert\"?");
  CHECK(suggestion("something", words) == "use one of suppress, alert, ignore");
  CHECK(suggestion("x", std::array<std::string_view, 1>{"hide"}) == "use hide");
}

}  // namespace pgveil::yaml
