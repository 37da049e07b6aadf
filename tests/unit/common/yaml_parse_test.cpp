// What parse() lets through, refuses, and where it says it is. Policies' own errors: tests/golden/policies.
#include <doctest/doctest.h>

#include <fmt/format.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "common/yaml.hpp"

namespace pgveil::yaml {

namespace {

std::string error_of(std::string_view text) {
  const auto result = parse(text, "f.yaml");
  if (result) return "no error";
  CHECK(result.error().kind == ErrorKind::configuration);
  CHECK(result.error().public_message.find('\n') == std::string::npos);
  return result.error().public_message;
}

// A folder that is gone at the end.
class TemporaryFolder {
 public:
  TemporaryFolder() {
    std::string name = (std::filesystem::temp_directory_path() / "pgveil-yaml-XXXXXX").string();
    REQUIRE(mkdtemp(name.data()) != nullptr);
    path_ = name;
  }
  ~TemporaryFolder() { std::filesystem::remove_all(path_); }
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;
  [[nodiscard]] std::string file(const std::string& name) const { return (path_ / name).string(); }

 private:
  std::filesystem::path path_;
};

}  // namespace

TEST_CASE("broken or unwanted YAML is refused with its place") {
  struct Case {
    std::string text;
    std::string expected;  // the beginning
  };
  const std::vector<Case> cases = {{"", "f.yaml:1:1: the document is empty"},
                                   {"---\n---\n", "f.yaml:2:1: a second document starts here"},
                                   {"a: 1\n...\nb: 2\n", "f.yaml:3:1: a second document starts here"},
                                   {"a: &x 1\nb: *x\n", "f.yaml:1:4: an anchor (&name) is not allowed"},
                                   {"a: *x\n", "f.yaml:1:4: not valid YAML"},
                                   {"a: &x\n", "f.yaml:1:4: an anchor"},
                                   {"a: &x {b: 1}\n", "f.yaml:1:4: an anchor"},
                                   {"a: !!str 1\n", "f.yaml:1:4: a tag (!name) is not allowed"},
                                   {"a: !!null\n", "f.yaml:1:4: a tag"},
                                   {"a: !x [1]\n", "f.yaml:1:4: a tag"},
                                   {"a: !<tag:yaml.org,2002:map> {b: 1}\n", "f.yaml:1:4: a tag"},
                                   {"a: ! 1\n", "f.yaml:1:4: a tag"},
                                   {"<<: {a: 1}\n", "f.yaml:1:1: a merge key"},
                                   {"a: {<<: {b: 1}}\n", "f.yaml:1:5: a merge key"},
                                   {"a: 1\nb: 2\na: 3\n", "f.yaml:3:1: duplicate key \"a\""},
                                   {"a: {b: 1, 'b': 2}\n", "f.yaml:1:11: duplicate key \"b\""},
                                   {"? [a]\n: 1\n", "f.yaml:1:3: a key must be plain text"},
                                   {"{a: 1}: 2\n", "f.yaml:1:1: a key must be plain text"},
                                   {": 1\n", "f.yaml:1:1: a key is missing"},
                                   {"null: 1\n", "f.yaml:1:1: a key is missing"},
                                   {"a: |\n  x\n", "f.yaml:1:4: a block text is not allowed"},
                                   {"a: >-\n  x\n", "f.yaml:1:4: a block text is not allowed"},
                                   {"source: >\n  x\n", "f.yaml:1:9: a block text is not allowed"},
                                   {"source: [|\n  x]\n", "f.yaml:1:"},
                                   {"source:\n- |\n  x\n", "f.yaml:2:3: a block text is not allowed"},
                                   {"? |\n  source\n: 1\n", "f.yaml:1:3: a block text is not allowed"},
                                   {"|\n  x\n", "f.yaml:1:1: a block text is not allowed"},
                                   {"a: x\n  y\n", "f.yaml:1:4: a text over several lines"},
                                   {"a: 'x\n  y'\n", "f.yaml:1:4: a quoted text does not end on its line"},
                                   {"a: \"x\n", "f.yaml:1:4: a quoted text does not end on its line"},
                                   {"a: \"x\\\"\n", "f.yaml:1:4: a quoted text does not end on its line"},
                                   {"a: \"x\\\n y\"\n", "f.yaml:1:4: a quoted text does not end on its line"},
                                   {"a: \"x\\\r\n y\"\r\n", "f.yaml:1:4: a quoted text does not end on its"},
                                   {"a: 'x\r  y'\n", "f.yaml:1:4: a quoted text does not end on its line"},
                                   {"a: 'x''\n", "f.yaml:1:4: a quoted text does not end on its line"},
                                   {"a: \"x", "f.yaml:1:6: not valid YAML"},
                                   {"a: [1, 2\n", "f.yaml:2:1: not valid YAML"},
                                   {"a: 1\n\tb: 2\n", "f.yaml:"},
                                   {"a: b: c\n", "f.yaml:1:5: not valid YAML"},
                                   {"a: \"\\q\"\n", "f.yaml:1:"},
                                   {"a: @x\n", "f.yaml:1:4: not valid YAML"},
                                   {"%YAML 9.9\n---\na: 1\n", "f.yaml:"},
                                   {"a: \"\\0\"\n", "f.yaml:1:4: a value contains a NUL character"},
                                   {std::string("a: \0b", 5), "f.yaml:1:4: control character 0x00"},
                                   {"a: 1\nb: \x04\n", "f.yaml:2:4: control character 0x04"},
                                   {"a: \x7F", "f.yaml:1:4: control character 0x7f"},
                                   {"a: 1\nb: caf\xE9\n", "f.yaml:2:7: not UTF-8"},
                                   {"\xFF\xFE"
                                    "a\0",
                                    "f.yaml:1:1: not UTF-8"}};
  for (const Case& c : cases) {
    CAPTURE(c.text);
    CHECK(error_of(c.text).substr(0, c.expected.size()) == c.expected);
  }
}

TEST_CASE("depth is limited, exactly, in lists, maps and blocks") {
  const auto lists = [](int depth) { return std::string(depth, '[') + std::string(depth, ']'); };
  CHECK(parse(lists(kMaxYamlDepth), "f.yaml").has_value());
  CHECK(error_of(lists(kMaxYamlDepth + 1)) ==
        "f.yaml:1:17: nested deeper than 16 levels; nothing pgveil reads is that deep");
  std::string maps;
  std::string blocks;
  for (int i = 0; i <= kMaxYamlDepth; ++i) {
    maps += "{a: ";
    blocks += "- ";
  }
  CHECK(error_of(maps + "1" + std::string(kMaxYamlDepth + 1, '}')).find("nested deeper") !=
        std::string::npos);
  CHECK(error_of(blocks + "1").find("nested deeper") != std::string::npos);
}

TEST_CASE("hostile nesting ends early, without deep recursion") {
  for (const std::string unit : {"[", "{a: ", "- ", "? ", "{? ", "[{", "a: [", "!", "&a ", "- - ? "}) {
    CAPTURE(unit);
    std::string text;
    while (text.size() + unit.size() < kMaxYamlBytes) text += unit;
    CHECK(!parse(text, "f.yaml").has_value());
  }
}

TEST_CASE("size and the number of values are limited, exactly") {
  const std::string line = "a: 1\n";
  CHECK(parse(line + "#" + std::string(kMaxYamlBytes - line.size() - 1, 'x'), "f.yaml").has_value());
  CHECK(error_of(line + "#" + std::string(kMaxYamlBytes - line.size(), 'x')) ==
        "f.yaml:1:1: larger than 1048576 bytes; split the file");

  std::string list = "[0";
  for (std::size_t i = 2; i < kMaxYamlValues; ++i) list += ",0";  // with the list itself: the limit
  CHECK(parse(list + "]", "f.yaml").has_value());
  CHECK(error_of(list + ",0]").find("more than 100000 values") != std::string::npos);
}

TEST_CASE("many keys in one map are read in reasonable time") {
  std::string text;
  for (std::size_t i = 0; i < kMaxYamlValues / 2 - 1; ++i) text += fmt::format("k{}: \n", i);
  const auto document = parse(text, "f.yaml");
  REQUIRE(document.has_value());
  CHECK(document->as_map()->size() == kMaxYamlValues / 2 - 1);
}

TEST_CASE("many quoted texts on one line are read in reasonable time") {
  std::string list = "[";
  std::size_t count = 0;
  for (; list.size() < kMaxYamlBytes - 20 && count < kMaxYamlValues - 1; ++count)
    list += count % 2 == 0 ? "\"a\\\"b\"," : "'it''s',";
  const auto document = parse(list + "]", "f.yaml");
  REQUIRE(document.has_value());
  const auto values = document->as_sequence().value();
  REQUIRE(values.size() == count);
  CHECK(values[count / 2 * 2 - 2].as_string().value() == "a\"b");
  CHECK(values[count / 2 * 2 - 1].as_string().value() == "it's");
}

TEST_CASE("a long text is one value") {
  const std::string word(kMaxYamlBytes - 10, 'x');
  CHECK(parse("a: " + word, "f.yaml")->as_map()->front().value.as_string().value() == word);
}

TEST_CASE("a byte order mark and Windows line ends are fine") {
  const auto document = parse("\xEF\xBB\xBF# é\r\na: 'x'\r\nb: \"y\"\r\n", "f.yaml");
  REQUIRE(document.has_value());
  const auto entries = document->as_map().value();
  REQUIRE(entries.size() == 2);
  CHECK(entries[0].value.as_string().value() == "x");
  CHECK(entries[1].value.position().line == 3);
}

TEST_CASE("entries keep file order and know where they stand") {
  const auto entries = parse("b: [1, two]\na:\n  c: {d: ~}\n", "dir/f.yaml")->as_map().value();
  REQUIRE(entries.size() == 2);
  CHECK(entries[0].key == "b");
  CHECK(to_string(entries[0].key_position) == "dir/f.yaml:1:1");
  CHECK(to_string(entries[0].value.position()) == "dir/f.yaml:1:4");
  CHECK(to_string(entries[0].value.as_sequence()->at(1).position()) == "dir/f.yaml:1:8");
  CHECK(to_string(entries[1].value.position()) == "dir/f.yaml:3:3");
  CHECK(to_string(entries[1].value.as_map()->front().value.as_map()->front().key_position) ==
        "dir/f.yaml:3:7");
}

TEST_CASE("a value outlives the document it came from") {
  Value value = parse("a: {b: c}", "f.yaml")->as_map()->front().value;
  CHECK(value.as_map()->front().value.as_string().value() == "c");
}

TEST_CASE("files: missing, folder, too large, not UTF-8, good") {
  const TemporaryFolder folder;
  const auto write = [&](const std::string& name, const std::string& text) {
    std::ofstream(folder.file(name), std::ios::binary) << text;
    return folder.file(name);
  };
  const auto missing = parse_file(folder.file("none.yaml"));
  REQUIRE(!missing.has_value());
  CHECK(missing.error().kind == ErrorKind::io);
  CHECK(missing.error().public_message == folder.file("none.yaml") + ": no such file; check the path");
  CHECK(parse_file(folder.file(".")).error().public_message.find("not a regular file") != std::string::npos);
  CHECK(parse_file(write("large.yaml", std::string(kMaxYamlBytes + 1, '#')))
            .error()
            .public_message.find("larger than") != std::string::npos);
  CHECK(parse_file(write("latin1.yaml", "a: \xE9\n")).error().public_message ==
        folder.file("latin1.yaml") + ":1:4: not UTF-8; save the file as UTF-8");
  CHECK(parse_file(write("good.yaml", "a: b\n"))->as_map()->size() == 1);
}

}  // namespace pgveil::yaml
