#include "common/files/seen_file.hpp"

#include <doctest/doctest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>

#include "tests/unit/temporary_folder.hpp"

namespace pgveil {
namespace {

using app::TemporaryFolder;
constexpr std::size_t kMost = 1000;

unsigned mode_of(const std::string& path) {
  struct stat status {};
  REQUIRE(::stat(path.c_str(), &status) == 0);
  return status.st_mode & 07777U;
}

TEST_CASE("a file that nobody has seen is made with mode 0600, and once") {
  const TemporaryFolder folder;
  const auto made = change_seen(folder.path("a.yaml"), std::nullopt, "one");
  REQUIRE(made.has_value());
  CHECK(*made);
  CHECK(mode_of(folder.path("a.yaml")) == 0600);
  const auto again = change_seen(folder.path("a.yaml"), std::nullopt, "two");
  REQUIRE(again.has_value());
  CHECK_FALSE(*again);
  CHECK(folder.read("a.yaml") == "one");
  CHECK(folder.names() == std::vector<std::string>{"a.yaml"});
}

TEST_CASE("a file is replaced only if it is what was seen, and keeps its mode") {
  const TemporaryFolder folder;
  folder.write("a.yaml", "one", 0640);
  const auto stale = change_seen(folder.path("a.yaml"), "another", "two");
  REQUIRE(stale.has_value());
  CHECK_FALSE(*stale);
  CHECK(folder.read("a.yaml") == "one");
  const auto done = change_seen(folder.path("a.yaml"), "one", "two");
  REQUIRE(done.has_value());
  CHECK(*done);
  CHECK(folder.read("a.yaml") == "two");
  CHECK(mode_of(folder.path("a.yaml")) == 0640);
  CHECK(folder.names() == std::vector<std::string>{"a.yaml"});
}

TEST_CASE("a file is removed only if it is what was seen") {
  const TemporaryFolder folder;
  folder.write("a.yaml", "one");
  CHECK_FALSE(change_seen(folder.path("a.yaml"), "two", std::nullopt).value());
  CHECK(folder.read("a.yaml") == "one");
  CHECK(change_seen(folder.path("a.yaml"), "one", std::nullopt).value());
  CHECK(folder.names().empty());
  CHECK_FALSE(change_seen(folder.path("a.yaml"), "one", std::nullopt).value());
}

TEST_CASE("a link, a folder and a file that is too long are refused") {
  const TemporaryFolder folder;
  folder.write("target", "keep");
  std::filesystem::create_symlink(folder.path("target"), folder.path("a.yaml"));
  CHECK_FALSE(read_seen(folder.path("a.yaml"), kMost).has_value());
  CHECK_FALSE(change_seen(folder.path("a.yaml"), std::nullopt, "two").has_value());
  CHECK_FALSE(change_seen(folder.path("a.yaml"), "keep", "two").has_value());
  CHECK(folder.read("target") == "keep");
  std::filesystem::create_directory(folder.path("b.yaml"));
  CHECK_FALSE(change_seen(folder.path("b.yaml"), std::nullopt, "two").has_value());
  folder.write("c.yaml", std::string(kMost + 1, 'x'));
  CHECK_FALSE(read_seen(folder.path("c.yaml"), kMost).has_value());
  const auto none = read_seen(folder.path("d.yaml"), kMost);
  REQUIRE(none.has_value());
  CHECK_FALSE(none->has_value());
}

TEST_CASE("what a crash left is in nobody's way") {
  const TemporaryFolder folder;
  folder.write(".a.yaml.new", "half");
  CHECK(change_seen(folder.path("a.yaml"), std::nullopt, "one").value());
  CHECK(folder.names() == std::vector<std::string>{"a.yaml"});
}

}  // namespace
}  // namespace pgveil
