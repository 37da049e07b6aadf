#include "common/files/child_process.hpp"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <string_view>
#include <thread>
#include <utility>

#include "common/files/whole_file.hpp"

extern char** environ;

namespace pgveil {
namespace {

constexpr std::size_t kMostComplaints = 4096;
constexpr std::chrono::milliseconds kLook{20};

struct Pipe {
  Descriptor read, write;
};

Result<Pipe> make_pipe() {
  std::array<int, 2> ends{};
  if (::pipe2(ends.data(), O_CLOEXEC) != 0) return io_error("make", "a pipe", errno);
  return Pipe{Descriptor(ends[0]), Descriptor(ends[1])};
}

// What posix_spawn is told, and let go of.
class SpawnPlan {
 public:
  SpawnPlan() {
    ::posix_spawn_file_actions_init(&actions_);
    ::posix_spawnattr_init(&attributes_);
  }
  SpawnPlan(const SpawnPlan&) = delete;
  SpawnPlan& operator=(const SpawnPlan&) = delete;
  ~SpawnPlan() {
    ::posix_spawn_file_actions_destroy(&actions_);
    ::posix_spawnattr_destroy(&attributes_);
  }

  void take(int input, int output, int errors) {
    ::posix_spawn_file_actions_adddup2(&actions_, input, STDIN_FILENO);
    ::posix_spawn_file_actions_adddup2(&actions_, output, STDOUT_FILENO);
    ::posix_spawn_file_actions_adddup2(&actions_, errors, STDERR_FILENO);
    ::posix_spawn_file_actions_addclosefrom_np(&actions_, STDERR_FILENO + 1);
    sigset_t none, all;
    ::sigemptyset(&none);
    ::sigfillset(&all);
    ::posix_spawnattr_setsigmask(&attributes_, &none);
    ::posix_spawnattr_setsigdefault(&attributes_, &all);
    ::posix_spawnattr_setpgroup(&attributes_, 0);
    ::posix_spawnattr_setflags(&attributes_,
                               POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETPGROUP);
  }
  [[nodiscard]] const posix_spawn_file_actions_t* actions() const { return &actions_; }
  [[nodiscard]] const posix_spawnattr_t* attributes() const { return &attributes_; }

