#pragma once
// Threads that share the parts of one piece of work, for the few loops that are worth it. The result must not
// depend on the number of threads.
#include <cstddef>
#include <functional>
#include <memory>

namespace pgveil {

class Workers {
 public:
  // Runs at most `threads` at a time, including the caller's, and never more than the machine has. REQUIRES:
  // threads >= 1.
  explicit Workers(std::size_t threads);
  ~Workers();
  Workers(const Workers&) = delete;
  Workers& operator=(const Workers&) = delete;

  // Calls work(0) … work(parts − 1), each once, in any order; returns when all have returned. If some throw,
  // one of these exceptions is thrown, and not all parts may have been done. REQUIRES: one caller at a time.
  void run(std::size_t parts, const std::function<void(std::size_t)>& work);

 private:
  struct Arena;
  std::unique_ptr<Arena> arena_;
};

}  // namespace pgveil
