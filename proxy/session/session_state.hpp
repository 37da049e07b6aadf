#pragma once
// The state that all parts of one session share: its configuration, who the client is, in which phase the
// session is, and the actions of the current step. It has no protocol logic, except for ending the session.
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "proxy/session/backend_state.hpp"
#include "proxy/session/error_response.hpp"
#include "proxy/session/phase.hpp"
#include "proxy/session/scram.hpp"
#include "proxy/session/session.hpp"
#include "proxy/wire/codec.hpp"

namespace pgveil::session {

// What TLS to one side gives.
struct Secured {
  std::string end_point;  // hash of the server's certificate there (tls-server-end-point), or empty
  std::optional<std::string> certificate_name = {};  // of the client's: ClientSecured
};

// The state of the backend connection, as far as the driver has told the session.
enum class BackendLink { none, connecting, open };

struct SessionState {
  SessionState(SessionConfig session_config, Gate& the_gate)
      : config(std::move(session_config)), gate(the_gate), access_generation(the_gate.access_generation()) {}
  SessionState(const SessionState&) = delete;
  SessionState& operator=(const SessionState&) = delete;

  template <class Message>
  void to_client(const Message& message) {
    wire::encode(message, out.to_client);
  }
  template <class Message>
  void to_backend(const Message& message) {
    wire::encode(message, out.to_backend);
  }
  template <class Kind>
  void command(Kind kind) {
    out.commands.emplace_back(std::move(kind));
  }

  // public_text: no data. private_detail: anything.
  void log_info(std::string public_text, std::string private_detail = {});
  void log_warning(std::string public_text, std::string private_detail = {});

  // A message of the client that is worth a line in log or audit; lines that follow are about it.
  void begin_request() { request = ++last_request; }
  [[nodiscard]] LoginMethod login_method() const;
  // request_number: 0: none.
  void audit(AuditedThing thing, std::uint64_t request_number);

  // For each ReadyForQuery that the client gets.
  void count_answer(wire::TransactionStatus status) {
    ++answered;
    if (status == wire::TransactionStatus::idle) ++transactions;
  }

  // Ends the session on both sides; the client is told why.
  void end(const Error& error);
  void end(const wire::ErrorResponse& fatal);
  // Ends it on both sides without a word to the client.
  void end_silently();
  [[nodiscard]] bool is_closed() const { return phase == Phase::closed; }

  SessionConfig config;
  Gate& gate;
  std::uint64_t access_generation;  // under which the client was let in, or asked for last
  Phase phase = Phase::startup;
  std::optional<Secured> client_secured;
  LoginDemand demand = LoginDemand::password;  // of this client, from its start-up packet on
  std::optional<Secured> backend_secured;
  std::string role;                       // authenticated once phase is past sasl_final
  std::string reads_as;                   // whom the policies take it for; empty until then
  bool is_looked_up = false;              // its account is PostgreSQL's: Account
  std::optional<ScramVerifier> verifier;  // that its password was held against
  // Whatever is configured of its name.
  [[nodiscard]] bool has_masks_only() const {
    return is_looked_up || config.authentication == ClientAuthentication::vouched;
  }
  std::string database;
  BackendLink backend = BackendLink::none;
  std::shared_ptr<BackendState>
      server;  // of the connection that we hold; null: none, or nothing is known yet
  PoolMode pool_mode = PoolMode::none;
  Settings told;                 // with a pool: the settings as the client was told them last
  bool is_backend_busy = false;  // it owes us an answer
  std::uint64_t answered = 0;    // ReadyForQuery sent since the login
  std::uint64_t transactions = 0;
  std::uint64_t request = 0;  // what the next log lines are about; 0: no request
  std::uint64_t last_request = 0;
  bool is_let_in = false;  // the login is on record
  bool is_bypass = false;  // backend_role is a bypass role's; phase relay follows the login
  Credentials backend_role{config.backend.user, config.backend.password};  // that we log in as
  Actions out;
};

// A name as it may stand in a log line: control characters become '?'.
[[nodiscard]] std::string printable(std::string_view name);

// Tells the client what the backend reports of a setting, with the client's own role where the server names
// ours. Errors (08P01): a setting that must stay pinned has another value.
[[nodiscard]] Result<void> relay_parameter(SessionState& state, wire::ParameterStatus status);
// The same for all that is known of the connection's settings and differs from what the client was told.
[[nodiscard]] Result<void> relay_changed_parameters(SessionState& state);

// What both kinds of database tell a client at the end of start-up: our key, then ReadyForQuery.
void greet(SessionState& state);

}  // namespace pgveil::session
