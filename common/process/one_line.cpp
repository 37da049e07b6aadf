#include "common/process/one_line.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <optional>
#include <thread>
#include <vector>

#include "common/assert.hpp"
#include "common/files/descriptor.hpp"
#include "common/sqlstate.hpp"

namespace pgveil {
namespace {

using SteadyClock = std::chrono::steady_clock;

Error no_line(std::string what) {
  return {ErrorKind::server, std::string(sqlstate::kConnectionFailure), std::move(what),
          "run it by hand as the user of pgveil: it has to print the password as one line, and nothing else"};
}

// Its group is killed when this ends before the command did.
class Child {
 public:
  explicit Child(pid_t pid) : pid_(pid) {}
  Child(const Child&) = delete;
  Child& operator=(const Child&) = delete;
  ~Child() {
    if (status_) return;
    ::kill(-pid_, SIGKILL);
    ::kill(pid_, SIGKILL);
    int ignored = 0;
    while (::waitpid(pid_, &ignored, 0) < 0 && errno == EINTR) {
    }
  }
  // nullopt: it still runs.
  std::optional<int> look() {
    int status = 0;
    if (!status_ && ::waitpid(pid_, &status, WNOHANG) == pid_) status_ = status;
    return status_;
  }

 private:
  const pid_t pid_;
  std::optional<int> status_;
};

struct SpawnSettings {
  SpawnSettings() {
    posix_spawn_file_actions_init(&actions);
    posix_spawnattr_init(&attributes);
  }
  SpawnSettings(const SpawnSettings&) = delete;
  SpawnSettings& operator=(const SpawnSettings&) = delete;
  ~SpawnSettings() {
    posix_spawn_file_actions_destroy(&actions);
    posix_spawnattr_destroy(&attributes);
  }
  posix_spawn_file_actions_t actions{};
  posix_spawnattr_t attributes{};
};

// pgveil blocks and ignores signals that a command may need.
void use_plain_signals(posix_spawnattr_t& attributes) {
  sigset_t none, all;
  sigemptyset(&none);
  sigfillset(&all);
  posix_spawnattr_setsigmask(&attributes, &none);
  posix_spawnattr_setsigdefault(&attributes, &all);
  posix_spawnattr_setpgroup(&attributes, 0);
  posix_spawnattr_setflags(&attributes,
                           POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETPGROUP);
}

Result<pid_t> start(std::span<const std::string> words, int output) {
  SpawnSettings settings;
  use_plain_signals(settings.attributes);
  posix_spawn_file_actions_addopen(&settings.actions, 0, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_adddup2(&settings.actions, output, 1);
  posix_spawn_file_actions_addopen(&settings.actions, 2, "/dev/null", O_WRONLY, 0);
  posix_spawn_file_actions_addclosefrom_np(&settings.actions, 3);
  std::vector<char*> arguments;
  for (const auto& word : words) arguments.push_back(const_cast<char*>(word.c_str()));  // spawn's signature
  arguments.push_back(nullptr);
  pid_t pid = 0;
  const int failure = ::posix_spawnp(&pid, arguments.front(), &settings.actions, &settings.attributes,
                                     arguments.data(), ::environ);
  if (failure == 0) return pid;
  return no_line(fmt::format("could not be started: {}", std::strerror(failure)));
}

// False: the time is up.
bool wait_for_output(int fd, SteadyClock::time_point end) {
  for (;;) {
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(end - SteadyClock::now()).count();
    if (left <= 0) return false;
    pollfd watched{fd, POLLIN, 0};
    const int ready = ::poll(&watched, 1, static_cast<int>(std::min<std::int64_t>(left, 60'000)));
    if (ready > 0) return true;
    if (ready < 0 && errno != EINTR) return true;  // read() then tells what is wrong
  }
}

Error too_slow(std::chrono::milliseconds time) {
  return no_line(fmt::format("did not end within {} ms, and was killed", time.count()));
}

Result<std::string> read_output(int fd, SteadyClock::time_point end, std::chrono::milliseconds time) {
  std::string output;
  std::array<char, 4096> buffer;
  while (wait_for_output(fd, end)) {
    const auto count = ::read(fd, buffer.data(), buffer.size());
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return no_line(fmt::format("could not be read: {}", std::strerror(errno)));
    if (count == 0) return output;
    output.append(buffer.data(), static_cast<std::size_t>(count));
    if (output.size() > kMostLineBytes + 2)
      return no_line(fmt::format("printed more than {} bytes", kMostLineBytes));
  }
  return too_slow(time);
}

Result<void> wait_for_success(Child& child, SteadyClock::time_point end, std::chrono::milliseconds time) {
  constexpr std::chrono::milliseconds kBetweenWaits{5};
  auto status = child.look();
  for (; !status; status = child.look()) {
    if (SteadyClock::now() >= end) return too_slow(time);
    std::this_thread::sleep_for(kBetweenWaits);
  }
  if (WIFSIGNALED(*status)) return no_line(fmt::format("was ended by signal {}", WTERMSIG(*status)));
  if (WEXITSTATUS(*status) != 0) return no_line(fmt::format("ended with status {}", WEXITSTATUS(*status)));
  return {};
}

Result<std::string> only_line(std::string output) {
  if (output.ends_with('\n')) output.pop_back();
  if (output.ends_with('\r')) output.pop_back();
  if (output.empty()) return no_line("printed nothing");
  if (output.find('\n') != std::string::npos) return no_line("printed more than one line");
  const bool has_control =
      std::ranges::any_of(output, [](char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7f; });
  if (has_control) return no_line("printed a control character");
  return output;
}

}  // namespace

Result<std::string> run_for_one_line(std::span<const std::string> words, std::chrono::milliseconds time) {
  PGVEIL_ASSERT(!words.empty());
  const auto end = SteadyClock::now() + time;
  std::array<int, 2> ends{};
  if (::pipe2(ends.data(), O_CLOEXEC) != 0)
    return no_line(fmt::format("could not be started: {}", std::strerror(errno)));
  const Descriptor output(ends[0]);
  Descriptor input(ends[1]);
  const auto pid = start(words, input.get());
  if (!pid) return pid.error();
  Child child(*pid);
  input.close();
  auto printed = read_output(output.get(), end, time);
  if (!printed) return printed.error();
  if (auto done = wait_for_success(child, end, time); !done) return done.error();
  return only_line(std::move(*printed));
}

}  // namespace pgveil
