#include "common/files/trusted_file.hpp"

#include <doctest/doctest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <string>

#include "tests/unit/temporary_folder.hpp"

namespace pgveil::app {
namespace {

namespace fs = std::filesystem;

constexpr uid_t kUs = 1000;
constexpr uid_t kStranger = 1001;

struct stat made(uid_t owner, mode_t mode) {
  struct stat status {};
  status.st_uid = owner;
  status.st_mode = mode;
  return status;
}

std::string why(uid_t owner, mode_t mode, Secrecy secrecy) {
  return distrust_of_file(made(owner, S_IFREG | mode), secrecy, kUs, "/f").why;
}

std::string fix(uid_t owner, mode_t mode, Secrecy secrecy) {
  return distrust_of_file(made(owner, S_IFREG | mode), secrecy, kUs, "/f").fix;
}

std::string error_of(const std::string& path, Secrecy secrecy = Secrecy::secret) {
  const auto text = read_trusted(path, secrecy, 100);
  return text ? "read: " + *text : one_line(text.error());
}

bool has(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

}  // namespace

TEST_CASE("a secret is read by its owner alone, and by a group only when root owns it") {
  for (const mode_t mode : {0600, 0400}) CHECK(why(kUs, mode, Secrecy::secret).empty());
  for (const mode_t mode : {0600, 0640, 0440, 0400}) CHECK(why(0, mode, Secrecy::secret).empty());
  for (const mode_t mode : {0640, 0440, 0604})
    CHECK(why(kUs, mode, Secrecy::secret) == "others than its owner may read it");
  for (const mode_t mode : {0644, 0444, 0604})
    CHECK(why(0, mode, Secrecy::secret) == "others than its owner may read it");
  CHECK(fix(kUs, 0644, Secrecy::secret) == "chmod 600 /f");
  CHECK(fix(0, 0644, Secrecy::secret) == "chmod 640 /f");
}

TEST_CASE("what decides who comes in may be read by all, and written by nobody else") {
  for (const uid_t owner : {uid_t{0}, kUs}) {
    CHECK(why(owner, 0644, Secrecy::open).empty());
    for (const mode_t mode : {0664, 0646, 0620, 0602})
      for (const auto secrecy : {Secrecy::open, Secrecy::secret})
        CHECK(why(owner, mode, secrecy) == "others than its owner may write it");
  }
  CHECK(fix(kUs, 0664, Secrecy::open) == "chmod go-w /f");
}

TEST_CASE("nobody else's file is read, whatever its mode") {
  for (const auto secrecy : {Secrecy::open, Secrecy::secret}) {
    CHECK(has(why(kStranger, 0600, secrecy), "belongs neither to root nor"));
    CHECK(has(why(kStranger, 0644, secrecy), "belongs neither to root nor"));
    CHECK(fix(kStranger, 0600, secrecy) == "chown root /f");
  }
}

TEST_CASE("what is no regular file is not read") {
  for (const mode_t kind : {S_IFDIR, S_IFIFO, S_IFSOCK, S_IFCHR})
    CHECK(distrust_of_file(made(kUs, kind | 0600), Secrecy::secret, kUs, "/f").why == "not a regular file");
}

TEST_CASE(
    "a folder on the way is root's or ours, and others put nothing there but where it is sticky or shut "
    "off") {
  const auto why_folder = [](uid_t owner, mode_t mode, bool is_shut = false) {
    return distrust_of_folder(made(owner, S_IFDIR | mode), is_shut, kUs, "/d").why;
  };
  for (const uid_t owner : {uid_t{0}, kUs}) {
    for (const mode_t mode : {0700, 0755, 0750, 01777, 01775}) CHECK(why_folder(owner, mode).empty());
    for (const mode_t mode : {0777, 0775, 0757, 0722}) {
      CHECK(has(why_folder(owner, mode), "others may put files"));
      CHECK(why_folder(owner, mode, true).empty());
    }
  }
  for (const bool is_shut : {false, true})
    CHECK(has(why_folder(kStranger, 0755, is_shut), "belongs neither to root nor"));
}

TEST_CASE("a file is read whole, also over links of our own") {
  const TemporaryFolder folder;
  folder.write("f", "text");
  fs::create_directories(folder.path("a/b"));
  fs::create_symlink("../../f", folder.path("a/b/relative"));
  fs::create_symlink(folder.path("a"), folder.path("absolute"));
  CHECK(error_of(folder.path("f")) == "read: text");
  CHECK(error_of(folder.path("a/b/../../f")) == "read: text");
  CHECK(error_of(folder.path("absolute/b/relative")) == "read: text");
}

TEST_CASE("a file or a link that lies where others may put files is not read") {
  const TemporaryFolder folder;
  folder.write("f", "text");
  fs::create_directory(folder.path("all"));
  folder.write("all/own", "text");
  fs::create_symlink(folder.path("f"), folder.path("all/link"));
  fs::create_symlink(folder.path("all/link"), folder.path("link"));
  ::chmod(folder.path().c_str(), 0755);  // mkdtemp's own mode shuts others off
  ::chmod(folder.path("all").c_str(), 0777);
  for (const auto secrecy : {Secrecy::open, Secrecy::secret}) {
    for (const char* name : {"all/own", "all/link", "link"}) {
      CAPTURE(name);
      CHECK(has(error_of(folder.path(name), secrecy), folder.path("all") + ": a folder on the way"));
      CHECK(has(error_of(folder.path(name), secrecy), "chmod go-w " + folder.path("all")));
    }
  }
  ::chmod(folder.path("all").c_str(), 01777);
  CHECK(error_of(folder.path("all/link")) == "read: text");
  ::chmod(folder.path("all").c_str(), 0777);
  ::chmod(folder.path().c_str(), 0700);
  CHECK(error_of(folder.path("all/own")) == "read: text");
  ::chmod(folder.path().c_str(), 0755);
  CHECK(has(error_of(folder.path("all/../f")), "a folder on the way"));
}

TEST_CASE(
    "a folder, a FIFO, a loop of links, a missing file and a file as a folder are errors that name them") {
  const TemporaryFolder folder;
  folder.write("f", "text");
  fs::create_directory(folder.path("d"));
  REQUIRE(::mkfifo(folder.path("fifo").c_str(), 0600) == 0);
  fs::create_symlink("loop", folder.path("loop"));
  CHECK(has(error_of(folder.path("d")), folder.path("d") + ": not a regular file"));
  CHECK(has(error_of(folder.path("fifo")), folder.path("fifo") + ": not a regular file"));
  CHECK(has(error_of(folder.path("loop")), folder.path("loop") + ": Too many levels"));
  CHECK(has(error_of(folder.path("gone")), folder.path("gone") + ": No such file"));
  CHECK(has(error_of(folder.path("f/g")), folder.path("f") + ": Not a directory"));
  CHECK(has(error_of("/"), "not a regular file"));
}

TEST_CASE("a file over the limit is not read, and what is wrong with a file never quotes it") {
  const TemporaryFolder folder;
  folder.write("long", std::string(101, 's'));
  CHECK(has(error_of(folder.path("long")), "over 100 bytes"));
  CHECK_FALSE(has(error_of(folder.path("long")), "sss"));
  folder.write("f", "hunter2", 0644);
  CHECK_FALSE(has(error_of(folder.path("f")), "hunter2"));
}

TEST_CASE("nobody else's file is read, though the process could" * doctest::skip(::geteuid() != 0)) {
  const TemporaryFolder folder;
  folder.write("f", "text");
  REQUIRE(::chown(folder.path("f").c_str(), kStranger, kStranger) == 0);
  CHECK(has(error_of(folder.path("f"), Secrecy::open), "belongs neither to root nor"));
  folder.write("g", "text");
  fs::create_symlink("g", folder.path("link"));
  REQUIRE(::lchown(folder.path("link").c_str(), kStranger, kStranger) == 0);
  CHECK(has(error_of(folder.path("link")), folder.path("link") + ": a link, and it belongs neither"));
}

}  // namespace pgveil::app
