#pragma once
// Threads that do the parts of one piece of work together, for the few loops that are worth it. What they do
// must not depend on how many there are.
#include <cstddef>
#include <functional>
#include <memory>

namespace pgveil {

class Workers {
 public:
  // At most `threads` at a time, the caller's included; never more than the machine runs at once. REQUIRES:
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
