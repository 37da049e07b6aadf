#include "common/files/output_file.hpp"

#include <doctest/doctest.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>

#include "tests/unit/temporary_folder.hpp"

namespace pgveil::app {
namespace {

using Names = std::vector<std::string>;

OutputFile opened(const TemporaryFolder& folder, bool replace) {
  auto file = OutputFile::create({folder.path("out.csv"), replace, {}, ""});
  REQUIRE_MESSAGE(file.has_value(), one_line(file.error()));
  return std::move(*file);
}

TEST_CASE("an output file that is not published leaves what was there") {
  const TemporaryFolder folder;
  folder.write("out.csv", "old");
  {
    auto file = opened(folder, true);
    REQUIRE(file.append("new").has_value());
    REQUIRE(file.finish().has_value());
    CHECK(*joined(file.read_back()) == "new");
    const auto moved = std::move(file);  // the temporary file belongs to one object only
  }
  CHECK(folder.names() == Names{"out.csv"});
  CHECK(folder.read("out.csv") == "old");
}

// A killed process runs no destructor.
TEST_CASE("a killed process leaves no file") {
  const TemporaryFolder folder;
  const pid_t child = ::fork();
  REQUIRE(child >= 0);
  if (child == 0) {
    auto file = OutputFile::create({folder.path("out.csv"), false, {}, ""});
    const bool is_written = file && file->append("new") && file->finish();
    ::kill(::getpid(), is_written ? SIGKILL : SIGTERM);
  }
  int status = 0;
  REQUIRE(::waitpid(child, &status, 0) == child);
  CHECK(WTERMSIG(status) == SIGKILL);
  CHECK(folder.names() == Names{});
}

TEST_CASE("a published file is taken back unless it is settled") {
  for (const bool was_there : {false, true}) {
    CAPTURE(was_there);
    const TemporaryFolder folder;
    if (was_there) folder.write("out.csv", "old");
    {
      auto file = opened(folder, true);
      REQUIRE(file.append("new").has_value());
      REQUIRE(file.finish().has_value());
      REQUIRE(file.publish().has_value());
      CHECK(folder.read("out.csv") == "new");
    }
    CHECK(folder.names() == (was_there ? Names{"out.csv"} : Names{}));
    if (was_there) CHECK(folder.read("out.csv") == "old");
  }
}

TEST_CASE("what somebody else has published since is not undone") {
  for (const bool was_there : {false, true}) {
    CAPTURE(was_there);
    const TemporaryFolder folder;
    if (was_there) folder.write("out.csv", "old");
    {
      auto ours = opened(folder, true);
      REQUIRE(ours.append("ours").has_value());
      REQUIRE(ours.finish().has_value());
      REQUIRE(ours.publish().has_value());
      auto theirs = opened(folder, true);
      REQUIRE(theirs.append("theirs").has_value());
      REQUIRE(theirs.finish().has_value());
      REQUIRE(theirs.publish().has_value());
      theirs.settle();
    }
    CHECK(folder.names() == Names{"out.csv"});
    CHECK(folder.read("out.csv") == "theirs");
  }
}

TEST_CASE("the file from before comes back although the published one was removed meanwhile") {
  const TemporaryFolder folder;
  folder.write("out.csv", "old");
  {
    auto file = opened(folder, true);
    REQUIRE(file.finish().has_value());
    REQUIRE(file.publish().has_value());
    std::filesystem::remove(folder.path("out.csv"));
  }
  CHECK(folder.names() == Names{"out.csv"});
  CHECK(folder.read("out.csv") == "old");
}

TEST_CASE("a settled file is whole, private and alone") {
  const TemporaryFolder folder;
  folder.write("out.csv", "old");
  {
    auto file = opened(folder, true);
    for (int i = 0; i < 20'000; ++i) REQUIRE(file.append("0123456789").has_value());
    REQUIRE(file.finish().has_value());
    REQUIRE(file.publish().has_value());
    file.settle();
  }
  CHECK(folder.names() == Names{"out.csv"});
  CHECK(folder.read("out.csv").size() == 200'000);
  struct stat status {};
  REQUIRE(::stat(folder.path("out.csv").c_str(), &status) == 0);
  CHECK((status.st_mode & 0777) == 0600);
}

TEST_CASE("an output is neither an input nor another output, however its path is written") {
  const TemporaryFolder folder;
  std::filesystem::create_directory(folder.path("real"));
  std::filesystem::create_directory_symlink(folder.path("real"), folder.path("link"));
  const auto message = [&](Names inputs, Names outputs) {
    const auto file =
        OutputFile::create({folder.path("real/out.csv"), true, std::move(inputs), "", std::move(outputs)});
    return file ? std::string() : file.error().public_message;
  };
  for (const bool is_there : {false, true}) {
    CAPTURE(is_there);
    if (is_there) folder.write("real/out.csv", "old");
    for (const auto* const other : {"real/out.csv", "link/out.csv", "real/./out.csv"}) {
      CAPTURE(other);
      CHECK(message({folder.path(other)}, {}).find("but this command reads") != std::string::npos);
      CHECK(message({}, {folder.path(other)}).find("which this command also writes") != std::string::npos);
    }
    CHECK(message({folder.path("out.csv"), ""}, {folder.path("link/other.csv")}).empty());
  }
  std::filesystem::create_symlink(folder.path("real/out.csv"), folder.path("alias"));
  CHECK(message({folder.path("alias")}, {}).find("but this command reads") != std::string::npos);
}

TEST_CASE("a name that was taken meanwhile is not overwritten") {
  const TemporaryFolder folder;
  auto file = opened(folder, false);
  REQUIRE(file.finish().has_value());
  folder.write("out.csv", "theirs");
  CHECK(file.publish().has_error());
  CHECK(folder.read("out.csv") == "theirs");
}

TEST_CASE("a full disk is an error, and nothing is left") {
  const TemporaryFolder folder;
  struct rlimit before {};
  REQUIRE(::getrlimit(RLIMIT_FSIZE, &before) == 0);
  signal(SIGXFSZ, SIG_IGN);
  {
    auto file = opened(folder, false);
    const struct rlimit small { 100'000, before.rlim_max };
    REQUIRE(::setrlimit(RLIMIT_FSIZE, &small) == 0);
    Result<void> written;
    for (int i = 0; i < 20'000 && written; ++i) written = file.append("0123456789");
    if (written) written = file.finish();
    ::setrlimit(RLIMIT_FSIZE, &before);
    REQUIRE(written.has_error());
    CHECK(written.error().kind == ErrorKind::io);
    CHECK(written.error().public_message.find("out.csv: File too large") != std::string::npos);
  }
  CHECK(folder.names().empty());
}

}  // namespace
}  // namespace pgveil::app
