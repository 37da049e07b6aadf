#pragma once
// Lets a coroutine wait until somebody on the same context says that things have changed. No memory: check
// the condition, wait, check again.
#include "proxy/net/asio_types.hpp"

namespace pgveil::net {

class Signal {
 public:
  explicit Signal(const Executor& executor) : timer_(executor) {}

  [[nodiscard]] Task<void> wait() {
    timer_.expires_at(Timer::time_point::max());
    static_cast<void>(co_await timer_.async_wait(kAsTuple));
  }

  void notify() { timer_.cancel(); }

 private:
  Timer timer_;
};

}  // namespace pgveil::net
