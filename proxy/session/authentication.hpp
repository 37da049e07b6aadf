#pragma once
// Establishes who the client is: by trust, by this process vouching for it, by SCRAM-SHA-256 against a stored
// verifier (over TLS also SCRAM-SHA-256-PLUS), or by a certificate that names the role, where the access file
// asks for one. A role without a verifier goes through a mock exchange, so it cannot be told from one with a
// wrong password. With auth_query, PostgreSQL is asked between the client's first message and our answer,
// whatever role the client names.
#include <optional>

#include "proxy/session/scram.hpp"
#include "proxy/session/session_state.hpp"
#include "proxy/wire/framer.hpp"

namespace pgveil::session {

// The largest 'p' message of the exchange; PostgreSQL's own limit.
inline constexpr std::size_t kAuthenticationMessageBytes = 65'535;

class Authentication {
 public:
  explicit Authentication(SessionState& state) : state_(state) {}

  // True if the client is authenticated at once (trust, vouched, certificate).
  [[nodiscard]] bool start();
  // A 'p' message in phase sasl_initial or sasl_final. True if the client is now authenticated.
  [[nodiscard]] bool on_message(const wire::FrameView& frame);
  // REQUIRES: phase looking_up.
  void on_looked_up(const LookUp& found);

 private:
  [[nodiscard]] Result<void> check_certificate() const;
  // The tls-server-end-point of our certificate; empty: PLUS is not offered.
  [[nodiscard]] std::string end_point() const;
  void on_initial(const wire::FrameView& frame);
  void challenge(LookUp found);
  [[nodiscard]] bool on_final(const wire::FrameView& frame);
  void fail(const Error& error);

  SessionState& state_;
  ScramMechanism mechanism_ = ScramMechanism::plain;
  std::string first_message_;
  LookUp known_;
  std::optional<ScramServer> scram_;
};

}  // namespace pgveil::session
