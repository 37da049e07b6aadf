#include "db/server/kept_connections.hpp"

#include <libpq-fe.h>

#include <utility>

namespace pgveil::db {

std::optional<KeptConnections::Kept> KeptConnections::take(const std::string& user,
                                                           const std::string& login) {
  const std::lock_guard guard(mutex_);
  auto idle = idle_.extract(user);
  if (idle.empty() || idle.mapped().login != login) return std::nullopt;
  return std::move(idle.mapped());
}

void KeptConnections::keep(const std::string& user, Kept kept) {
  const std::lock_guard guard(mutex_);
  idle_.insert_or_assign(user, std::move(kept));
}

}  // namespace pgveil::db
