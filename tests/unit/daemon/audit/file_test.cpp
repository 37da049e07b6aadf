#include "daemon/audit/file.hpp"

#include <doctest/doctest.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <sstream>
#include <vector>

#include "tests/unit/temporary_folder.hpp"

namespace pgveil::app {
namespace {

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);) lines.push_back(line);
  return lines;
}

std::string link_to(const std::string& line, const std::string& key = "") {
  return ",\"prev\":\"" + chain_hash(line, key) + "\"}";
}

std::string error_of(const TemporaryFolder& folder) {
  const auto opened = AuditFile::open(folder.path("audit.log"), "");
  return opened ? "" : opened.error().public_message;
}

}  // namespace

TEST_CASE("each line ends with the hash of the one before it, also after a restart") {
  const TemporaryFolder folder;
  {
    auto file = AuditFile::open(folder.path("audit.log"), "");
    REQUIRE(file.has_value());
    REQUIRE(file->append("\"n\":1").has_value());
    REQUIRE(file->append("\"n\":2").has_value());
  }
  auto again = AuditFile::open(folder.path("audit.log"), "");
  REQUIRE(again.has_value());
  REQUIRE(again->append("\"n\":3").has_value());
  const auto lines = lines_of(folder.read("audit.log"));
  REQUIRE(lines.size() == 3);
  CHECK(lines[0] == "{\"n\":1,\"prev\":\"" + std::string(kNoLineBefore) + "\"}");
  CHECK(lines[1] == "{\"n\":2" + link_to(lines[0]));
  CHECK(lines[2] == "{\"n\":3" + link_to(lines[1]));
  const auto mode = std::filesystem::status(folder.path("audit.log")).permissions();
  CHECK(mode == (std::filesystem::perms::owner_read | std::filesystem::perms::owner_write));
}

