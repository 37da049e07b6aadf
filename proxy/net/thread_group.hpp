#pragma once
// Threads with a stack of a chosen size, which std::thread cannot give: clients' SQL is parsed on them, and
// deep SQL needs deep stacks. One thread owns and joins them.
#include <pthread.h>

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

#include "common/error.hpp"

namespace pgveil::net {

class ThreadGroup {
 public:
  ThreadGroup() = default;
  ThreadGroup(const ThreadGroup&) = delete;
  ThreadGroup& operator=(const ThreadGroup&) = delete;
  ~ThreadGroup() { join(); }

  // name: at most 15 characters, for ps and debuggers. body must not throw.
  // Errors: ErrorKind::limit if the system gives no thread with such a stack.
  [[nodiscard]] Result<void> add(const std::string& name, std::size_t stack_bytes,
                                 std::function<void()> body);

  void join();

 private:
  std::vector<pthread_t> threads_;
};

}  // namespace pgveil::net
