#include "web/api/audit.hpp"

#include <doctest/doctest.h>
#include <fmt/format.h>

#include <boost/json/array.hpp>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "tests/unit/temporary_folder.hpp"
#include "web/api/routes.hpp"

namespace pgveil::app {
namespace {

constexpr std::uint64_t kPageSession = (std::uint64_t{1} << 40) + 1;

struct LogFile {
  TemporaryFolder folder;
  std::string path = folder.path() + "/audit.log";

  void write(const std::vector<std::string>& lines) const {
    std::ofstream out(path, std::ios::binary);
    for (const auto& line : lines) out << line << '\n';
  }
};

std::string line(int second, std::string_view event, std::uint64_t session, int request,
                 std::string_view sql = "") {
  return fmt::format(
      R"({{"at":"2026-11-22T10:{:02}:{:02}.123Z","event":"{}","session":{},"request":"{}/{}","role":"r","sql":"{}"}})",
      second / 60, second % 60, event, session, session, request, sql);
}

AuditQuestion question(std::string_view more) {
  auto read =
      read_audit_question(fmt::format(R"({{"event": "", "role": "", "verdict": "", "text": ""{}}})", more));
  REQUIRE(read.has_value());
  return *read;
}

std::vector<std::string> found(const LogFile& log, std::string_view more, std::uint64_t* next = nullptr) {
  const auto answer = look_at_audit(log.path, question(more));
  REQUIRE(answer.has_value());
  std::vector<std::string> texts;
  for (const auto& event : answer->at("events").as_array())
    texts.emplace_back(event.as_object().at("sql").as_string().c_str());
  if (next != nullptr)
    *next = answer->at("next").is_null() ? 0 : answer->at("next").to_number<std::uint64_t>();
  return texts;
}

TEST_CASE("an audit log is read backwards over the borders of its parts, page by page") {
  const LogFile log;
  std::vector<std::string> lines;
  const int count = 3'000;
  for (int i = 0; i < count; ++i)
    lines.push_back(line(i, "statement", 1, i, fmt::format("{} {}", i, std::string(900, 'x'))));
  log.write(lines);
  std::vector<std::string> all;
  std::uint64_t next = 0;
  do {
    const auto page = found(log, fmt::format(R"(, "limit": 700, "before": {})", next), &next);
    REQUIRE(!page.empty());
    all.insert(all.end(), page.begin(), page.end());
  } while (next != 0);
  REQUIRE(all.size() == count);
  for (int i = 0; i < count; ++i)
    CHECK(all[static_cast<std::size_t>(i)].starts_with(fmt::format("{} ", count - 1 - i)));
}

TEST_CASE("a range of time has its first second and not its last") {
  const LogFile log;
  std::vector<std::string> lines;
  for (int i = 0; i < 600; ++i) lines.push_back(line(i, "statement", 1, i, std::to_string(i)));
  log.write(lines);
  CHECK(found(log, R"(, "from": "2026-11-22T10:05:00Z", "to": "2026-11-22T10:05:02.5Z")") ==
        std::vector<std::string>{"301", "300"});
  CHECK(found(log, R"(, "to": "2026-11-22T10:00:00Z")").empty());
}

TEST_CASE("lines that cannot be read, a line without an end and an empty file do no harm") {
  const LogFile log;
  log.write({"no JSON", line(1, "statement", 1, 1, "a"), "[1]", ""});
  CHECK(found(log, "") == std::vector<std::string>{"a"});
  std::ofstream(log.path, std::ios::app) << R"({"at":"2026)";
  CHECK(found(log, "") == std::vector<std::string>{"a"});
  log.write({});
  CHECK(found(log, "").empty());
  CHECK(look_at_audit(log.path + "x", question("")).has_error());
}

TEST_CASE("looks are left out with their ends, other commands of the page stay with theirs") {
  const LogFile log;
  log.write({line(1, "command", kPageSession, 1, "SHOW POOLS"), line(2, "command", kPageSession, 2, "BUILD"),
             line(3, "command_end", kPageSession, 1, "end of the look"),
             line(4, "command", 7, 1, "SHOW POOLS"),
             line(5, "command_end", kPageSession, 2, "end of the build"),
             line(6, "command", kPageSession, 3, "SHOW RAW ROWS OF POLICY p"),
             line(7, "command_end", kPageSession, 9, "begun before the file")});
  CHECK(found(log, R"(, "looks": "hidden")") ==
        std::vector<std::string>{"begun before the file", "SHOW RAW ROWS OF POLICY p", "end of the build",
                                 "SHOW POOLS", "BUILD"});
  CHECK(found(log, R"(, "looks": "shown")").size() == 7);
}

TEST_CASE("what only looks is known by its words") {
  for (const char* text : {"SHOW POLICIES", "SHOW POOLS", R"(SHOW TREE "p" AS JSON)", R"(SHOW RULES "p")",
                           "LOOK AT THE AUDIT LOG"})
    CHECK_MESSAGE(is_look(text), text);
  for (const char* text :
       {"", "SHOW", "SHOW RAW ROWS OF POLICY p", "12 RAW ROWS OF TABLE t", "BUILD POLICY p",
        "MASKED ROWS FOR ROLE a IN DATABASE b", "WHAT IF K 7 OF A DESIGN", "SHOW POOLS; BUILD POLICY p"})
    CHECK_MESSAGE(!is_look(text), text);
}

TEST_CASE("lines are counted by the values of a key") {
  const LogFile log;
  log.write({line(1, "login", 1, 1), line(2, "statement", 1, 2), line(3, "statement", 1, 3), "{}"});
  const auto answer = count_audit(log.path, question(R"(, "by": "event")"));
  REQUIRE(answer.has_value());
  const auto& groups = answer->at("groups").as_array();
  REQUIRE(groups.size() == 2);
  CHECK(groups[0].as_object().at("value") == "statement");
  CHECK(groups[0].as_object().at("lines") == 2);
  CHECK(groups[0].as_object().at("latest") == "2026-11-22T10:00:03.123Z");
  CHECK(answer->at("lines") == 3);
  CHECK(count_audit(log.path, question("")).has_error());
}

TEST_CASE("a position that is the end of no line is refused, as after a rotation") {
  const LogFile log;
  log.write({line(1, "login", 1, 1)});
  CHECK(look_at_audit(log.path, question(R"(, "before": 5)")).has_error());
  CHECK(look_at_audit(log.path, question(R"(, "before": 100000)")).has_error());
}

}  // namespace
}  // namespace pgveil::app
