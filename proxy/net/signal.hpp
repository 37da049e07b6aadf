#pragma once
// Lets a coroutine wait until something else on the same context notifies it of a change. It has no memory:
// check the condition, wait, check again.
#include "proxy/net/asio_types.hpp"

namespace pgveil::net {

class Signal {
 public:
  explicit Signal(const Executor& executor) : timer_(executor) {}

  [[nodiscard]] Task<void> wait() {
    timer_.expires_at(Timer::time_point::max());
    static_cast<void>(co_await timer_.async_wait(kAwaited));
  }

  void notify() { timer_.cancel(); }

 private:
  Timer timer_;
};

}  // namespace pgveil::net
