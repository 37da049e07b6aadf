#pragma once
// Ends pgveil's own queries when the process is to end, because a count over a large table may run for
// minutes. Thread-safe.
#include <memory>
#include <mutex>
#include <set>

namespace pgveil::db {

class Connection;

class Interrupt {
 public:
  Interrupt() = default;
  // Ends with `whole`, and can be ended alone. whole: may be null.
  explicit Interrupt(std::shared_ptr<Interrupt> whole);
  Interrupt(const Interrupt&) = delete;
  Interrupt& operator=(const Interrupt&) = delete;
  ~Interrupt();

  // Cancels the queries that run on connections with this interrupt. They fail, and so do all later ones.
  void end_all();
  [[nodiscard]] bool is_ended() const;

 private:
  friend class Connection;
  void add(Connection& connection);
  void remove(Connection& connection);

  mutable std::mutex mutex_;
  std::set<Connection*> connections_;
  std::set<Interrupt*> parts_;
  bool is_ended_ = false;
  const std::shared_ptr<Interrupt> whole_ = nullptr;
};

}  // namespace pgveil::db
