#pragma once
// The state that all parts of one session share: its configuration, who the client is, in which phase the
// session is, and the actions of the current step. It has no protocol logic, except for ending the session.
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "common/client_encoding.hpp"
#include "proxy/session/backend_state.hpp"
#include "proxy/session/error_response.hpp"
#include "proxy/session/phase.hpp"
#include "proxy/session/scram.hpp"
#include "proxy/session/session.hpp"
#include "proxy/wire/codec.hpp"

namespace pgveil::session {

// The facts that TLS to one side gives.
struct Secured {
  std::string end_point;  // hash of the server's certificate on that side (tls-server-end-point), or empty
  std::optional<std::string> certificate_name = {};  // see ClientSecured
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
  // For words of our own, which are UTF-8: the client gets them in its encoding.
  void to_client(const wire::ErrorResponse& error);
  void to_client(const wire::NoticeResponse& notice);
  // For words of the server's, which has converted them.
  template <class Message>
  void pass_on(const Message& message) {
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

  // public_text: must contain no data. private_detail: anything.
  void log_info(std::string public_text, std::string private_detail = {});
  void log_warning(std::string public_text, std::string private_detail = {});

  // Begins a request: a message of the client that is worth a line in log or audit. Lines after this are
  // about it.
  void begin_request() { request = ++last_request; }
  [[nodiscard]] LoginMethod login_method() const;
  // request_number: 0 for none.
  void audit(AuditedThing thing, std::uint64_t request_number);

  // Call this for each ReadyForQuery that the client gets.
  void count_answer(wire::TransactionStatus status) {
    ++answered;
    if (std::exchange(has_sent_masked, false)) ++answered_masked;
    if (status == wire::TransactionStatus::idle) ++transactions;
  }

  // Cancels what the backend does for us, if it does anything.
  void cancel_backend();

  // Ends the session on both sides and tells the client why.
  void end(const Error& error);
  void end(const wire::ErrorResponse& fatal);
  // Ends the session on both sides without a message to the client.
  void end_silently();
  [[nodiscard]] bool is_closed() const { return phase == Phase::closed; }

  SessionConfig config;
  Gate& gate;
  std::uint64_t access_generation;  // under which the client was let in or last checked
  Phase phase = Phase::startup;
  std::uint16_t client_minor = 0;  // the client speaks protocol 3.<this>
  std::optional<Secured> client_secured;
  LoginDemand demand = LoginDemand::password;  // for this client, known after its start-up packet
  std::optional<Secured> backend_secured;
  std::string role;                       // authenticated once phase is past sasl_final
  std::string reads_as;                   // the role that policies apply to; empty until the login
  bool is_looked_up = false;              // see Account
  std::optional<ScramVerifier> verifier;  // its password was checked against this one
  // True whatever the configuration says about its name.
  [[nodiscard]] bool has_masks_only() const {
    return is_looked_up || config.authentication == ClientAuthentication::vouched;
  }
  std::string database;
  BackendLink backend = BackendLink::none;
  std::shared_ptr<BackendState>
      server;  // of the connection that we hold; null: no connection, or nothing known yet
  PoolMode pool_mode = PoolMode::none;
  SharedSettings told;                // with a pool: the settings that the client was told last
  bool is_backend_busy = false;       // it owes us an answer
  std::uint64_t answered = 0;         // ReadyForQuery sent since the login
  std::uint64_t answered_masked = 0;  // those with a statement that read a mask
  bool has_sent_masked = false;       // such a statement was sent since the last ReadyForQuery
  std::uint64_t transactions = 0;
  std::uint64_t request = 0;  // the request that the next log lines are about; 0: none
  std::uint64_t last_request = 0;
  bool is_let_in = false;     // the login is on record
  bool reads_only = false;    // the client's start-up packet asked for default_transaction_read_only
  bool is_standby = false;    // the server said so last
  bool reports_path = false;  // the server reports search_path, as PostgreSQL does from 18 on
  std::string path_at_start;  // what SHOW search_path answers after RESET
  std::optional<std::string> told_path;          // what the client was told of its search_path
  const SingleByteEncoding* encoding = nullptr;  // of the client's texts, as the server said last; null: UTF8
  bool may_convert = false;                      // the server was, or will be, told to use such an encoding
  bool is_bypass = false;  // backend_role is a bypass role's; phase relay follows the login
  // The role that we log in as; the configuration's has moved here.
  Credentials backend_role{std::move(config.backend.user), std::move(config.backend.password)};
  Actions out;
};

// A name in the form in which a log line may contain it: control characters become '?'.
[[nodiscard]] std::string printable(std::string_view name);

// Tells the client what the backend reports of a setting. Where the server names our role, the client gets
// its own. The backend's search_path is ours, so it is not passed on: see report_path(). Errors (08P01): a
// setting that must stay pinned has another value.
[[nodiscard]] Result<void> relay_parameter(SessionState& state, wire::ParameterStatus status);
// Does the same for all known settings of the connection that differ from what the client was told.
[[nodiscard]] Result<void> relay_changed_parameters(SessionState& state);

// Sends what both kinds of database tell a client at the end of start-up: our key, then ReadyForQuery.
void greet(SessionState& state);

}  // namespace pgveil::session
