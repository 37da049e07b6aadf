#pragma once
// Serves a client of a bypass role. Everything that the client sends goes to the server unchanged, and
// everything that the server answers comes back unchanged, except for the cancel key, which is pgveil's own.
// Nothing is judged, filtered or pinned, so no other role may ever get here. The role of a session is the one
// that was proved by SCRAM or a certificate. The backend connection is one of the bypass role's own
// (Gate::bypass_login), and it ends with the session. Each statement is recorded.
#include <map>
#include <string>

#include "proxy/session/relay_books.hpp"
#include "proxy/session/session_state.hpp"
#include "proxy/wire/framer.hpp"

namespace pgveil::session {

class Relay {
 public:
  explicit Relay(SessionState& state) : state_(state) {}

  // Handles a message from the client, other than Terminate.
  void on_client(const wire::FrameView& frame);
  void on_backend(const wire::FrameView& frame);
  // Records what the server said of a setting, at the login or later. The caller sends it on.
  void note_parameter(const wire::ParameterStatus& status);

  [[nodiscard]] bool is_busy() const { return books_.is_busy(); }
  [[nodiscard]] wire::TransactionStatus status() const { return books_.status(); }
  // The server has said why it ends the connection, and the client was told.
  [[nodiscard]] bool has_heard_the_end() const { return has_heard_the_end_; }

 private:
  using Texts = std::map<std::string, AuditedText, std::less<>>;
  void audit(AuditedText text);
  void audit_message(const wire::FrameView& frame);
  [[nodiscard]] AuditedText text_of(std::string_view sql) const;
  void remember(Texts& texts, const std::string& name, AuditedText text);

  SessionState& state_;
  RelayBooks books_;
  // The texts that the last Parse and Bind gave each name. A name whose Parse failed may have a text here
  // that never ran; that Parse has its own audit record.
  Texts statements_, portals_;
  bool reads_as_we_do_ = true;  // with the current settings, text is split into words here as on the server
  bool is_utf8_ = true;
  bool has_heard_the_end_ = false;
};

}  // namespace pgveil::session
