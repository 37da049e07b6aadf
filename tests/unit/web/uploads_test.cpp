// Files that visitors bring: whose they are, how much fits, and that they go.
#include "web/api/uploads.hpp"

#include <doctest/doctest.h>
#include <sys/stat.h>

#include "common/files/process_folder.hpp"
#include "tests/unit/temporary_folder.hpp"

namespace pgveil::app {
namespace {

constexpr Uploads::Time kNow{};

struct Brought {
  TemporaryFolder folder;
  Uploads uploads{folder.path()};

  std::string begin(std::uint64_t bytes, const std::string& owner = "ann") {
    const auto id = uploads.begin(owner, "../../etc/passwd", bytes, kNow);
    REQUIRE(id.has_value());
    return *id;
  }
};

TEST_CASE("an upload comes in parts, is private, and is named by us") {
  Brought brought;
  const auto id = brought.begin(6);
  CHECK(brought.uploads.append("ann", id, 0, "a\n1", kNow).value() == 3);
  CHECK(brought.uploads.whole("ann", id, kNow).has_error());
  CHECK(brought.uploads.append("ann", id, 3, "\n2\n", kNow).value() == 6);
  const auto file = brought.uploads.whole("ann", id, kNow);
  REQUIRE(file.has_value());
  CHECK((*file)->path() == brought.folder.path("u1.csv"));
  CHECK(brought.folder.read("u1.csv") == "a\n1\n2\n");
  struct stat status {};
  REQUIRE(::stat((*file)->path().c_str(), &status) == 0);
  CHECK((status.st_mode & 0777) == 0600);
  CHECK(brought.uploads.of("ann").front().name == "../../etc/passwd");
}

TEST_CASE("parts that do not follow, or are more than was announced, are refused") {
  Brought brought;
  const auto id = brought.begin(4);
  CHECK(brought.uploads.append("ann", id, 1, "a", kNow).has_error());
  CHECK(brought.uploads.append("ann", id, 0, "abcde", kNow).has_error());
  CHECK(brought.uploads.append("ann", id, 0, "abcd", kNow).has_value());
  CHECK(brought.uploads.append("ann", id, 4, "e", kNow).has_error());
  CHECK(brought.folder.read("u1.csv") == "abcd");
}

TEST_CASE("another role's upload is as one that is not there") {
  Brought brought;
  const auto id = brought.begin(1);
  CHECK(brought.uploads.append("bob", id, 0, "x", kNow).error().kind == ErrorKind::unknown_object);
  CHECK(brought.uploads.drop("bob", id).error().kind == ErrorKind::unknown_object);
  CHECK(brought.uploads.of("bob").empty());
  CHECK(brought.uploads.of("ann").size() == 1);
}

TEST_CASE("what is too large or too much is refused before a byte of it comes") {
  Brought brought;
  CHECK(brought.uploads.begin("ann", "a", Uploads::kMostBytes + 1, kNow).error().kind == ErrorKind::limit);
  CHECK(brought.uploads.begin("ann", "a", 0, kNow).error().kind == ErrorKind::usage);
  CHECK(brought.uploads.begin("ann", "", 1, kNow).error().kind == ErrorKind::usage);
  for (std::uint64_t in_all = 0; in_all < Uploads::kMostBytesInAll; in_all += Uploads::kMostBytes)
    brought.begin(Uploads::kMostBytes);
  CHECK(brought.uploads.begin("bob", "a", 1, kNow).error().kind == ErrorKind::limit);
  REQUIRE((brought.uploads.drop("ann", "u1")).has_value());
  CHECK(brought.uploads.begin("bob", "a", 1, kNow).has_value());
}

TEST_CASE("there is a limit on their number") {
  Brought brought;
  for (std::size_t i = 0; i < Uploads::kMostFiles; ++i) brought.begin(1);
  CHECK(brought.uploads.begin("ann", "a", 1, kNow).error().kind == ErrorKind::limit);
}

TEST_CASE("a file goes when it rested for long, but not while somebody reads it") {
  Brought brought;
  const auto id = brought.begin(1);
  REQUIRE((brought.uploads.append("ann", id, 0, "x", kNow)).has_value());
  auto held = brought.uploads.whole("ann", id, kNow);
  brought.uploads.forget_old(kNow + Uploads::kKept - std::chrono::seconds(1));
  CHECK(brought.uploads.of("ann").size() == 1);
  brought.uploads.forget_old(kNow + Uploads::kKept);
  CHECK(brought.uploads.of("ann").empty());
  CHECK(brought.folder.names() == std::vector<std::string>{"u1.csv"});
  held = Error{ErrorKind::usage, "", ""};
  CHECK(brought.folder.names().empty());
}

TEST_CASE("a process's folder goes with it, and those of crashed ones with the next") {
  TemporaryFolder parent;
  {
    const auto mine = ProcessFolder::make(parent.path("page"));
    REQUIRE(mine.has_value());
    std::filesystem::create_directory(parent.path("page/page-crashed"));
    parent.write("page/page-crashed/.lock", "");
    parent.write("page/page-crashed/u1.csv", "secret");
    std::filesystem::create_directory(parent.path("page/other"));
    const auto other = ProcessFolder::make(parent.path("page"));
    REQUIRE(other.has_value());
    CHECK(std::filesystem::exists(mine->path()));
    CHECK(mine->path() != other->path());
    CHECK_FALSE(std::filesystem::exists(parent.path("page/page-crashed")));
    struct stat status {};
    REQUIRE(::stat(mine->path().c_str(), &status) == 0);
    CHECK((status.st_mode & 0777) == 0700);
  }
  const TemporaryFolder& left = parent;
  CHECK(left.names() == std::vector<std::string>{"page"});
  CHECK(std::distance(std::filesystem::directory_iterator(parent.path("page")), {}) == 1);
}

}  // namespace
}  // namespace pgveil::app
