#include "db/server/deadline.hpp"

#include <sys/socket.h>

namespace pgveil::db {

Deadline::Deadline(int socket, std::chrono::milliseconds time)
    : watch_([this, socket, time] {
        std::unique_lock lock(mutex_);
        if (changed_.wait_for(lock, time, [this] { return is_over_; })) return;
        has_passed_ = true;
        ::shutdown(socket, SHUT_RDWR);
      }) {}

Deadline::~Deadline() {
  {
    const std::lock_guard lock(mutex_);
    is_over_ = true;
  }
  changed_.notify_one();
  watch_.join();
}

bool Deadline::has_passed() const {
  const std::lock_guard lock(mutex_);
  return has_passed_;
}

}  // namespace pgveil::db
