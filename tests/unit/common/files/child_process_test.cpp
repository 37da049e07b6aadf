// Programs that are run: their lines, their end, and what they get of ours.
#include "common/files/child_process.hpp"

#include <doctest/doctest.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>

namespace pgveil::app {
namespace {

using std::chrono::milliseconds;

constexpr milliseconds kPatience{20'000};
constexpr std::size_t kMost = 100;

ChildProcess shell(const std::string& script,
                   const std::vector<std::string>& environment = {"PATH=/usr/bin:/bin"}) {
  auto process = ChildProcess::start({"/bin/sh", "-c", script}, environment);
  REQUIRE(process.has_value());
  return std::move(*process);
}

// The first line.
std::string line_of(ChildProcess& process) {
  const auto until = std::chrono::steady_clock::now() + kPatience;
  while (std::chrono::steady_clock::now() < until) {
    if (auto line = process.next_line(milliseconds(50), kMost)) return *line;
  }
  FAIL("no line came");
  return {};
}

bool is_gone_soon(pid_t pid) {
  const auto until = std::chrono::steady_clock::now() + kPatience;
  while (::kill(pid, 0) == 0 && std::chrono::steady_clock::now() < until) ::usleep(1'000);
  return ::kill(pid, 0) != 0;
}

std::vector<std::string> lines_of(ChildProcess& process) {
  std::vector<std::string> lines;
  for (;;) {
    auto line = process.next_line(milliseconds(50), kMost);
    if (line)
      lines.push_back(std::move(*line));
    else if (process.has_nothing_to_say())
      return lines;
  }
}

TEST_CASE("lines come one by one, and the exit status at the end") {
  auto process = shell("echo one; echo; printf 'two\\nthree'; echo a complaint >&2; exit 3");
  CHECK(lines_of(process) == std::vector<std::string>{"one", "", "two"});
  CHECK(process.end(kPatience) == 3);
  CHECK(process.complaints() == "a complaint\n");
}

TEST_CASE("a line without an end is cut") {
  auto process = shell("head -c 250 /dev/zero | tr '\\0' x; echo");
  const auto lines = lines_of(process);
  REQUIRE(lines.size() == 3);
  CHECK(lines[0] == std::string(kMost, 'x'));
  CHECK(lines[2].size() == 50);
}

TEST_CASE("closing its input is how it is asked to end") {
  auto process = shell("cat; echo bye; exit 4");
  process.close_input();
  CHECK(lines_of(process) == std::vector<std::string>{"bye"});
  CHECK(process.end(kPatience) == 4);
}

TEST_CASE("who does not end is killed, with all that it started") {
  auto process = shell("trap '' TERM INT; sleep 1000 & echo $!; wait; sleep 1000");
  const auto child = static_cast<pid_t>(std::atoi(line_of(process).c_str()));
  REQUIRE(child > 0);
  ::prctl(PR_SET_CHILD_SUBREAPER, 1);  // what it leaves behind is ours to reap
  CHECK(process.end(milliseconds(50)) == 128 + SIGKILL);
  ::waitpid(child, nullptr, 0);
  ::prctl(PR_SET_CHILD_SUBREAPER, 0);
  CHECK(is_gone_soon(child));
}

TEST_CASE("it is gone with its value") {
  pid_t child = 0;
  {
    auto process = shell("echo $$; sleep 1000");
    child = static_cast<pid_t>(std::atoi(line_of(process).c_str()));
  }
  REQUIRE(child > 0);
  CHECK(is_gone_soon(child));
}

TEST_CASE("it gets no descriptor, no variable and no signal's setting of ours") {
  ::setenv("PGVEIL_TEST_SECRET", "secret", 1);
  struct sigaction before {
  }, ignored{};
  ignored.sa_handler = SIG_IGN;
  ::sigaction(SIGPIPE, &ignored, &before);
  const int leaked = ::dup(STDIN_FILENO);  // without close-on-exec
  auto process = shell("env; ls /proc/self/fd | wc -l; grep SigIgn /proc/self/status",
                       {"PATH=/usr/bin:/bin", "NAME=value"});
  ::close(leaked);
  ::sigaction(SIGPIPE, &before, nullptr);
  bool has_name = false, has_few = false, takes_pipe = false;
  for (const auto& line : lines_of(process)) {
    CHECK(line.find("secret") == std::string::npos);
    has_name = has_name || line == "NAME=value";
    has_few = has_few || line == "4";  // three, and the folder that ls reads
    if (line.starts_with("SigIgn:\t"))
      takes_pipe = (std::stoull(line.substr(8), nullptr, 16) & 1ULL << (SIGPIPE - 1)) == 0;
  }
  CHECK(has_name);
  CHECK(has_few);
  CHECK(takes_pipe);
  for (const auto& variable : plain_environment()) CHECK(variable.find("SECRET") == std::string::npos);
  ::unsetenv("PGVEIL_TEST_SECRET");
}

TEST_CASE("a program that is not there is an error") {
  const auto process = ChildProcess::start({"/nonexistent/program"}, {});
  REQUIRE_FALSE(process.has_value());
  CHECK(process.error().kind == ErrorKind::io);
}

}  // namespace
}  // namespace pgveil::app
