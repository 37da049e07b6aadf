#pragma once
// The rows that a role would be given for a statement: asked through a session of our own server (net::ask_vouched), so that judging, masks,
// verification and limits are those of every client. Never for roles that are shown more than masks.
#include <atomic>
#include <string>

#include "cli/present.hpp"
#include "common/error.hpp"
#include "proxy/admin/console.hpp"
#include "proxy/net/server.hpp"

namespace pgveil::cli {

struct RowsQuestion {
  std::string role, database, sql;
};

// Thread-safe; a few questions at a time.
class WebRows {
 public:
  static constexpr std::int32_t kMostRows = 100;
  static constexpr int kAtOnce = 2;

  // server outlives this.
  explicit WebRows(net::Server& server) : server_(server) {}

  // The first kMostRows rows; a notice says when there are more. Errors: those of ask_vouched; the role is exempt from a policy or a
  // bypass role (42501); ErrorKind::limit while kAtOnce others are being answered.
  [[nodiscard]] Result<admin::Table> ask(const Present& present, const RowsQuestion& question);

 private:
  net::Server& server_;
  std::atomic<int> running_{0};
};

// For the audit log: who is asked for where. The statement is on record with its session.
[[nodiscard]] std::string audited_words(const RowsQuestion& question);

}  // namespace pgveil::cli