 private:
  posix_spawn_file_actions_t actions_{};
  posix_spawnattr_t attributes_{};
};

std::vector<char*> pointers_to(std::vector<std::string>& words) {
  std::vector<char*> out;
  for (auto& word : words) out.push_back(word.data());
  out.push_back(nullptr);
  return out;
}

// nullopt: nothing more will come.
std::optional<std::string> read_some(int fd) {
  std::string bytes(std::size_t{1} << 16, '\0');
  const auto got = ::read(fd, bytes.data(), bytes.size());
  if (got < 0 && (errno == EAGAIN || errno == EINTR)) return std::string();
  if (got <= 0) return std::nullopt;
  bytes.resize(static_cast<std::size_t>(got));
  return bytes;
}

}  // namespace

Result<ChildProcess> ChildProcess::start(const std::vector<std::string>& command,
                                         const std::vector<std::string>& environment) {
  auto input = make_pipe();
  auto output = make_pipe();
  auto errors = make_pipe();
  for (const auto* pipe : {&input, &output, &errors}) {
    if (!*pipe) return pipe->error();
  }
  SpawnPlan plan;
  plan.take(input->read.get(), output->write.get(), errors->write.get());
  auto words = command;
  auto variables = environment;
  pid_t pid = 0;
  const int failure = ::posix_spawn(&pid, command.front().c_str(), plan.actions(), plan.attributes(),
                                    pointers_to(words).data(), pointers_to(variables).data());
  if (failure != 0) return io_error("run", command.front(), failure);
  for (const auto* end : {&output->read, &errors->read}) ::fcntl(end->get(), F_SETFL, O_NONBLOCK);
  return ChildProcess(pid, std::move(input->write), std::move(output->read), std::move(errors->read));
}

ChildProcess::ChildProcess(ChildProcess&& other) noexcept
    : pid_(std::exchange(other.pid_, 0)),
      input_(std::move(other.input_)),
      output_(std::move(other.output_)),
      errors_(std::move(other.errors_)),
      pending_(std::move(other.pending_)),
      complaints_(std::move(other.complaints_)),
      has_ended_(other.has_ended_),
      status_(other.status_) {}

ChildProcess::~ChildProcess() {
  if (pid_ != 0) end(std::chrono::milliseconds(0));
}

std::optional<std::string> ChildProcess::take_line(std::size_t most_bytes) {
  const auto line_end = pending_.find('\n');
  if (line_end == std::string::npos && pending_.size() <= most_bytes) return std::nullopt;
  const auto size = std::min(line_end, most_bytes);
  std::string line = pending_.substr(0, size);
  pending_.erase(0, line_end == size ? size + 1 : size);
  return line;
}

void ChildProcess::read_what_is_there(std::chrono::milliseconds wait) {
  std::array<pollfd, 2> ends{pollfd{output_.is_open() ? output_.get() : -1, POLLIN, 0},
                             pollfd{errors_.is_open() ? errors_.get() : -1, POLLIN, 0}};
  // Asked before its output is looked at: what it wrote until then is read.
  const bool is_gone = status_if_ended().has_value();
  if (::poll(ends.data(), ends.size(), is_gone ? 0 : static_cast<int>(wait.count())) <= 0) {
    // Whoever it started may hold its output open for longer than it lives.
    has_ended_ = has_ended_ || is_gone;
    return;
  }
  if (ends[1].revents != 0) {
    if (const auto bytes = read_some(errors_.get()))
      complaints_ += *bytes;
    else
      errors_.close();
    if (complaints_.size() > kMostComplaints) complaints_.erase(0, complaints_.size() - kMostComplaints);
  }
  if (ends[0].revents == 0) return;
  if (const auto bytes = read_some(output_.get())) {
    pending_ += *bytes;
  } else {
    output_.close();
    has_ended_ = true;
  }
}

std::optional<std::string> ChildProcess::next_line(std::chrono::milliseconds wait, std::size_t most_bytes) {
  if (auto line = take_line(most_bytes)) return line;
  if (!has_ended_) read_what_is_there(wait);
  return take_line(most_bytes);
}

std::optional<int> ChildProcess::status_if_ended() {
  if (pid_ == 0) return status_;
  int status = 0;
  siginfo_t info{};
  // It is left to be reaped by end(): until then its group's number can't be another's.
  if (::waitid(P_PID, static_cast<id_t>(pid_), &info, WEXITED | WNOHANG | WNOWAIT) != 0 || info.si_pid == 0)
    return std::nullopt;
  status = info.si_code == CLD_EXITED ? info.si_status : 128 + info.si_status;
  return status;
}

int ChildProcess::end(std::chrono::milliseconds wait) {
  close_input();
  const auto until = std::chrono::steady_clock::now() + wait;
  // Whoever it started may tidy up after it, and holds its output open meanwhile.
  while ((output_.is_open() || !status_if_ended()) && std::chrono::steady_clock::now() < until) {
    read_what_is_there(kLook);  // so that nobody waits for a reader
    std::this_thread::sleep_for(kLook);
  }
  if (pid_ == 0) return status_;
  read_what_is_there(std::chrono::milliseconds(0));
  ::kill(-pid_, SIGKILL);  // it, and what it started and left behind
  int status = 0;
  while (::waitpid(pid_, &status, 0) < 0 && errno == EINTR) {
  }
  pid_ = 0;
  has_ended_ = true;
  status_ = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  return status_;
}

std::vector<std::string> plain_environment() {
  constexpr std::array<std::string_view, 6> kNames{"PATH",   "HOME",      "LANG",
                                                   "TMPDIR", "JAVA_HOME", "PYTHONPATH"};
  constexpr std::array<std::string_view, 5> kFamilies{"LC_", "SPARK_", "HADOOP_", "PYSPARK_",
                                                      "PGVEIL_SPARK_"};
  std::vector<std::string> out;
  for (char** variable = environ; *variable != nullptr; ++variable) {
    const std::string_view text(*variable);
    const auto variable_name = text.substr(0, text.find('='));
    const bool is_known =
        std::ranges::find(kNames, variable_name) != kNames.end() ||
        std::ranges::any_of(kFamilies, [&](auto it) { return variable_name.starts_with(it); });
    if (is_known) out.emplace_back(text);
  }
  return out;
}

}  // namespace pgveil
