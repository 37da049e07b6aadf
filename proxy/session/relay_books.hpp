#pragma once
// Follows a session whose messages are passed on unchanged, and tells which requests have no answer yet. The
// audit log and cancel requests need this. It only watches: whatever it concludes, both streams are passed on
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
  // Records a message of the client that is sent on. request: its number. Query, Execute and FunctionCall are
  // owed an answer.
  void on_sent(const wire::FrameView& frame, std::uint64_t request);

  struct Answer {
    std::uint64_t request = 0;
    std::uint64_t rows = 0;
    std::string sqlstate;  // empty: no error
    bool operator==(const Answer&) const = default;
  };
  // Records a message of the server. Returns the answers that are complete with it, in order.
  [[nodiscard]] std::vector<Answer> on_received(const wire::FrameView& frame);

  // Whether the server owes an answer.
  [[nodiscard]] bool is_busy() const { return !owed_.empty(); }
  // The status in the last ReadyForQuery.
  [[nodiscard]] wire::TransactionStatus status() const { return status_; }

 private:
  // query: Query and FunctionCall; copy_end: CopyDone and CopyFail, which get no answer of their own.
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
  bool is_copying_in_ = false;  // the server reads COPY data: it drops Sync until the data ends
  bool is_skipping_ = false;    // the server drops everything up to Sync
  wire::TransactionStatus status_ = wire::TransactionStatus::idle;
};

// The row count in a command tag: "SELECT 12" → 12. For a tag without a number it is 0.
[[nodiscard]] std::uint64_t counted_rows(std::string_view tag);

}  // namespace pgveil::session
