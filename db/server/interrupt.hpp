#pragma once
// Ends pgveil's own queries when the process is to end, because a count over a large table may run for
// minutes. Thread-safe.
#include <mutex>
#include <set>

namespace pgveil::db {

class Connection;

class Interrupt {
 public:
  // Cancels the queries that run on connections with this interrupt. They fail, and so do all later ones.
  void end_all();
  [[nodiscard]] bool is_ended() const;

 private:
  friend class Connection;
  void add(Connection& connection);
  void remove(Connection& connection);

  mutable std::mutex mutex_;
  std::set<Connection*> connections_;
  bool is_ended_ = false;
};

}  // namespace pgveil::db
