#include "common/process/one_line.hpp"

#include <doctest/doctest.h>
#include <signal.h>

#include <cstdlib>
#include <fstream>
#include <vector>

#include "tests/unit/temporary_folder.hpp"

namespace pgveil {
namespace {

using Words = std::vector<std::string>;
using std::chrono::milliseconds;
constexpr milliseconds kEnough{20'000};

Words shell(const std::string& script) {
  return {"sh", "-c", script};
}

TEST_CASE("the only line that a command prints is read, without its end") {
  for (const char* script : {"echo 'to ken'", "printf 'to ken'", "printf 'to ken\\r\\n'"}) {
    CAPTURE(script);
    const auto line = run_for_one_line(shell(script), kEnough);
    REQUIRE_MESSAGE(line.has_value(), line.error().public_message);
    CHECK(*line == "to ken");
  }
}

TEST_CASE("words reach the program as they are, because no shell reads them") {
  const auto line = run_for_one_line(Words{"printf", "%s", "$HOME; `x` '\""}, kEnough);
  REQUIRE(line.has_value());
  CHECK(*line == "$HOME; `x` '\"");
}

TEST_CASE("a command that does not print one line is refused, and nothing of it is quoted") {
  struct Row {
    const char* script;
    const char* said;
  };
  const Row rows[] = {{"true", "printed nothing"},
                      {"echo", "printed nothing"},
                      {"echo secret; echo secret", "more than one line"},
                      {"printf 'secret\\n\\n'", "more than one line"},
                      {"printf 'sec\\tret'", "control character"},
                      {"echo secret; exit 3", "ended with status 3"},
                      {"echo secret >&2; exit 1", "ended with status 1"},
                      {"kill -9 $$", "ended by signal 9"},
                      {"head -c 100000 /dev/zero | tr '\\0' a", "more than 16384 bytes"}};
  for (const Row& row : rows) {
    CAPTURE(row.script);
    const auto line = run_for_one_line(shell(row.script), kEnough);
    REQUIRE(line.has_error());
    const std::string said = one_line(line.error());
    CHECK_MESSAGE(said.find(row.said) != std::string::npos, said);
    CHECK(said.find("secret") == std::string::npos);
    CHECK(line.error().private_detail.find("secret") == std::string::npos);
  }
  const auto nothing = run_for_one_line(Words{"/no/such/program"}, kEnough);
  REQUIRE(nothing.has_error());
  CHECK(nothing.error().public_message.find("could not be started") != std::string::npos);
}

TEST_CASE("a command that hangs is killed with all that it has started") {
  const app::TemporaryFolder folder;
  const std::string noted = folder.path("pid");
  for (const std::string& script : {"sleep 1000 & echo $! > " + noted + "; wait",
                                    "sleep 1000 & echo $! > " + noted + "; exec >&-; echo; wait"}) {
    CAPTURE(script);
    const auto line = run_for_one_line(shell(script), milliseconds(1'000));
    REQUIRE(line.has_error());
    CHECK(line.error().public_message.find("did not end within 1000 ms") != std::string::npos);
    pid_t child = 0;
    std::ifstream(noted) >> child;
    REQUIRE(child > 0);
    bool is_gone = false;
    for (int i = 0; i < 500 && !is_gone; ++i) {
      std::ifstream stat("/proc/" + std::to_string(child) + "/stat");
      std::string pid, name, state;
      is_gone = !(stat >> pid >> name >> state) || state == "Z";
      if (!is_gone) run_for_one_line(Words{"sleep", "0.01"}, kEnough).has_value();
    }
    CHECK(is_gone);
  }
}

TEST_CASE("a command gets none of our files, no input and plain signals") {
  std::ifstream kept("/etc/passwd");  // a descriptor above 2
  const auto files = run_for_one_line(shell("ls /proc/self/fd | tr '\\n' ' '; read x || echo end"), kEnough);
  REQUIRE(files.has_value());
  CHECK(files->starts_with("0 1 2 "));
  CHECK(files->ends_with("end"));
  sigset_t blocked, before;
  sigemptyset(&blocked);
  sigaddset(&blocked, SIGTERM);
  pthread_sigmask(SIG_BLOCK, &blocked, &before);
  const auto ended = run_for_one_line(shell("kill -TERM $$; echo survived"), kEnough);
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
  REQUIRE(ended.has_error());
  CHECK(ended.error().public_message.find("signal 15") != std::string::npos);
}

}  // namespace
}  // namespace pgveil
