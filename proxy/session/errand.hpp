#pragma once
// A text of our own that runs on a connection between two clients' statements: what a client has set is put in force,
// or read. Nothing of its answer reaches a client. Settings that the server reports on the way are noted in
// link.server.
#include <optional>
#include <string>
#include <vector>

#include "proxy/session/link.hpp"
#include "proxy/wire/framer.hpp"

namespace pgveil::session {

class Errand {
 public:
  explicit Errand(Link& link) : link_(link) {}

  void start(std::string sql);

  // failed: an error, a message out of turn, or a transaction that is open at the end: the connection is of no use.
  enum class Outcome { under_way, done, failed };
  [[nodiscard]] Outcome on_frame(const wire::FrameView& frame);

  // Name and value: the rows of its answers. REQUIRES: done.
  [[nodiscard]] Settings take_rows() { return std::move(rows_); }

 private:
  [[nodiscard]] Outcome on_row(const wire::FrameView& frame);
  [[nodiscard]] Outcome on_parameter(const wire::FrameView& frame);

  Link& link_;
  Settings rows_;
};

// Puts these settings in force, and no others of earlier sessions.
[[nodiscard]] std::string text_to_apply(const Settings& settings);
// Reads what is in force beside the settings of the connection's start-up packet.
[[nodiscard]] std::string text_to_read_settings();

}  // namespace pgveil::session
