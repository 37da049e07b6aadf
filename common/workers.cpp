#include "common/workers.hpp"

#include <oneapi/tbb/info.h>
#include <oneapi/tbb/parallel_for.h>
#include <oneapi/tbb/task_arena.h>

#include <algorithm>

#include "common/assert.hpp"

#if defined(PGVEIL_SANITIZE_THREAD)
extern "C" void __tsan_acquire(void*);
extern "C" void __tsan_release(void*);
#endif

namespace pgveil {
namespace {

// TSan does not see how TBB, which Debian builds without TSan, orders the caller's work and that of the
// parts. So this file is compiled without TSan and declares the order: what is done before release is visible
// after the matching acquire.
void release([[maybe_unused]] void* order) {
#if defined(PGVEIL_SANITIZE_THREAD)
  __tsan_release(order);
#endif
}
void acquire([[maybe_unused]] void* order) {
#if defined(PGVEIL_SANITIZE_THREAD)
  __tsan_acquire(order);
#endif
}

}  // namespace

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
  char order = 0;
  release(&order);
  const auto do_part = [&](std::size_t part) {
    acquire(&order);
    work(part);
    release(&order);
  };
  arena_->arena.execute(
      [&] { oneapi::tbb::parallel_for(std::size_t{0}, parts, do_part, oneapi::tbb::simple_partitioner()); });
  acquire(&order);
}

}  // namespace pgveil
