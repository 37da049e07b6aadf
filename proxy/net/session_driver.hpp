#pragma once
// Drives one session::Session: reads both sockets, feeds the session, writes its answers and runs its
// commands. All private functions run on the context of the client's socket. The driver ends when both
// sockets are closed; every pending operation keeps it alive until then.
//
// Back-pressure: the backend is not read while the client is queue_limit_bytes behind. The client is not read
// while either side is, or while a console command runs. So a session holds about that many bytes, whoever is
// slow.
#include <cstdint>
#include <exception>
#include <functional>
#include <memory>
#include <string>

#include "proxy/net/audit_trail.hpp"
#include "proxy/net/environment.hpp"
#include "proxy/net/peer_connection.hpp"
#include "proxy/net/session_watch.hpp"
#include "proxy/net/signal.hpp"

namespace pgveil::net {

class SessionDriver : public std::enable_shared_from_this<SessionDriver> {
 public:
  // number: for log lines. The pid goes back to the registry when the session ends.
  SessionDriver(const Environment& environment, Socket client, SessionPid pid, std::uint64_t number,
                session::ClientAuthentication authentication);
  SessionDriver(const SessionDriver&) = delete;
  SessionDriver& operator=(const SessionDriver&) = delete;
  ~SessionDriver();

  // These may be called from any thread.
  void start();
  void request_cancel();
  void request_shutdown();
  void request_end_at_rest();  // 57P01 as soon as no transaction is open and nothing runs
  void request_abort();        // closes both sockets without a message
  void request_put_out();      // 53300 and both sockets closed, whatever the client does
  // Ends the session if it has been in one state for longer than the configuration allows.
  void check_patience();
  // Makes the session check whether it may go on, because Gate::access_generation has changed.
  void request_access_check();
  [[nodiscard]] std::uint64_t number() const { return number_; }
  [[nodiscard]] console::SessionInfo info() const { return watch_.info(); }

 private:
  enum class Side { client, backend };
  enum class Client { open, closing, closed };
  enum class Backend { none, asking, open, closing };
  enum class Deadline { none, login, close };
  using Self = std::shared_ptr<SessionDriver>;

  [[nodiscard]] static Task<void> run_backend(Self self, session::ConnectBackend wanted);
  [[nodiscard]] static Task<Pools::Grant> wait_for_grant(Self self, session::ConnectBackend wanted);
  [[nodiscard]] static Task<void> log_in(Self self, session::ConnectBackend wanted,
                                         std::unique_ptr<PoolSlot> slot);
  // The attempts of `wanted`, from its first one to the first that succeeds. nullopt: none did, which the log
  // tells, or it is no longer wanted.
  [[nodiscard]] static Task<std::optional<Connection>> try_servers(Self self, session::ConnectBackend wanted,
                                                                   std::shared_ptr<const TlsSettings> tls,
                                                                   std::size_t& attempt);
  // The password that a command prints, without blocking the network thread.
  [[nodiscard]] static Task<Result<std::string>> fetch_password(Self self, std::string refused);
  [[nodiscard]] static Task<void> take_over(Self self, BackendPtr connection);
  [[nodiscard]] static Task<void> read_backend(Self self, BackendPtr connection);
  [[nodiscard]] static Task<void> clean_and_give_back(Pools& pools, BackendPtr connection,
                                                      std::chrono::milliseconds timeout);
  [[nodiscard]] static Task<void> await_serving(Self self, session::AwaitServing wanted);
  [[nodiscard]] static Task<void> pump(Self self, Side side, BackendPtr kept);

  [[nodiscard]] session::SessionConfig with_registry(session::SessionConfig config);
  [[nodiscard]] Result<void> admit(const std::string& role, const std::string& database);
  void stop_login_timer();
  void spawn(Task<void> task);
  void post(std::function<void(SessionDriver&)> work);
  void guarded(const std::function<void(SessionDriver&)>& work) noexcept;
  void fail(const std::exception_ptr& error) noexcept;

  void apply(const session::Event& event);
  // Runs the session's step and records its events. If that fails, the step's result is without what must not
  // happen then.
  [[nodiscard]] session::Actions audited_step(const session::Event& event);
  // Handles what a socket received. False: nothing more can come from this side.
  [[nodiscard]] bool take(Side side, std::string_view raw);
  // Reads from the client as soon as it has sent something, unless it must wait: then call this again.
  void await_client();
  void read_client();
  void take_client_bytes(const PeerConnection::Received& received);
  void start_pump(Side side);
  void send(Side side, std::string bytes);
  void on_flushed(Side side);
  void wake_readers();
  void end_if_at_rest();

  void run(const session::NoteName& command);
  void run(const session::SecureClient& command);
  void run(const session::LookUpAccount& command);
  void run(const session::ConnectBackend& command);
  void run(const session::CloseBackend& command);
  void run(const session::ReturnBackend& command);
  void run(const session::CloseClient& command);
  void run(const session::LoginDone& command);
  void run(const session::ForwardCancel& command);
  void run(const session::CancelOther& command);
  void run(const session::RunConsole& command);
  void run(const session::AwaitServing& command);
  void run(const session::LogLine& command);

  [[nodiscard]] bool client_must_wait() const;
  [[nodiscard]] bool backend_must_wait() const;
  void on_client_gone();
  void on_backend_gone();
  void hand_over(const BackendPtr& connection);
  void forget_backend();
  void close_client();
  void close_backend();
  void close_all() noexcept;
  void set_deadline(Deadline deadline, std::chrono::milliseconds from_now);
  void on_deadline();
  void release_if_over();

  // REQUIRES: there is a link on that side.
  [[nodiscard]] PeerConnection& link(Side side) {
    return side == Side::client ? client_link_ : server_->link;
  }
  [[nodiscard]] std::size_t pending_at_backend() const { return server_ ? server_->link.pending_bytes() : 0; }
  const Environment environment_;
  const Executor executor_;
  const SessionPid pid_;
  const std::uint64_t number_;
  const std::string topic_;
  const std::shared_ptr<const TlsSettings> tls_;  // the settings at the time when the client connected
  SessionWatch watch_;
  session::Session session_;
  const std::unique_ptr<AuditTrail> audit_;  // null: nothing is audited
  PeerConnection client_link_;
  BackendPtr server_;                    // the connection that we hold, while it is open or closing
  std::vector<ServerAttempt> attempts_;  // of the connection that is asked for
  // Cancel requests that the server may not have acted on. The client's next request waits for them: they
  // must end the statement that they were for. Before version 18, PostgreSQL sends two signals for each.
  int cancels_on_their_way_ = 0;
  Signal backend_may_be_read_;
  Timer wait_timer_;  // for the queue for a connection
  Timer deadline_timer_;
  Deadline deadline_ = Deadline::none;
  std::uint64_t deadline_number_ = 0;  // distinguishes a timer just replaced from the current one
  Client client_ = Client::open;       // closing: the session is over; what the client still sends is dropped
  Backend backend_ = Backend::none;    // closing: what the backend still sends is dropped
  std::size_t ahead_bytes_ = 0;        // read from the client since the session last wanted bytes
  bool awaits_client_ = false;         // an operation waits for its bytes
  bool is_released_ = false;
  bool ends_at_rest_ = false;
};

}  // namespace pgveil::net
