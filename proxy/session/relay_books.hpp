#pragma once
// Follows a session whose messages are passed on unchanged: which requests have no answer yet. The audit log
// and cancel requests need this. It only watches; whatever it makes of the two streams, both are passed on
// unchanged. Pure.
#include <cstdint>
#include <deque>
#include <string>
#include <vector>

#include "proxy/wire/backend.hpp"
#include "proxy/wire/framer.hpp"

namespace pgveil::session {

class RelayBooks {
 public:
  // A message of the client's that is sent on. request: its number. Query, Execute and FunctionCall are owed
  // an answer.
  void on_sent(const wire::FrameView& frame, std::uint64_t request);

  struct Answer {
    std::uint64_t request = 0;
    std::uint64_t rows = 0;
    std::string sqlstate;  // empty: no error
    bool operator==(const Answer&) const = default;
  };
  // A message of the server's; the answers that are whole with it, in order.
  [[nodiscard]] std::vector<Answer> on_received(const wire::FrameView& frame);

  // The server owes something.
  [[nodiscard]] bool is_busy() const { return !owed_.empty(); }
  // As the last ReadyForQuery said.
  [[nodiscard]] wire::TransactionStatus status() const { return status_; }

 private:
  // query: Query and FunctionCall; copy_end: CopyDone and CopyFail, which owe nothing themselves.
  enum class Kind { query, execute, sync, copy_end };
  struct Owed {
    Kind kind;
    Answer answer;
  };
  void on_copy_in();
  void on_error(std::string sqlstate, std::vector<Answer>& answers);
  void on_ready(wire::TransactionStatus status, std::vector<Answer>& answers);
  void drop_copy_ends();

  std::deque<Owed> owed_;
  bool is_copying_in_ = false;  // the server reads COPY data: it drops Sync until their end
  bool is_skipping_ = false;    // it drops everything up to Sync
  wire::TransactionStatus status_ = wire::TransactionStatus::idle;
};

// "SELECT 12": 12. Tags without a number count none.
[[nodiscard]] std::uint64_t counted_rows(std::string_view tag);

}  // namespace pgveil::session
