#pragma once
// Our own login at PostgreSQL, as query_role or as the backend role of a bypass role. It sends the start-up
// packet and does SCRAM-SHA-256 if the server asks for it and we have a password (over TLS SCRAM-SHA-256-PLUS
// if the server offers it). It asks for protocol 3.2 and accepts 3.0. Of the start-up messages it passes on
// those that concern the client.
#include <cstdint>
#include <memory>
#include <optional>

#include "proxy/session/scram.hpp"
#include "proxy/session/session_state.hpp"
#include "proxy/session/startup_options.hpp"
#include "proxy/wire/framer.hpp"

namespace pgveil::session {

// The settings of the start-up packet, which RESET returns to: those of the client, the pinned settings,
// which override them, and the client's search path under a name that means nothing to the server.
[[nodiscard]] Settings startup_settings(const SessionState& state, const StartupRequest& request);

class BackendLoginMachine {
 public:
  explicit BackendLoginMachine(SessionState& state) : state_(state) {}

  // under_way: also after the session was ended. elsewhere: the server is of another kind than wanted, or
  // starts up, and another attempt follows. refused: it did not accept the token, and another may be had.
  enum class Outcome { under_way, ready, elsewhere, refused };
  // Sends the start-up packet. settings: from startup_settings(), or for a bypass role those of the client.
  // connected: how the connection came about.
  void start(const Settings& settings, const BackendConnected& connected);
  // Handles one frame of the server.
  [[nodiscard]] Outcome on_frame(const wire::FrameView& frame);
  // No other server is left to try.
  [[nodiscard]] bool is_last_attempt() const { return is_last_attempt_; }

 private:
  enum class Step { asked, sasl_sent, proof_sent, proof_checked, token_sent, let_in };
  void on_authentication(const wire::BackendMessage& message);
  // nullopt: `fail` has been called.
  [[nodiscard]] std::optional<ScramBinding> choose_binding(const std::vector<std::string>& offered);
  void on_mechanisms(const wire::AuthenticationSasl& message);
  void on_challenge(const wire::AuthenticationSaslContinue& message);
  void on_verdict(const wire::AuthenticationSaslFinal& message);
  void on_ok();
  void on_lower_version(const wire::NegotiateProtocolVersion& answer);
  void on_key(const wire::BackendKeyData& key);
  void on_token_wanted();
  void fail(std::string_view why, std::string private_detail = {});
  [[nodiscard]] bool may_be_about_version(const wire::ErrorResponse& error) const;
  [[nodiscard]] Outcome on_error(const wire::ErrorResponse& error);
  void on_notice(const wire::NoticeResponse& notice);
  void on_parameter(const wire::ParameterStatus& status);
  // Ends the login if so.
  bool is_of_another_major(const wire::ParameterStatus& status);
  [[nodiscard]] Outcome on_other(const wire::BackendMessage& message);
  [[nodiscard]] Outcome on_ready(const wire::ReadyForQuery& ready);

  SessionState& state_;
  Step step_ = Step::asked;
  std::uint16_t minor_ = 0;  // the server is spoken to in protocol 3.<this>
  bool is_last_attempt_ = true;
  bool has_token_ = false;
  bool may_send_token_ = false;
  bool requires_channel_binding_ = false;
  std::optional<ServerKind> wanted_;
  ServerKind kind_ = ServerKind::primary;  // as the server says
  std::unique_ptr<ScramClient> scram_;     // during the login
};

}  // namespace pgveil::session
