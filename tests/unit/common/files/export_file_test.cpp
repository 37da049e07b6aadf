#include <doctest/doctest.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <filesystem>
#include <string>

#include "common/files/export_file.hpp"
#include "tests/unit/temporary_folder.hpp"

namespace {

std::atomic<bool> are_folders_unsyncable = false;

}  // namespace

// In place of libc's, because no disk fails when a test wants it to.
extern "C" int fsync(int file) {
  struct stat status {};
  if (are_folders_unsyncable && ::fstat(file, &status) == 0 && S_ISDIR(status.st_mode)) {
    errno = EIO;
    return -1;
  }
  return static_cast<int>(::syscall(SYS_fsync, file));
}

namespace pgveil::app {
namespace {

using Names = std::vector<std::string>;

TEST_CASE("a published file is whole, private and alone") {
  const TemporaryFolder folder;
  std::filesystem::create_directory(folder.path("sub"));
  auto file = ExportFile::create(folder.path(), "sub/out.csv");
  REQUIRE_MESSAGE(file.has_value(), one_line(file.error()));
  const std::string line(100, 'x');
  for (int i = 0; i < 2'000; ++i) REQUIRE(file->append(line + "\r\n").has_value());
  CHECK_FALSE(std::filesystem::exists(folder.path("sub/out.csv")));
  REQUIRE(file->publish().has_value());
  CHECK(std::filesystem::file_size(folder.path("sub/out.csv")) == 2'000 * 102);
  struct stat status {};
  REQUIRE(::stat(folder.path("sub/out.csv").c_str(), &status) == 0);
  CHECK((status.st_mode & 0777) == 0600);
  CHECK(std::distance(std::filesystem::directory_iterator(folder.path("sub")), {}) == 1);
}

TEST_CASE("a file that is not published leaves nothing") {
  const TemporaryFolder folder;
  {
    auto file = ExportFile::create(folder.path(), "out.csv");
    REQUIRE(file.has_value());
    REQUIRE(file->append("half").has_value());
    const auto moved = std::move(*file);  // the temporary file belongs to one object only
  }
  CHECK(folder.names().empty());
}

TEST_CASE("names that leave the folder, follow a link or are no plain name are refused") {
  const TemporaryFolder folder;
  const TemporaryFolder outside;
  std::filesystem::create_directory(folder.path("real"));
  std::filesystem::create_directory_symlink(outside.path(), folder.path("link"));
  std::filesystem::create_directory_symlink(folder.path("real"), folder.path("inner"));
  std::filesystem::create_symlink(outside.path("target.csv"), folder.path("dangling.csv"));
  folder.write("taken.csv", "old");
  struct Case {
    std::string name;
    std::string words;
  };
  const std::vector<Case> cases{{"", "plain name"},
                                {"/tmp/x.csv", "absolute"},
                                {"../x.csv", "\"..\""},
                                {"real/../../x.csv", "\"..\""},
                                {"..", "\"..\""},
                                {".", "empty part"},
                                {"real//x.csv", "empty part"},
                                {"./x.csv", "empty part"},
                                {"real/", ".csv"},
                                {"x\ny.csv", "plain name"},
                                {std::string("x\0y.csv", 7), "plain name"},
                                {"x.txt", ".csv"},
                                {"x", ".csv"},
                                {std::string(300, 'x') + ".csv", "too long"},
                                {"link/x.csv", "symbolic link"},
                                {"inner/x.csv", "symbolic link"},
                                {"taken.csv/x.csv", "no folder"},
                                {"none/x.csv", "does not exist"},
                                {"taken.csv", "exists already"},
                                {"dangling.csv", "exists already"}};
  for (const auto& [name, words] : cases) {
    CAPTURE(name);
    const auto file = ExportFile::create(folder.path(), name);
    REQUIRE(file.has_error());
    CHECK_MESSAGE(one_line(file.error()).find(words) != std::string::npos, one_line(file.error()));
  }
  CHECK(folder.read("taken.csv") == "old");
  CHECK(outside.names().empty());
  CHECK(folder.names() == Names{"dangling.csv", "inner", "link", "real", "taken.csv"});
}

TEST_CASE("a name that is taken meanwhile is not overwritten, be it a file or a link") {
  const TemporaryFolder folder;
  const TemporaryFolder outside;
  {
    auto file = ExportFile::create(folder.path(), "out.csv");
    auto linked = ExportFile::create(folder.path(), "link.csv");
    REQUIRE(file.has_value());
    REQUIRE(linked.has_value());
    folder.write("out.csv", "somebody else's");
    std::filesystem::create_symlink(outside.path("target.csv"), folder.path("link.csv"));
    REQUIRE(file->append("ours").has_value());
    CHECK(file->publish().has_error());
    CHECK(linked->publish().has_error());
  }
  CHECK(folder.read("out.csv") == "somebody else's");
  CHECK(outside.names().empty());
  CHECK(folder.names() == Names{"link.csv", "out.csv"});
}

TEST_CASE("a file whose name may not be on disk is withdrawn") {
  const TemporaryFolder folder;
  auto file = ExportFile::create(folder.path(), "out.csv");
  REQUIRE(file.has_value());
  REQUIRE(file->append("ours").has_value());
  are_folders_unsyncable = true;
  const auto published = file->publish();
  are_folders_unsyncable = false;
  REQUIRE(published.has_error());
  CHECK(published.error().public_message.find("sync the folder of") != std::string::npos);
  CHECK(folder.names().empty());
}

TEST_CASE("without export_dir, or with one that is missing, nothing is exported") {
  CHECK(one_line(ExportFile::create("", "x.csv").error()).find("export_dir") != std::string::npos);
  CHECK(ExportFile::create("/no/such/folder", "x.csv").has_error());
}

}  // namespace
}  // namespace pgveil::app
