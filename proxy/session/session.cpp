#include "proxy/session/session.hpp"

#include <algorithm>

#include "common/assert.hpp"
#include "common/sqlstate.hpp"
#include "proxy/session/authentication.hpp"
#include "proxy/session/backend_lease.hpp"
#include "proxy/session/console_session.hpp"
#include "proxy/session/conversation.hpp"
#include "proxy/session/extended.hpp"
#include "proxy/session/relay.hpp"
#include "proxy/session/renewal.hpp"
#include "proxy/session/server_messages.hpp"
#include "proxy/session/simple.hpp"
#include "proxy/session/startup.hpp"
#include "proxy/wire/framer.hpp"
#include "rewriter/lists/session_settings.hpp"

namespace pgveil::session {

namespace {
constexpr std::size_t kReadAheadBytes = 64 << 10;  // enough to notice that a client has gone while it waits
}

struct Session::Impl {
  // Most sessions are idle most of the time, so they hold only what their phase needs.
  struct Entrance {
    explicit Entrance(SessionState& state) : startup(state), authentication(state) {}
    Startup startup;
    Authentication authentication;
  };

  Impl(SessionConfig config, Gate& gate)
      : state(std::move(config), gate),
        from_client(state.config.limits.startup_packet_bytes),
        from_backend(state.config.limits.backend_message_bytes) {}

  void on(const ClientBytes& event);
  void on(const BackendBytes& event);
  void on(const ClientClosed&);
  void on(const ClientSecured& event);
  void on(const AccountLookedUp& event);
  void on(const BackendConnected& event) { lease.on(event); }
  void on(const BackendLent& event);
  void on(const BackendFailed& event) { lease.on(event); }
  void on(const BackendTimedOut& event) { lease.on(event); }
  void on(const BackendClosed&);
  void on(const CancelRequested&);
  void on(const LoginTimedOut&);
  void on(const PatienceEnded& event);
  void on(const ConsoleAnswered& event);
  void on(const ShuttingDown&);
  void on(const ServingLooked& event);
  void on(const AccessChanged&) { static_cast<void>(may_stay()); }
  void on(const AuditFailed&);

  void read_client();
  void continue_client();
  void on_client_frame(const wire::FrameView& frame);
  void on_statement_frame(const wire::FrameView& frame);
  void enter();
  [[nodiscard]] bool may_stay();
  [[nodiscard]] Result<void> enter_bypass();
  void on_backend_frame(const wire::FrameView& frame);
  void on_relayed(const wire::FrameView& frame);
  [[nodiscard]] bool must_wait(char tag);
  [[nodiscard]] bool needs_backend(char tag) const;
  [[nodiscard]] bool is_waiting() const;
  [[nodiscard]] Activity activity() const;
  [[nodiscard]] bool is_backend_talking() const { return facts_of(state.phase).is_backend_talking; }

