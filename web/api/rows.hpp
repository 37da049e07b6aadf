#pragma once
// The rows that a role would get for a statement. They are asked for through a session of our own server
// (net::ask_vouched), so the statement is judged, masked, verified and limited as every client's. Never for
// roles that get more than masked data.
#include <atomic>
#include <string>

#include "common/error.hpp"
#include "console/console.hpp"
#include "daemon/state/present.hpp"
#include "proxy/net/server.hpp"

namespace pgveil::app {

struct RowsQuestion {
  std::string role, database, sql;
};

// Thread-safe. Answers kAtOnce questions at the same time.
class WebRows {
 public:
  static constexpr std::int32_t kMostRows = 100;
  static constexpr int kAtOnce = 2;

  // server must outlive this object.
  explicit WebRows(net::Server& server) : server_(server) {}

  // The first kMostRows rows; a notice says when there are more. Errors: those of ask_vouched; the role is
  // exempt from a policy or a bypass role (42501); ErrorKind::limit while kAtOnce others are being answered.
  [[nodiscard]] Result<console::Table> ask(const Present& present, const RowsQuestion& question);

 private:
  net::Server& server_;
  std::atomic<int> running_{0};
};

// For the audit log: the role that is asked for, and the database. The statement itself is recorded with its
// session.
[[nodiscard]] std::string audited_words(const RowsQuestion& question);

}  // namespace pgveil::app
