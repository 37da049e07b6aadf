#include "web/api/applied_files.hpp"

#include <doctest/doctest.h>

#include <filesystem>

#include "tests/unit/temporary_folder.hpp"

namespace pgveil::app {
namespace {

TEST_CASE("what a change replaced is found by its id until it is removed") {
  const TemporaryFolder folder;
  const AppliedFiles records(folder.path());
  const auto id = records.keep({"policies/a.yaml", "/etc/a.yaml", std::nullopt, "text \"ä\"\n"});
  REQUIRE(id.has_value());
  CHECK(id->size() == 32);
  const auto found = records.find(*id);
  REQUIRE(found.has_value());
  CHECK(found->file == "policies/a.yaml");
  CHECK(found->path == "/etc/a.yaml");
  CHECK_FALSE(found->former.has_value());
  CHECK(found->applied == "text \"ä\"\n");
  records.remove(*id);
  CHECK_FALSE(records.find(*id).has_value());
}

TEST_CASE("only ids find something, and never another file") {
  const TemporaryFolder folder;
  folder.write("secret.json", applied_file_text({"a", "b", "c", "d"}));
  const AppliedFiles records(folder.path());
  for (const char* id : {"", "../secret", "..", "/etc/passwd", "0123456789ABCDEF0123456789ABCDEF",
                         "0123456789abcdef0123456789abcdeg", "0123456789abcdef0123456789abcde"}) {
    CAPTURE(id);
    const auto found = records.find(id);
    REQUIRE_FALSE(found.has_value());
    CHECK(found.error().kind == ErrorKind::unknown_object);
  }
}

TEST_CASE("the oldest records are removed") {
  const TemporaryFolder folder;
  const AppliedFiles records(folder.path());
  std::string last;
  for (std::size_t i = 0; i < AppliedFiles::kMost + 5; ++i) last = records.keep({"a", "b", "c", "d"}).value();
  CHECK(records.find(last).has_value());
  std::size_t count = 0;
  for (const auto& entry : std::filesystem::directory_iterator(folder.path("applied")))
    count += entry.path().extension() == ".json" ? 1 : 0;
  CHECK(count == AppliedFiles::kMost);
}

TEST_CASE("a record of another shape is refused") {
  for (const char* text : {"", "[]", "{}", R"({"file": "a", "path": "b", "former": 1, "applied": null})",
                           R"({"file": "a", "path": "b", "former": null, "applied": null, "more": 1})"}) {
    CAPTURE(text);
    CHECK_FALSE(read_applied_file(text, "record").has_value());
  }
}

}  // namespace
}  // namespace pgveil::app
