#include "common/workers.hpp"

#include <oneapi/tbb/info.h>
#include <oneapi/tbb/parallel_for.h>
#include <oneapi/tbb/task_arena.h>

#include <algorithm>

#include "common/assert.hpp"

namespace pgveil {

struct Workers::Arena {
  explicit Arena(std::size_t threads)
      : arena(static_cast<int>(
            std::min(threads, static_cast<std::size_t>(oneapi::tbb::info::default_concurrency())))) {}
  oneapi::tbb::task_arena arena;
};

Workers::Workers(std::size_t threads) {
  PGVEIL_ASSERT(threads >= 1);
  arena_ = std::make_unique<Arena>(threads);
}

Workers::~Workers() = default;

void Workers::run(std::size_t parts, const std::function<void(std::size_t)>& work) {
  arena_->arena.execute(
      [&] { oneapi::tbb::parallel_for(std::size_t{0}, parts, work, oneapi::tbb::simple_partitioner()); });
}

}  // namespace pgveil
