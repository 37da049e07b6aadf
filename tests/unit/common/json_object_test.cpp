#include "common/json_object.hpp"

#include <doctest/doctest.h>

#include <functional>

using namespace pgveil;

namespace {

// The message of what is wrong; empty: nothing.
std::string flaw(std::string_view text, const std::function<void(JsonObjectView&)>& read) {
  const auto value = parse_json(text);
  REQUIRE(value.has_value());
  FirstError errors;
  JsonObjectView view(*value, "it", errors);
  read(view);
  view.finish();
  return errors.error() ? errors.error()->public_message : "";
}

bool has(const std::string& message, std::string_view part) {
  return message.find(part) != std::string::npos;
}

}  // namespace

TEST_CASE("JSON in which an object has a key twice is none, at any depth") {
  CHECK(parse_json(R"({"a": 1, "b": {"a": 2}})").has_value());
  CHECK(parse_json(R"({"a": ":", "b": "\":"})").has_value());
  CHECK_FALSE(parse_json(R"({"a": 1, "a": 1})").has_value());
  CHECK_FALSE(parse_json(R"({"a": [{"b": 1, "b": 2}]})").has_value());
  CHECK_FALSE(parse_json(R"({"a": 1, "\u0061": 2})").has_value());
}

TEST_CASE("what is no JSON, or nested deeper than said, is none") {
  for (const char* text : {"", "{", "{}{}", "{'a': 1}", "{\"a\": 01}"}) {
    CAPTURE(text);
    CHECK_FALSE(parse_json(text).has_value());
  }
  CHECK(parse_json("[[1]]", 2).has_value());
  CHECK_FALSE(parse_json("[[[1]]]", 2).has_value());
}

TEST_CASE("a key that nobody asked for is an error, one that is skipped is not") {
  const auto nothing = [](JsonObjectView&) {};
  CHECK(flaw("{}", nothing) == "");
  CHECK(has(flaw(R"({"a": 1})", nothing), "\"a\" is an unknown key"));
  CHECK(flaw(R"({"a": 1})", [](JsonObjectView& view) { view.skip("a"); }) == "");
  CHECK(flaw("{}", [](JsonObjectView& view) { view.skip("a"); }) == "");
  CHECK(has(flaw("[]", nothing), "not an object"));
}

TEST_CASE("a value that may be missing or null is there or is done with") {
  const auto read = [](JsonObjectView& view) {
    if (view.has_value("a")) CHECK(view.count("a") == 7);
  };
  CHECK(flaw("{}", read) == "");
  CHECK(flaw(R"({"a": null})", read) == "");
  CHECK(flaw(R"({"a": 7})", read) == "");
  const auto text = [](JsonObjectView& view) { (void)view.text_or_null("a"); };
  CHECK(flaw(R"({"a": null})", text) == "");
  CHECK(flaw(R"({"a": "x"})", text) == "");
  CHECK(has(flaw("{}", text), "is missing"));
  CHECK(has(flaw(R"({"a": 7})", text), "is not a text"));
}

TEST_CASE("a list holds what it is asked for, and nothing else") {
  const auto texts = [](JsonObjectView& view) { (void)view.texts("a"); };
  CHECK(flaw(R"({"a": ["x", ""]})", texts) == "");
  for (const char* text : {R"({"a": ["x", 1]})", R"({"a": ["x\u0000"]})", R"({"a": "x"})", "{}"}) {
    CAPTURE(text);
    CHECK(flaw(text, texts) != "");
  }
  const auto integers = [](JsonObjectView& view) { (void)view.integers("a", 0, 9); };
  CHECK(flaw(R"({"a": [0, 9]})", integers) == "");
  for (const char* text : {R"({"a": [10]})", R"({"a": [-1]})", R"({"a": [1.5]})", R"({"a": ["1"]})"}) {
    CAPTURE(text);
    CHECK(flaw(text, integers) != "");
  }
  const auto numbers = [](JsonObjectView& view) { (void)view.numbers("a", 0, 1); };
  CHECK(flaw(R"({"a": [0, 0.5, 1]})", numbers) == "");
  for (const char* text : {R"({"a": [1.1]})", R"({"a": [-0.1]})", R"({"a": ["1"]})", R"({"a": [null]})"}) {
    CAPTURE(text);
    CHECK(flaw(text, numbers) != "");
  }
}
