#pragma once
// Our own login at PostgreSQL, as query_role or as the backend role of a bypass role. It sends the start-up
// packet and does SCRAM-SHA-256 if the server asks for it and we have a password (over TLS SCRAM-SHA-256-PLUS
// if the server offers it). It asks for protocol 3.2 and
// takes 3.0. Of the start-up messages it passes on those that concern the client.
#include <cstdint>
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

  // Sends the start-up packet. settings: from startup_settings(), or for a bypass role those of the client.
  void start(const Settings& settings);
  // Handles one frame of the server. True when the server is ready for queries.
  [[nodiscard]] bool on_frame(const wire::FrameView& frame);

 private:
  enum class Step { asked, sasl_sent, proof_sent, proof_checked, let_in };
  void on_authentication(const wire::BackendMessage& message);
  // nullopt: `fail` has been called.
  [[nodiscard]] std::optional<ScramBinding> choose_binding(const std::vector<std::string>& offered);
  void on_mechanisms(const wire::AuthenticationSasl& message);
  void on_challenge(const wire::AuthenticationSaslContinue& message);
  void on_verdict(const wire::AuthenticationSaslFinal& message);
  void on_ok();
  void on_lower_version(const wire::NegotiateProtocolVersion& answer);
  void on_key(const wire::BackendKeyData& key);
  void fail(std::string_view why, std::string private_detail = {});
  [[nodiscard]] bool may_be_about_version(const wire::ErrorResponse& error) const;
  void on_error(const wire::ErrorResponse& error);
  void on_notice(const wire::NoticeResponse& notice);
  void on_parameter(const wire::ParameterStatus& status);
  // Ends the login if so.
  bool is_of_another_major(const wire::ParameterStatus& status);
  [[nodiscard]] bool on_other(const wire::BackendMessage& message);

  SessionState& state_;
  Step step_ = Step::asked;
  std::uint16_t minor_ = 0;  // the server is spoken to in protocol 3.<this>
  std::optional<ScramClient> scram_;
};

}  // namespace pgveil::session
