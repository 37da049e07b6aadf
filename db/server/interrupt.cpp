#include "db/server/interrupt.hpp"

#include "db/server/connection.hpp"

namespace pgveil::db {

void Interrupt::end_all() {
  const std::lock_guard guard(mutex_);
  is_ended_ = true;
  for (Connection* connection : connections_) connection->cancel();
}

bool Interrupt::is_ended() const {
  const std::lock_guard guard(mutex_);
  return is_ended_;
}

void Interrupt::add(Connection& connection) {
  const std::lock_guard guard(mutex_);
  connections_.insert(&connection);
}

void Interrupt::remove(Connection& connection) {
  const std::lock_guard guard(mutex_);
  connections_.erase(&connection);
}

}  // namespace pgveil::db
