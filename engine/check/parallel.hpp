#pragma once
// Threads, as a function that the caller gives: the engine starts none itself.
#include <algorithm>
#include <cstddef>
#include <functional>

namespace pgveil::engine {

struct Parallel {
  std::size_t threads = 1;
  // Calls work(0) … work(parts − 1), each once and, where it can, at the same time; returns when all have
  // returned. Not called when threads is 1.
  std::function<void(std::size_t parts, const std::function<void(std::size_t)>& work)> run;
  // The least number of rows per thread; for fewer, waking a thread does not pay off.
  std::size_t least_rows = 1 << 14;

  [[nodiscard]] std::size_t parts_of(std::size_t rows) const {
    return std::max<std::size_t>(1, std::min(threads, rows / least_rows));
  }
};

}  // namespace pgveil::engine
