#pragma once
// Runs a statement of pgveil's own on a connection, between statements of two clients. It puts the settings
// of a client in force, or reads them. Nothing of its answer reaches a client. Settings that the server
// reports meanwhile are noted in state.server.
#include <optional>
#include <string>
#include <vector>

#include "proxy/session/session_state.hpp"
#include "proxy/wire/framer.hpp"

namespace pgveil::session {

class OwnStatement {
 public:
  explicit OwnStatement(SessionState& state) : state_(state) {}

  void start(std::string sql);

  // failed: there was an error, a message out of turn, or an open transaction at the end. The connection must
  // be closed.
  enum class Outcome { under_way, done, failed };
  [[nodiscard]] Outcome on_frame(const wire::FrameView& frame);

  // The rows of its answer, as name and value. REQUIRES: done.
  [[nodiscard]] Settings take_rows() { return std::move(rows_); }

 private:
  [[nodiscard]] Outcome on_row(const wire::FrameView& frame);
  [[nodiscard]] Outcome on_parameter(const wire::FrameView& frame);

  SessionState& state_;
  Settings rows_;
};

// Puts these settings in force. No settings of earlier sessions remain.
[[nodiscard]] std::string text_to_apply(const Settings& settings);
// Reads the settings in force that differ from those of the connection's start-up packet.
[[nodiscard]] std::string text_to_read_settings();

}  // namespace pgveil::session
