// JSON lines in, in pieces of any size, and out.
#include "jobs/input/json_lines.hpp"

#include <doctest/doctest.h>

#include <algorithm>

#include "jobs/input/table_file.hpp"
#include "jobs/language/values.hpp"
#include "jobs/run/anonymize.hpp"
#include "jobs/run/publication_json_lines.hpp"
#include "tests/unit/temporary_folder.hpp"

namespace pgveil::app::json_lines_test {
namespace {

ReadPiece pieces_of(const std::string& text, std::size_t size) {
  return [text, size, at = std::size_t{0}](std::string& to) mutable -> Result<bool> {
    if (at >= text.size()) return false;
    to += text.substr(at, size);
    at += size;
    return true;
  };
}

std::string shown(const engine::Table& table) {
  std::string out;
  for (const auto& column : table.columns) {
    out += column.name + ":";
    for (std::size_t row = 0; row < table.rows(); ++row)
      out += " [" + column.values[column.codes.at(row)] + "]";
    out += "\n";
  }
  return out;
}

std::string read(const std::string& text, std::size_t size = 1'000,
                 const std::optional<std::string>& null_text = "NULL",
                 const std::vector<std::string>& wanted = {}) {
  const auto table = read_json_lines(pieces_of(text, size), null_text, wanted);
  return table ? shown(*table) : one_line(table.error());
}

const std::string kText =
    "\xEF\xBB\xBF{\"age\": 34, \"town\": \"Oslo\"}\n\n  {\"town\":\"R\\u00f6m\\n\\\"e\\\"\",\"age\":1.50e3,"
    "\"more\":[1,{\"a\":2}]}\r\n"
    "{\"age\":null,\"ok\":true}\n{}\n{\"age\":-0,\"town\":\"\",\"ok\":false}";

TEST_CASE("JSON lines are read as texts, in pieces of any size") {
  const std::string expected =
      "age: [34] [1.50e3] [NULL] [NULL] [-0]\ntown: [Oslo] [R\u00f6m\n\"e\"] [NULL] [NULL] []\n"
      "ok: [NULL] [NULL] [true] [NULL] [false]\n";
  std::vector<std::string> wanted{"age", "town", "ok"};
  for (std::size_t size = 1; size < kText.size() + 2; ++size) {
    CAPTURE(size);
    CHECK(read(kText, size, "NULL", wanted) == expected);
  }
  std::vector<std::string> others;
  const auto table =
      read_json_lines(pieces_of(kText, 7), "-", std::vector<std::string>{"ok", "none"}, &others);
  REQUIRE(table.has_value());
  CHECK(shown(*table) == "ok: [-] [-] [true] [-] [false]\n");
  CHECK(others == std::vector<std::string>{"age", "town", "more"});
  CHECK(read("") == "");
  CHECK(read("\n \n") == "");
  CHECK(read("{\"a\":12345678901234567890123,\"b\":0.1000}") ==
        "a: [12345678901234567890123]\nb: [0.1000]\n");
}

TEST_CASE("what is no record is refused, with its number and without a value") {
  const auto starts = [](const std::string& text, const std::string& message) {
    CAPTURE(text);
    for (const std::size_t size : {1U, 3U, 1'000U}) {
      const auto said = read(text, size);
      CHECK(said.find(message) == 0);
      CHECK(said.find("secret") == std::string::npos);
    }
  };
  starts("{\"a\":\"secret\"}\n{\"a\":\"secret\"", "record 2: the line is no JSON object");
  starts("[1,2]\n", "record 1: the line is no JSON object");
  starts("\"secret\"\n", "record 1: the line is no JSON object");
  starts("a,b\n1,2\n", "record 1: the line is no JSON object");
  starts("{\"a\":1} {\"a\":2}\n", "record 1: the line is no JSON object");
  starts("{\"a\":1,}\n", "record 1: the line is no JSON object");
  starts("{\"a\":\"\xFF\"}\n", "record 1: the line is no JSON object");
  starts("{\"a\":NaN}\n", "record 1: the line is no JSON object");
  starts("{\"a\":1}\n{\"a\":1,\"a\":\"secret\"}\n", "record 2: a key is there twice");
  starts("{\"a\":{\"b\":1}}\n", "record 1: a is an array or an object");
  starts("{\"a\":" + std::string(100, '[') + std::string(100, ']') + "}\n",
         "record 1: a is an array or an object");
  starts("{\"a\":" + std::string(500, '[') + std::string(500, ']') + "}\n",
         "record 1: arrays or objects are nested more than 500 levels deep");
  starts("{\"a\":1}\n{\"a\":" + std::string(100'000, '['),
         "record 2: arrays or objects are nested more than 500 levels deep");
  CHECK(read("{\"a\":1}\n{\"a\":null}\n", 9, std::nullopt).starts_with("record 2: a has no value"));
  CHECK(read("{\"a\":1}\n{}\n{}\n", 9, std::nullopt).starts_with("record 2: a has no value"));
  CHECK(read("{\"a\":1}\n{\"a\":2,\"b\":1}\n", 9, std::nullopt).starts_with("record 1: b has no value"));
  const auto gone = read_json_lines(
      [](std::string&) -> Result<bool> {
        return Error{.kind = ErrorKind::io, .sqlstate = "XX000", .public_message = "gone"};
      },
      std::nullopt, {});
  CHECK(gone.error().public_message == "gone");
}

TEST_CASE("a column that is not kept may be nested") {
  std::string nested = "7";
  for (int i = 0; i < 249; ++i) nested = "[{\"b\":" + nested + "}]";
  const auto text = "{\"a\":1,\"more\":[" + nested + "]}\n{\"a\":2}\n";  // 500 levels with the record itself
  for (const std::size_t size : {1U, 10'000U}) CHECK(read(text, size, "NULL", {"a"}) == "a: [1] [2]\n");
  CHECK(read("{\"a\":1,\"more\":[[" + nested + "]]}\n", 1'000, "NULL", {"a"})
            .starts_with("record 1: arrays or objects are nested more than 500 levels deep"));
}

TEST_CASE("records of many keys are read in time that grows with the keys, not with their square") {
  std::string record = "{";
  for (int i = 0; i < 100'000; ++i) record += "\"key " + std::to_string(i) + "\":" + std::to_string(i) + ",";
  const auto text = record + "\"last\":1}\n" + record + "\"last\":2}\n";
  CHECK(read(text, text.size(), "NULL", {"last", "key 7"}) == "key 7: [7] [7]\nlast: [1] [2]\n");
  CHECK(read(text + record + "\"key 99\":1}", text.size(), "NULL", {"last"}) ==
        read("{}\n{}\n{\"x\":1,\"x\":1}"));
}

TEST_CASE("a publication is written as objects, and its recount sees what was changed") {
  engine::Publication publication;
  publication.columns = {{"a", true, {"[1, 2)", "\"x\"\n"}, {0, 0, 1, 1}},
                         {"n", false, {"1", "-2.50", "1e9"}, {0, 1, engine::kNullCode, 2}},
                         {"zip", false, {"01", "2"}, {0, 1, 1, 1}}};
  publication.rows = 4;
  std::string text;
  REQUIRE(write_json_lines(publication, [&](std::string_view line) -> Result<void> {
            text += line;
            return {};
          }).has_value());
  CHECK(text ==
        "{\"a\":\"[1, 2)\",\"n\":1,\"zip\":\"01\"}\n{\"a\":\"[1, 2)\",\"n\":-2.50,\"zip\":\"2\"}\n"
        "{\"a\":\"\\\"x\\\"\\n\",\"n\":null,\"zip\":\"2\"}\n{\"a\":\"\\\"x\\\"\\n\",\"n\":1e9,\"zip\":\"2\"}"
        "\n");
  const auto recount = [&](const std::string& changed) {
    return recount_json_lines(pieces_of(changed, 11), publication, 2,
                              engine::SuppressedRecords::keep_or_drop);
  };
  CHECK(recount(text).has_value());
  const auto with = [&](const std::string& from, const std::string& to) {
    std::string changed = text;
    return changed.replace(changed.find(from), from.size(), to);
  };
  CHECK(recount(with("[1, 2)", "[1, 3)")).has_error());
  CHECK(recount(with("{\"a\":\"[1, 2)\",\"n\":1,\"zip\":\"01\"}\n", "")).has_error());
  CHECK(recount(with("\"n\"", "\"m\"")).has_error());
  CHECK(recount(with("-2.50", "[2]")).has_error());
  CHECK(recount(with("}\n{", "}{")).has_error());
}

TEST_CASE("a text that is not UTF-8 is refused before anything is written") {
  engine::Publication publication;
  publication.columns = {{"town", true, {"R\xF6m"}, {0}}};
  publication.rows = 1;
  const auto message = [&] {
    const auto written = write_json_lines(publication, [](std::string_view) -> Result<void> {
      FAIL("written");
      return {};
    });
    return written ? std::string() : written.error().public_message;
  };
  CHECK(message().starts_with("a text of column town is not UTF-8"));
  publication.columns = {{"r\xF6t", true, {"1"}, {0}}};
  CHECK(message().starts_with("the name of column 1 is not UTF-8"));
}

TEST_CASE("the hint about NULL can be followed as it is written") {
  const auto table = read_json_lines(pieces_of("{\"a\":null}\n", 9), std::nullopt, {}, nullptr);
  REQUIRE(table.has_error());
  CHECK(table.error().hint.find("\"null\": \"NULL\" below input") != std::string::npos);
  const auto job = read_job_text(
      "version: 1\nname: j\ninput:\n  file: a.jsonl\n  \"null\": \"NULL\"\nattributes:\n"
      "  a: {class: quasi_identifier, hierarchy: {masking: {}}}\nk: 2\noutput: {file: b.csv}\n",
      "/x/job.yaml");
  REQUIRE_MESSAGE(job.has_value(), one_line(job.error()));
  CHECK(job->null_text == "NULL");
}

TEST_CASE("a job reads and writes JSON lines, packed too, and publishes what it does from CSV") {
  TemporaryFolder folder;
  folder.write("in.csv", "age,town,ill\n21,Oslo,flu\n22,Oslo,\n41,Rome,flu\n42,Rome,cold\n");
  folder.write(
      "in.jsonl",
      "{\"age\":21,\"town\":\"Oslo\",\"ill\":\"flu\"}\n{\"town\":\"Oslo\",\"age\":22,\"ill\":\"\","
      "\"name\":\"x\"}\n{\"age\":41,\"town\":\"Rome\",\"ill\":\"flu\"}\n{\"age\":42,\"town\":\"Rome\","
      "\"ill\":\"cold\"}\n");
  const auto publish = [&](const std::string& input, const std::string& output) {
    AnonymizeRequest request;
    const auto job =
        read_job_text("version: 1\nname: j\ninput: {file: " + input +
                          "}\nattributes:\n  age: {class: quasi_identifier, hierarchy: {intervals: "
                          "{widths: [20]}}}\n  town: {class: quasi_identifier, hierarchy: {order: "
                          "{values: [Oslo, Rome], groups: [2]}}}\n  ill: {class: sensitive}\nk: 2\nseed: 1\n"
                          "output: {file: " +
                          output + "}\n",
                      folder.path("job.yaml"));
    REQUIRE_MESSAGE(job.has_value(), one_line(job.error()));
    request.job = *job;
    const auto made = anonymize(request, {});
    REQUIRE_MESSAGE(made.has_value(), one_line(made.error()));
  };
  publish("in.csv", "a.csv");
  publish("in.jsonl", "b.csv");
  CHECK(folder.read("a.csv") == folder.read("b.csv"));
  publish("in.jsonl", "c.jsonl");
  publish("in.csv", "d.ndjson");
  CHECK(folder.read("c.jsonl") == folder.read("d.ndjson"));
  CHECK(folder.read("c.jsonl").find("{\"age\":\"[20, 40)\",\"town\":\"Oslo\",\"ill\":\"flu\"}\n") !=
        std::string::npos);
  publish("in.jsonl", "e.jsonl.gz");
  CHECK(folder.read("e.jsonl.gz").starts_with("\x1F\x8B"));
}

TEST_CASE("keys that have no meaning for JSON lines are refused") {
  const auto refusal = [](const std::string& input, const std::string& hierarchy, const std::string& output) {
    const auto job =
        read_job_text("version: 1\nname: j\ninput: {file: " + input +
                          "}\nattributes:\n  a: {class: quasi_identifier, hierarchy: {file: " + hierarchy +
                          "}}\nk: 2\noutput: {file: " + output + "}\n",
                      "/x/job.yaml");
    return job ? "" : job.error().public_message;
  };
  CHECK(refusal("a.jsonl", "h.csv", "b.jsonl") == "");
  CHECK(refusal("a.jsonl, separator: ;", "h.csv", "b.csv").find("JSON lines have no separator") !=
        std::string::npos);
  CHECK(refusal("a.csv", "h.csv", "b.ndjson.gz, separator: ;").find("JSON lines have no separator") !=
        std::string::npos);
  CHECK(refusal("a.csv", "h.jsonl", "b.csv").find("a hierarchy is delimited text") != std::string::npos);
}

TEST_CASE("JSON without the name of JSON lines is noticed, and other text is not") {
  for (const char* text : {"{\"a\":1}\n", "\xEF\xBB\xBF {\n  \"a\": 1}", "[{\"a\":1}]", "[\n  {\n"}) {
    CAPTURE(text);
    CHECK(check_no_json(text).has_error());
  }
  for (const char* text : {"", " \n", "{", "{a},b\n1,2\n", "[1, 2)\n", "a,{\"b\n", "\"{\"\n1\n"}) {
    CAPTURE(text);
    CHECK(check_no_json(text).has_value());
  }
  const TemporaryFolder folder;
  const auto message_of = [&](const std::string& name, const std::string& text) {
    folder.write(name, text);
    const auto table = read_table_file({folder.path(name)}, "NULL", {});
    return table ? shown(*table) : one_line(table.error());
  };
  CHECK(message_of("a.json", "{\"a\":1}\n{\"a\":2}\n").find("a.json: the text looks like JSON") !=
        std::string::npos);
  CHECK(message_of("a.csv", "a\n1\n") == "a: [1]\n");
  CHECK(message_of("empty.csv", "").find("the file is empty") != std::string::npos);
}

TEST_CASE("capital ends of names mean what small ones do, and a file without records is refused as one") {
  const TemporaryFolder folder;
  folder.write("a.JSONL", "{\"a\":1}\n");
  const auto table = read_table_file({folder.path("a.JSONL")}, std::nullopt, {});
  REQUIRE_MESSAGE(table.has_value(), one_line(table.error()));
  CHECK(shown(*table) == "a: [1]\n");
  for (const char* name : {"empty.jsonl", "empty.NdJson"}) {
    folder.write(name, "\n");
    for (const auto& wanted : {std::vector<std::string>(), std::vector<std::string>{"a"}}) {
      const auto none = read_table_file({folder.path(name)}, std::nullopt, wanted);
      REQUIRE(none.has_error());
      CHECK(none.error().public_message.ends_with("there is no record in the JSON lines"));
    }
  }
}

TEST_CASE("names tell which files are JSON lines") {
  for (const char* name : {"a.jsonl", "/x/a.ndjson", "a.jsonl.gz", "a.ndjson.zst"})
    CHECK(is_json_lines(name));
  for (const char* name : {"a.csv", "a.json", "jsonl", "a.jsonl.bz2", "-"}) CHECK_FALSE(is_json_lines(name));
}

}  // namespace
}  // namespace pgveil::app::json_lines_test
