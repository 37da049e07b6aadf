#pragma once
// A program that this process runs: lines of its standard output come in, its standard input is open until it
// is to end. It has a process group of its own, and nothing of ours but these pipes: no descriptor, no
// signal's setting, no variable that is not given. Of one thread.
#include <sys/types.h>

#include <chrono>
#include <optional>
#include <string>
#include <vector>

#include "common/error.hpp"
#include "common/files/descriptor.hpp"

namespace pgveil {

class ChildProcess {
 public:
  // command: a path, and arguments. environment: NAME=value. Errors: ErrorKind::io.
  [[nodiscard]] static Result<ChildProcess> start(const std::vector<std::string>& command,
                                                  const std::vector<std::string>& environment);
  ChildProcess(ChildProcess&& other) noexcept;
  ChildProcess& operator=(ChildProcess&&) = delete;
  ~ChildProcess();  // kills the group, if it has not ended

  // The next line of its output, without its end, waiting for so long; nullopt: none came. A line longer than
  // most_bytes is cut there; what is after its last line end is none.
  [[nodiscard]] std::optional<std::string> next_line(std::chrono::milliseconds wait, std::size_t most_bytes);
  // No line will come any more: it has ended, or closed its output.
  [[nodiscard]] bool has_nothing_to_say() const { return has_ended_; }
  // The end of what it wrote to standard error.
  [[nodiscard]] const std::string& complaints() const { return complaints_; }

  // What it takes for a request to end.
  void close_input() { input_.close(); }
  // Waits for so long, then kills its group. The exit status; above 128: a signal ended it.
  int end(std::chrono::milliseconds wait);

 private:
  ChildProcess(pid_t pid, Descriptor input, Descriptor output, Descriptor errors)
      : pid_(pid), input_(std::move(input)), output_(std::move(output)), errors_(std::move(errors)) {}
  [[nodiscard]] std::optional<std::string> take_line(std::size_t most_bytes);
  void read_what_is_there(std::chrono::milliseconds wait);
  [[nodiscard]] std::optional<int> status_if_ended();

  pid_t pid_;  // 0: moved from, or ended
  Descriptor input_, output_, errors_;
  std::string pending_;
  std::string complaints_;
  bool has_ended_ = false;
  int status_ = 0;
};

// Of this process's variables those that a Java or Python program needs to find its parts, and no other: no
// password of ours.
[[nodiscard]] std::vector<std::string> plain_environment();

}  // namespace pgveil
