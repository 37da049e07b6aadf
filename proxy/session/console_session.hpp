#pragma once
// The virtual database "pgveil" over the wire: simple and extended protocol, one command per statement, all
// columns are text. RunConsole does the work of the commands. While one runs, no further message of the
// client is handled.
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "console/console.hpp"
#include "proxy/session/session_state.hpp"
#include "proxy/wire/framer.hpp"

namespace pgveil::session {

class ConsoleSession {
 public:
  explicit ConsoleSession(SessionState& state) : state_(state) {}

  void start();
  // REQUIRES: !is_waiting().
  void on_message(const wire::FrameView& frame);
  // REQUIRES: is_waiting().
  void on_answer(const console::Answer& answer);
  [[nodiscard]] bool is_waiting() const { return waiting_.has_value(); }
  [[nodiscard]] std::size_t statement_count() const { return statements_.size() + portals_.size(); }

 private:
  struct Portal {
    std::string text;
    std::vector<std::string> columns;
    std::vector<std::int16_t> formats;    // as Bind gave them: none, one, or one per column
    std::optional<console::Table> table;  // set once it has run
    std::size_t next_row = 0;
  };
  // What a running command was started for.
  struct Waiting {
    bool is_simple = true;
    std::string portal;
    std::int32_t row_limit = 0;
    std::optional<wire::TransactionStatus> status_after;
    std::vector<std::string> columns;  // that the client was told, or will be told
    bool is_audited = true;            // false: it does nothing
    std::uint64_t request = 0;
  };

  void on(const wire::Query& message);
  void on(const wire::Parse& message);
  void on(const wire::Bind& message);
  void on(const wire::Describe& message);
  void on(const wire::Execute& message);
  void on(const wire::Close& message);
  void on(const wire::Sync& message);
  void on(const wire::FunctionCall& message);
  void on(const wire::Flush&) {}
  void on(const wire::Terminate& message);
  void on(const wire::CopyData&) { end_unexpected(); }
  void on(const wire::CopyDone&) { end_unexpected(); }
  void on(const wire::CopyFail&) { end_unexpected(); }

  // 54000 if one more statement with this text would exceed a limit.
  [[nodiscard]] Result<void> check_room(const std::string& text) const;
  void end_unexpected();
  void fail(const Error& error);  // in the extended protocol: skips to Sync
  void ready();
  void run(const std::string& text, Waiting waiting);
  void describe(const std::vector<std::string>& columns, const std::vector<std::int16_t>& formats);
  void send_rows(Portal& portal, std::int32_t row_limit);
  void send_notices(const console::Table& table);

  SessionState& state_;
  std::map<std::string, std::string> statements_;
  std::map<std::string, Portal> portals_;
  std::optional<Waiting> waiting_;
  wire::TransactionStatus status_ = wire::TransactionStatus::idle;
  bool is_skipping_ = false;
};

}  // namespace pgveil::session
