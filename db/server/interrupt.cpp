#include "db/server/interrupt.hpp"

#include <utility>

#include "db/server/connection.hpp"

namespace pgveil::db {

Interrupt::Interrupt(std::shared_ptr<Interrupt> whole) : whole_(std::move(whole)) {
  if (!whole_) return;
  const std::lock_guard guard(whole_->mutex_);
  is_ended_ = whole_->is_ended_;
  whole_->parts_.insert(this);
}

Interrupt::~Interrupt() {
  if (!whole_) return;
  const std::lock_guard guard(whole_->mutex_);
  whole_->parts_.erase(this);
}

void Interrupt::end_all() {
  const std::lock_guard guard(mutex_);
  is_ended_ = true;
  for (Connection* connection : connections_) connection->cancel();
  for (Interrupt* part : parts_) part->end_all();
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
