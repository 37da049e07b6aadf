#pragma once
// Whether the client asked for transactions that are read only, as SHOW transaction_read_only tells it. The
// server runs every transaction read only. A client that did not ask for that is told "off", as PostgreSQL
// tells a role that may not write anything. A plain value with PostgreSQL's transactional rules, which runs
// ahead of the server like the search path.
#include <string>
#include <vector>

#include "rewriter/catalog/search_path.hpp"

namespace pgveil::session {

class TransactionMode {
 public:
  TransactionMode() = default;
  explicit TransactionMode(bool at_start)
      : at_start_(at_start), before_(at_start), began_(at_start), modes_{at_start, at_start} {}

  [[nodiscard]] bool reads_only() const { return modes_.now; }
  [[nodiscard]] bool reads_only_by_default() const { return modes_.by_default; }

  void apply(const rewriter::PathEffect& effect);
  // A statement failed: the transaction can only be rolled back now, as a whole or to a savepoint.
  void fail() { has_failed_ = true; }
  // The server is idle again.
  void end_transaction() { end(has_failed_ ? before_ : modes_.by_default, false); }

 private:
  struct Modes {
    bool by_default = false;
    bool now = false;
  };
  struct Savepoint {
    std::string name;
    Modes modes;
  };

  void end(bool by_default, bool is_chained);
  // How many savepoints there are up to the innermost with this name; 0: there is none.
  [[nodiscard]] std::size_t count_to(const std::string& name) const;

  bool at_start_ = false;  // as the start-up packet asked
  bool before_ = false;    // the default that a rollback returns to
  bool began_ = false;     // the mode in which the transaction began
  Modes modes_;
  std::vector<Savepoint> savepoints_;  // outermost first
  bool has_failed_ = false;
};

}  // namespace pgveil::session
