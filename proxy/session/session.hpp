#pragma once
// One client's conversation, from its first byte to its last, as a state machine without I/O: bytes and
// events in, bytes and commands out. It uses no Asio, clock, logger or global. Not thread-safe: one strand
// drives one session.
//
// A session holds one backend connection from its login to its end (PoolMode::none, ::session), or for one
// transaction at a time (::transaction). Nothing of a client's SQL is written to `to_backend` unless
// Gate::judge returned it as Rewritten. Frames that are malformed, too long, unknown or out of phase end the
// session with ErrorResponse 08P01 and never reach the backend.
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "common/error.hpp"
#include "common/wanted_server.hpp"
#include "console/console.hpp"
#include "proxy/session/audit_event.hpp"
#include "proxy/session/backend_state.hpp"
#include "proxy/session/gate.hpp"
#include "proxy/wire/primitives.hpp"
#include "proxy/wire/startup.hpp"

namespace pgveil::session {

inline constexpr std::string_view kConsoleDatabase = "pgveil";

enum class ClientAuthentication {
  trust,
  scram_sha_256,
  // this process made the connection for somebody it knows: the role gets masks and nothing else
  vouched
};

// How a client's request for TLS is treated.
enum class ClientEncryption {
  declined,  // SSLRequest is answered N
  offered,   // clients that ask for TLS get it
  required   // an unencrypted start-up packet is refused; a cancel request is not
};

struct SessionLimits {
  std::size_t startup_packet_bytes = 10'000;  // PostgreSQL's MAX_STARTUP_PACKET_LENGTH
  std::size_t client_message_bytes =
      4 << 20;  // one frontend message after start-up (Bind may carry large values)
  std::size_t backend_message_bytes = 1 << 30;  // one backend message: PostgreSQL's limit
  std::size_t statements = 10'000;              // prepared statements + portals of one session
  std::size_t statement_bytes = 64 << 20;       // their text as sent; also of what a pool's connection keeps
  std::size_t held_bytes = 64 << 20;            // messages sent ahead of answers that must come first
  std::size_t prepared_statements = 200;        // under names of pgveil's, on one backend connection
  std::size_t kept_plan_bytes = 4 << 20;        // of these, the texts of those whose plans are kept
};

// Credentials of query_role.
struct BackendLogin {
  std::string user;
  std::string password;                             // empty: the server must not ask for one
  std::uint16_t newest_minor = wire::kNewestMinor;  // of protocol 3: what the server is asked for
};

struct SessionConfig {
  std::uint32_t client_pid = 0;  // sent to the client in BackendKeyData: ours, never the backend's
  // Called once, when the client is told its key: makes that many random bytes. From then on, a CancelRequest
  // with client_pid and exactly these bytes becomes CancelRequested.
  std::function<std::string(std::size_t bytes)> make_secret;
  ClientAuthentication authentication = ClientAuthentication::scram_sha_256;
  ClientEncryption encryption = ClientEncryption::declined;
  BackendLogin backend;
  std::string client_address = "unknown";  // empty: over a Unix socket
  SessionLimits limits;
  bool is_audited = false;                  // whether Actions::audit is filled
  std::string mock_secret;                  // for mock_verifier
  std::function<std::string()> make_nonce;  // 18 random bytes, base64
  // Called once, when the client is authenticated. Null: PoolMode::none.
  std::function<PoolMode(const std::string& role, const std::string& database)> pool_mode = nullptr;
  // Takes a place among the logged-in sessions. The client is told the Error. Null: there is no limit.
  std::function<Result<void>(const std::string& role, const std::string& database)> admit = nullptr;
};

// ---- events: what happened outside
struct ClientBytes {
  std::string_view bytes;
};  // any chunking
struct BackendBytes {
  std::string_view bytes;
};
struct ClientClosed {};  // EOF or read error
struct ClientSecured {
  std::string end_point;  // tls-server-end-point of our certificate; empty: it has none
  // The name in the client's certificate, which an accepted authority has signed; empty: it has none, or
  // several. nullopt: the client has shown none.
  std::optional<std::string> certificate_name = {};
};  // answer to SecureClient
struct AccountLookedUp {
  LookUp found;
};  // answer to LookUpAccount
struct BackendConnected {
  bool is_secured = false;                   // over TLS, checked as configured
  std::string end_point = {};                // tls-server-end-point of the server's certificate
  std::size_t attempt = 0;                   // the number of the attempt, from ConnectBackend::attempt on
  bool is_last = true;                       // no attempt follows this one
  std::optional<ServerKind> kind = {};       // of which kind the server has to be
  std::optional<std::string> password = {};  // of query_role, if a command prints it
  bool requires_channel_binding = false;     // SCRAM-SHA-256-PLUS or nothing
  // Whether `password` is a token that may be sent as it is, if the server asks for that. Only to a server
  // whose certificate is checked.
  bool may_send_token = false;
};  // answer to ConnectBackend: a new connection, to log in on, under the settings of the time it was made
struct BackendLent {
  std::shared_ptr<BackendState> state;  // never null
};  // answer to ConnectBackend: an idle connection that was logged in with the same start-up packet
struct BackendFailed {
  std::string reason;
};                          // answer to ConnectBackend; public text
struct BackendTimedOut {};  // answer to ConnectBackend: none became free in time
struct BackendClosed {};    // EOF or read error, expected or not
struct CancelRequested {};  // a CancelRequest with this session's keys came in
struct LoginTimedOut {};    // the driver's login timer
enum class Patience { client_idle, idle_in_transaction, query };
struct PatienceEnded {
  Patience what;
};  // the session has been in that state for too long
struct ConsoleAnswered {
  console::Answer answer;
};                       // answer to RunConsole
struct ShuttingDown {};  // the process ends: 57P01 to the client
struct ServingLooked {
  bool is_other =
      false;  // another generation than AwaitServing names; false: the driver does not wait any longer
};
struct AccessChanged {};  // Gate::access_generation has changed: sessions that may no longer be here must end
// Events of the last step could not be recorded. Nothing of that step was sent or begun, except that
// connections were ended.
struct AuditFailed {};
using Event =
    std::variant<ClientBytes, BackendBytes, ClientClosed, ClientSecured, AccountLookedUp, BackendConnected,
                 BackendLent, BackendFailed, BackendTimedOut, BackendClosed, CancelRequested, LoginTimedOut,
                 PatienceEnded, ConsoleAnswered, ShuttingDown, ServingLooked, AccessChanged, AuditFailed>;

// ---- commands: what the driver must do, in order, after it has queued the bytes
struct SecureClient {
  bool is_direct = false;     // the client began with TLS, without a request: ALPN is required of it
  std::string received = {};  // what it has sent of TLS; only if direct
};  // the client's further bytes are TLS: do the handshake; answer with ClientSecured
struct LookUpAccount {
  std::string role;
};  // Gate::look_up, on a thread that may block; answer with AccountLookedUp
// The connections that this client may be lent: those of the same database and role that were started with
// the same settings.
struct Lender {
  std::string role, database;
  std::string start_up;  // the settings of the start-up packet, as one text
  bool operator==(const Lender&) const = default;
};
struct ConnectBackend {
  Lender lender;
  bool must_be_new = false;
  // With several servers, connecting is a list of attempts. The first one to make; the ones before it led to
  // a server that is of another kind, or is starting up.
  std::size_t attempt = 0;
  bool is_bypass = false;             // logs in as the backend role of a bypass role, not as query_role
  std::string refused_password = {};  // that the server did not accept; empty: none
};                       // open a connection to the backend, or take one from the pool; answer with an event
struct CloseBackend {};  // after to_backend has been written
struct ReturnBackend {
  std::shared_ptr<BackendState> state;
  bool must_be_cleaned = false;  // DISCARD ALL before any other session gets it
};                               // to the pool: it owes no answer and has no open transaction
struct CloseClient {};           // after to_client has been written; the session is over
struct LoginDone {};             // stop the login timer
struct ForwardCancel {
  std::uint32_t pid = 0;
  wire::CancelSecret secret;
};  // new connection: CancelRequest(pid, secret)
struct CancelOther {
  std::uint32_t pid = 0;
  wire::CancelSecret secret;
};  // find the session with these keys
struct RunConsole {
  console::Request request;
};  // on the blocking pool; answer with ConsoleAnswered
struct AwaitServing {
  std::string database;
  std::uint64_t generation = 0;
};  // until Gate::serving says another generation, a few seconds at most; answer with ServingLooked
struct LogLine {
  bool is_warning = false;
  std::string text;
  std::string private_detail;
  std::uint64_t request = 0;  // that it is about, as in AuditEvent
};
struct NoteName {
  std::string application_name;
};  // the client has set its name or changed it
using Command =
    std::variant<NoteName, SecureClient, LookUpAccount, ConnectBackend, CloseBackend, ReturnBackend,
                 CloseClient, LoginDone, ForwardCancel, CancelOther, RunConsole, AwaitServing, LogLine>;

struct Actions {
  std::vector<AuditEvent> audit;  // must be recorded before anything else
  std::string to_client;
  std::string to_backend;
  std::vector<Command> commands;
};

// The state of a session, for observers. login: the client is not yet authenticated; waiting: for the
// backend.
enum class Activity { login, waiting, idle, in_transaction, active, closed };
struct Facts {
  Activity activity = Activity::login;
  std::uint32_t backend_pid = 0;      // 0: not known
  std::uint64_t answered = 0;         // number of ReadyForQuery sent, without the one of the login
  std::uint64_t answered_masked = 0;  // how many of those had a statement that read a mask
  std::uint64_t transactions = 0;     // how many of those with no open transaction
  std::uint64_t statements = 0;       // prepared statements and portals
  bool operator==(const Facts&) const = default;
};
struct Names {
  std::string role, database;  // empty before the login
};

class Session {
 public:
  // gate outlives the session.
  Session(SessionConfig config, Gate& gate);
  Session(Session&&) noexcept;
  Session& operator=(Session&&) noexcept;
  ~Session();

  // After CloseClient, every event returns no actions.
  [[nodiscard]] Actions step(const Event& event);

  // False while an answer has to come first, so that more of the client's bytes would only pile up. A driver
  // that stops reading then makes the client wait; a driver that reads on may exceed
  // SessionLimits::held_bytes, which ends the session.
  [[nodiscard]] bool wants_client_bytes() const;

  [[nodiscard]] Facts facts() const;
  [[nodiscard]] Names names() const;

  // True when the session is over.
  [[nodiscard]] bool is_closed() const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace pgveil::session