  SessionState state;
  wire::Framer from_client;
  wire::Framer from_backend;
  std::unique_ptr<Entrance> entrance = std::make_unique<Entrance>(state);  // null: the client was let in
  Conversation conversation{state};
  BackendLease lease{state, conversation, from_backend};
  std::unique_ptr<ConsoleSession> console;  // null: it asked for another database
  std::unique_ptr<Relay> relay;             // of a bypass role; null: of another one
};

// ---- the client's side

void Session::Impl::on(const ClientBytes& event) {
  const bool is_start = state.phase == Phase::startup && from_client.size() == 0;
  if (is_start && entrance->startup.is_direct_tls(event.bytes))
    return entrance->startup.on_direct_tls(event.bytes);
  from_client.feed(event.bytes);
  read_client();
  lease.settle();
  from_client.keep();
  if (!state.is_closed() && from_client.size() > state.config.limits.held_bytes) {
    state.end(client_error(sqlstate::kProgramLimitExceeded, "too many messages sent ahead of their answers"));
  }
}

// True while no message of the client may be handled, whatever it is.
bool Session::Impl::is_waiting() const {
  if (retry::is_waiting(conversation)) return true;
  switch (facts_of(state.phase).client_waits) {
    case Waits::no: return false;
    case Waits::yes: return true;
    case Waits::by_answers: break;
  }
  if (state.phase == Phase::console) return console->is_waiting();
  return !conversation.expected.empty() &&
         (ends_ready(conversation.expected.back().step) || renewal::is_under_way(conversation));
}

Activity Session::Impl::activity() const {
  if (retry::is_waiting(conversation) && !state.is_closed()) return Activity::active;
  if (const auto activity = facts_of(state.phase).activity) return *activity;
  if (state.phase == Phase::console) return console->is_waiting() ? Activity::active : Activity::idle;
  const bool is_relay = state.phase == Phase::relay;
  if (is_relay ? relay->is_busy() : !conversation.expected.empty()) return Activity::active;
  const auto status = is_relay ? relay->status() : conversation.status;
  return status == wire::TransactionStatus::idle ? Activity::idle : Activity::in_transaction;
}

// Query and FunctionCall must know how all messages before them ended.
bool Session::Impl::must_wait(char tag) {
  if (state.phase != Phase::ready || conversation.is_skipping || conversation.expected.empty()) return false;
  if (tag != wire::Query::tag && tag != wire::FunctionCall::tag) return false;
  retry::let_go(conversation);
  extended::flush(conversation);
  return true;
}

// Messages that a parked session skips, and Terminate, need no server.
bool Session::Impl::needs_backend(char tag) const {
  return state.phase == Phase::parked && !conversation.is_skipping && tag != wire::Terminate::tag;
}

void Session::Impl::read_client() {
  while (!is_waiting()) {
    const bool is_startup = state.phase == Phase::startup;
    const auto tag = is_startup ? std::nullopt : from_client.next_tag();
    if (tag && facts_of(state.phase).client_tags.find(*tag) == std::string_view::npos) {
      return state.end(wire::protocol_error("a message came out of turn"));
    }
    const auto frame = is_startup ? from_client.peek_startup() : from_client.peek();
    if (!frame) return state.end(frame.error());
    if (!*frame) return;
    if (!may_stay()) return;
    if (must_wait((*frame)->tag)) return;
    if (needs_backend((*frame)->tag)) return lease.ask();
    if (state.phase == Phase::ready) renewal::before(conversation, **frame);
    if (renewal::is_under_way(conversation)) return;
    from_client.pop(**frame);
    on_client_frame(**frame);
  }
}

void Session::Impl::on_client_frame(const wire::FrameView& frame) {
  switch (state.phase) {
    case Phase::startup:
      if (!entrance->startup.on_packet(frame, from_client.size())) return;
      from_client.set_limit(kAuthenticationMessageBytes);
      if (entrance->authentication.start()) enter();
      return;
    case Phase::sasl_initial:
    case Phase::sasl_final:
      if (entrance->authentication.on_message(frame)) enter();
      return;
    case Phase::ready:
    case Phase::parked: return on_statement_frame(frame);
    case Phase::relay: return on_relayed(frame);
    case Phase::console: return console->on_message(frame);
    case Phase::securing:
    case Phase::looking_up:
    case Phase::connecting:
    case Phase::backend_login:
    case Phase::preparing:
    case Phase::settling:
    case Phase::closed: break;
  }
  PGVEIL_ASSERT(false);
}

void Session::Impl::on_statement_frame(const wire::FrameView& frame) {
  if (frame.tag == wire::Terminate::tag) {
    const auto message = wire::decode_as<wire::Terminate>(frame.body);
    if (!message) return state.end(message.error());
    lease.leave();
    return state.end_silently();
  }
  const bool is_about_nothing = frame.tag == wire::Sync::tag || frame.tag == wire::Flush::tag;
  if (!is_about_nothing) state.begin_request();
  retry::on_client_frame(conversation, frame);
  conversation.findings = {};
  const bool is_simple = frame.tag == wire::Query::tag || frame.tag == wire::FunctionCall::tag;
  if (!is_simple) return extended::on_message(conversation, frame);
  if (conversation.is_skipping) return;
  frame.tag == wire::Query::tag ? simple::on_query(conversation, frame)
                                : simple::on_function_call(conversation, frame);
}

// What came unencrypted must never be taken for something that came over TLS.
void Session::Impl::on(const ClientSecured& event) {
  PGVEIL_ASSERT(state.phase == Phase::securing && from_client.size() == 0);
  state.client_secured = Secured{event.end_point, event.certificate_name};
  state.phase = Phase::startup;
}

void Session::Impl::on(const AccountLookedUp& event) {
  entrance->authentication.on_looked_up(event.found);
  read_client();
}

void Session::Impl::on_relayed(const wire::FrameView& frame) {
  if (frame.tag == wire::Terminate::tag) return state.end_silently();
  relay->on_client(frame);
}

// A role that was not proved by a login is no bypass role, whatever is configured.
Result<void> Session::Impl::enter_bypass() {
  auto credentials = state.gate.bypass_login({state.role, state.has_masks_only()});
  if (!credentials) return {};
  if (state.login_method() == LoginMethod::trust)
    return client_error(sqlstate::kInvalidAuthorization, "a bypass role needs a password");
  state.is_bypass = true;
  state.backend_role = std::move(*credentials);
  return {};
}

// The client is authenticated. Continues with what it asked for.
void Session::Impl::enter() {
  if (state.reads_as.empty()) state.reads_as = state.role;
  Result<void> allowed = state.gate.may_connect({state.role, state.has_masks_only()}, state.database);
  const bool is_console = state.database == kConsoleDatabase;
  if (allowed && !is_console) allowed = enter_bypass();
  if (allowed && !state.is_bypass && !entrance->startup.request())
    allowed = entrance->startup.request().error();
  if (allowed && state.config.admit) allowed = state.config.admit(state.role, state.database);
  state.audit(AuditedLogin{.method = state.login_method(),
                           .is_bypass = state.is_bypass,
                           .sqlstate = allowed ? std::string() : allowed.error().sqlstate,
                           .is_looked_up = state.is_looked_up,
                           .reads_as = state.reads_as == state.role ? std::string() : state.reads_as},
              0);
  if (!allowed) return state.end(allowed.error());
  state.is_let_in = true;
  state.log_info("login of " + printable(state.role) + " to " + printable(state.database));
  from_client.set_limit(state.is_bypass ? state.config.limits.held_bytes
                                        : state.config.limits.client_message_bytes);
  const std::unique_ptr<Entrance> passed = std::move(entrance);
  std::string().swap(state.config.mock_secret);  // no other client authenticates on this connection
  if (is_console) {
    console = std::make_unique<ConsoleSession>(state);
    return console->start();
  }
  if (state.is_bypass) {
    relay = std::make_unique<Relay>(state);
    return lease.begin(passed->startup.whole().parameters);
  }
  if (state.config.pool_mode) state.pool_mode = state.config.pool_mode(state.role, state.database);
  const StartupRequest& request = *passed->startup.request();
  conversation.client.role = state.reads_as;
  conversation.client.may_be_exempt = !state.has_masks_only();
  begin(conversation.notices, request.forwarded);
  if (has_setting(request.forwarded, rewriter::kEncodingSetting)) expect_encoding(conversation);
  state.reads_only = request.reads_only;
  conversation.mode = TransactionMode(request.reads_only);
  if (request.search_path) conversation.client.path = rewriter::SearchPath(*request.search_path);
  lease.begin(request);
}

// Checks again after each RELOAD, before any further message of the client is handled. Ends the session if
// the client may not stay.
bool Session::Impl::may_stay() {
  const std::uint64_t generation = state.gate.access_generation();
  if (!state.is_let_in || state.access_generation == generation) return true;
  state.access_generation = generation;
  const bool is_vouched = state.config.authentication == ClientAuthentication::vouched;
  Admitted admitted{.who = {state.role, state.has_masks_only()},
                    .reads_as = state.reads_as,
                    .database = state.database,
                    .origin = {state.config.client_address, state.client_secured.has_value()},
                    .shown = state.demand,
                    .is_vouched = is_vouched,
                    .verifier = state.verifier};
  if (state.is_bypass) admitted.passed_on_as = state.backend_role;
  const Result<void> allowed = state.gate.may_stay(admitted);
  if (allowed) return true;
  lease.leave();
  state.end(allowed.error());
  return false;
}

void Session::Impl::on(const ClientClosed&) {
  lease.leave();
  state.end_silently();
}

// ---- the backend's side

void Session::Impl::on(const BackendLent& event) {
  lease.on(event);
  continue_client();
}

// Called after something that the client may have been waiting for.
void Session::Impl::continue_client() {
  // What is sent again stays on the connection on which its stale plan was forgotten.
  if (!retry::is_again(conversation)) lease.settle_if_used();
  read_client();
  lease.settle();
}

void Session::Impl::on(const BackendClosed&) {
  state.backend = BackendLink::none;
  if (relay && relay->has_heard_the_end()) return state.end_silently();
  state.end(client_error(sqlstate::kConnectionFailure, "the database server closed the connection"));
}

void Session::Impl::on_backend_frame(const wire::FrameView& frame) {
  if (state.phase == Phase::ready) {
    retry::on_backend_frame(conversation, frame);
    if (const auto again = retry::take_again(conversation)) from_client.put_back(*again);
    return;
  }
  if (state.phase == Phase::relay) return relay->on_backend(frame);
  if (state.is_bypass && frame.tag == wire::ParameterStatus::tag) {
    if (const auto status = wire::decode_as<wire::ParameterStatus>(frame.body))
      relay->note_parameter(*status);
  }
  lease.on_frame(frame);
}

void Session::Impl::on(const BackendBytes& event) {
  PGVEIL_ASSERT(is_backend_talking());
  from_backend.feed(event.bytes);
  while (is_backend_talking()) {
    const auto frame = from_backend.peek();
    if (!frame) {
      state.end(wire::protocol_error("the database server broke the protocol"));
      break;
    }
    if (!*frame) break;
    from_backend.pop(**frame);
    on_backend_frame(**frame);
  }
  from_backend.keep();
  continue_client();
}

// ---- all other events

void Session::Impl::on(const CancelRequested&) {
  if (retry::is_waiting(conversation)) return on(ServingLooked{.is_other = false});
  state.cancel_backend();
}

void Session::Impl::on(const LoginTimedOut&) {
  const PhaseFacts facts = facts_of(state.phase);
  if (facts.is_past_login || lease.went_elsewhere()) return;
  if (facts.may_end_unanswered) return state.end_silently();
  if (state.backend != BackendLink::none)
    return state.end(
        client_error(sqlstate::kConnectionFailure, "the database server did not answer in time"));
  state.end(client_error(sqlstate::kQueryCanceled, "login took too long"));
}

void Session::Impl::on(const ConsoleAnswered& event) {
  PGVEIL_ASSERT(state.phase == Phase::console);
  console->on_answer(event.answer);
  read_client();
}

void Session::Impl::on(const PatienceEnded& event) {
  switch (event.what) {
    case Patience::client_idle:
      lease.leave();
      return state.end(
          client_error(sqlstate::kIdleSessionTimeout, "terminating connection due to idle timeout"));
    case Patience::idle_in_transaction:
      return state.end(client_error(sqlstate::kIdleInTransactionTimeout,
                                    "terminating connection due to idle-in-transaction timeout"));
    case Patience::query:
      return state.end(client_error(sqlstate::kQueryCanceled, "terminating connection due to query timeout"));
  }
}

void Session::Impl::on(const ShuttingDown&) {
  lease.leave();
  state.end(client_error(sqlstate::kAdminShutdown, "terminating connection due to administrator command"));
}

// Somebody who cancelled is answered already.
void Session::Impl::on(const ServingLooked& event) {
  if (!retry::is_waiting(conversation)) return;
  const auto again =
      retry::on_looked(conversation, event.is_other ? retry::Found::other_versions : retry::Found::the_same);
  if (again) from_client.put_back(*again);
  read_client();
  lease.settle();
}

void Session::Impl::on(const AuditFailed&) {
  state.end(client_error(sqlstate::kIoError, "the audit log can't be written, so nothing is done",
                         "tell the operator"));
}

// ---- the session

Session::Session(SessionConfig config, Gate& gate) : impl_(std::make_unique<Impl>(std::move(config), gate)) {}
Session::Session(Session&&) noexcept = default;
Session& Session::operator=(Session&&) noexcept = default;
Session::~Session() = default;

Actions Session::step(const Event& event) {
  if (impl_->state.is_closed()) return {};
  try {
    std::visit([this](const auto& kind) { impl_->on(kind); }, event);
  } catch (...) {
    // What came last is perhaps not copied yet, and its bytes are not ours any more.
    impl_->from_client.drop();
    impl_->from_backend.drop();
    impl_->state.phase = Phase::closed;
    throw;
  }
  impl_->state.request = 0;
  return std::exchange(impl_->state.out, Actions{});
}

Facts Session::facts() const {
  const SessionState& state = impl_->state;
  const bool is_console = state.phase == Phase::console;
  Facts facts;
  facts.activity = impl_->activity();
  facts.backend_pid = state.server ? state.server->pid : 0;
  facts.answered = state.answered;
  facts.answered_masked = state.answered_masked;
  facts.transactions = state.transactions;
  facts.statements = is_console ? impl_->console->statement_count() : impl_->conversation.registry.size();
  return facts;
}

Names Session::names() const {
  const bool is_known = impl_->activity() != Activity::login;
  if (!is_known) return {};
  return {impl_->state.role, impl_->state.database};
}

bool Session::is_closed() const {
  return impl_->state.is_closed();
}

bool Session::wants_client_bytes() const {
  return !impl_->is_waiting() || impl_->from_client.size() < kReadAheadBytes;
}

}  // namespace pgveil::session