TEST_CASE("with a key the chain can't be made without it") {
  const TemporaryFolder folder;
  auto file = AuditFile::open(folder.path("audit.log"), "key");
  REQUIRE(file.has_value());
  REQUIRE(file->append("\"n\":1").has_value());
  REQUIRE(file->append("\"n\":2").has_value());
  const auto lines = lines_of(folder.read("audit.log"));
  CHECK(lines.at(1) == "{\"n\":2" + link_to(lines.at(0), "key"));
  CHECK(chain_hash("a", "key") != chain_hash("a", ""));
  CHECK(chain_hash("abc", "") == "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
}

TEST_CASE("a file that was moved or removed is made anew and the chain goes on in it") {
  const TemporaryFolder folder;
  auto file = AuditFile::open(folder.path("audit.log"), "");
  REQUIRE(file.has_value());
  REQUIRE(file->append("\"n\":1").has_value());
  std::filesystem::rename(folder.path("audit.log"), folder.path("audit.log.1"));
  REQUIRE(file->reopen().has_value());
  CHECK(folder.read("audit.log").empty());
  REQUIRE(file->append("\"n\":2").has_value());
  const auto old = lines_of(folder.read("audit.log.1"));
  const auto second = lines_of(folder.read("audit.log")).at(0);
  CHECK(second == "{\"n\":2" + link_to(old.at(0)));
  std::filesystem::remove(folder.path("audit.log"));
  REQUIRE(file->append("\"n\":3").has_value());
  CHECK(lines_of(folder.read("audit.log")).at(0) == "{\"n\":3" + link_to(second));
  CHECK_FALSE(file->why_misplaced().has_value());
}

TEST_CASE("several that write one file make one chain, also when it is moved") {
  const TemporaryFolder folder;
  auto a = AuditFile::open(folder.path("audit.log"), "key");
  auto b = AuditFile::open(folder.path("audit.log"), "key");
  REQUIRE(a.has_value());
  REQUIRE(b.has_value());
  const auto both = [&](int first) {
    REQUIRE(a->append(fmt::format("\"n\":{}", first)).has_value());
    REQUIRE(b->append(fmt::format("\"n\":{}", first + 1)).has_value());
    REQUIRE(b->append(fmt::format("\"n\":{}", first + 2)).has_value());
  };
  both(0);
  both(3);
  std::filesystem::rename(folder.path("audit.log"), folder.path("audit.log.1"));
  both(6);
  std::filesystem::rename(folder.path("audit.log"), folder.path("audit.log.2"));
  REQUIRE(a->reopen().has_value());
  REQUIRE(b->append("\"n\":9").has_value());
  const auto lines =
      lines_of(folder.read("audit.log.1") + folder.read("audit.log.2") + folder.read("audit.log"));
  REQUIRE(lines.size() == 10);
  for (std::size_t i = 1; i < lines.size(); ++i) {
    CAPTURE(i);
    CHECK(lines[i] == fmt::format("{{\"n\":{}", i) + link_to(lines[i - 1], "key"));
  }
}

TEST_CASE("what was taken from the file's end is missed by the chain") {
  const TemporaryFolder folder;
  auto file = AuditFile::open(folder.path("audit.log"), "");
  REQUIRE(file.has_value());
  REQUIRE(file->append("\"n\":1").has_value());
  const std::string first = folder.read("audit.log");
  REQUIRE(file->append("\"n\":2").has_value());
  std::filesystem::resize_file(folder.path("audit.log"), first.size());
  REQUIRE(file->append("\"n\":3").has_value());
  const auto lines = lines_of(folder.read("audit.log"));
  REQUIRE(lines.size() == 2);
  CHECK(lines[1] != "{\"n\":3" + link_to(lines[0]));
}

TEST_CASE("what can't be opened anew leaves the open file in use") {
  const TemporaryFolder folder;
  auto file = AuditFile::open(folder.path("audit.log"), "");
  REQUIRE(file.has_value());
  std::filesystem::rename(folder.path("audit.log"), folder.path("moved"));
  std::filesystem::create_directory(folder.path("audit.log"));
  CHECK_FALSE(file->reopen().has_value());
  REQUIRE(file->append("\"n\":1").has_value());
  CHECK(file->why_misplaced().has_value());
  CHECK(lines_of(folder.read("moved")).size() == 1);
}

TEST_CASE("a last line that was cut off stays, and the next one is linked to it") {
  const TemporaryFolder folder;
  folder.write("audit.log", "{\"n\":1,\"prev\":\"x\"}\n{\"n\":2,\"pr");
  auto file = AuditFile::open(folder.path("audit.log"), "");
  REQUIRE(file.has_value());
  REQUIRE(file->append("\"n\":3").has_value());
  CHECK(lines_of(folder.read("audit.log")).at(2) == "{\"n\":3" + link_to("{\"n\":2,\"pr"));
}

TEST_CASE("a file that others may write or read, or that is no file is refused") {
  const TemporaryFolder folder;
  for (const unsigned mode : {0620U, 0602U, 0604U, 0666U}) {
    folder.write("audit.log", "", mode);
    CAPTURE(mode);
    CHECK(error_of(folder).find("others may write it") != std::string::npos);
  }
  folder.write("audit.log", "", 0640);
  CHECK(error_of(folder).empty());
  std::filesystem::remove(folder.path("audit.log"));
  std::filesystem::create_symlink(folder.path("elsewhere"), folder.path("audit.log"));
  CHECK_FALSE(error_of(folder).empty());
  CHECK(folder.names().size() == 1);
  std::filesystem::remove(folder.path("audit.log"));
  REQUIRE(::mkfifo(folder.path("audit.log").c_str(), 0600) == 0);
  CHECK(error_of(folder).find("not a regular file") != std::string::npos);
}

TEST_CASE("who keeps the file to himself is named, and nothing is written meanwhile") {
  const TemporaryFolder folder;
  auto file = AuditFile::open(folder.path("audit.log"), "", std::chrono::milliseconds(5));
  REQUIRE(file.has_value());
  const int other = ::open(folder.path("audit.log").c_str(), O_RDWR);
  REQUIRE(::flock(other, LOCK_EX) == 0);
  const auto written = file->append("\"n\":1");
  REQUIRE(written.has_error());
  CHECK(written.error().public_message.find("does not release") != std::string::npos);
  CHECK(folder.read("audit.log").empty());
  ::close(other);
  CHECK(file->append("\"n\":1").has_value());
}

}  // namespace pgveil::app
