#pragma once
// How independent parts of one piece of work are done: in turn, or by Workers (common/workers.hpp). What has no
// threads of its own takes this as a value.
#include <cstddef>
#include <functional>

namespace pgveil {

// Calls work(0) … work(parts − 1), each once, in any order, and returns when all have returned. work must not
// throw.
using InParts = std::function<void(std::size_t parts, const std::function<void(std::size_t)>& work)>;

inline void in_turn(std::size_t parts, const std::function<void(std::size_t)>& work) {
  for (std::size_t part = 0; part < parts; ++part) work(part);
}

}  // namespace pgveil
