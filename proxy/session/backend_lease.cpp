#include "proxy/session/backend_lease.hpp"

#include <algorithm>

#include "common/assert.hpp"
#include "common/sqlstate.hpp"

namespace pgveil::session {

namespace {

constexpr std::string_view kNameSetting = "application_name";
// The longest message of a server that we have not logged in at. Its errors are the longest, and libpq takes
// 30,000 bytes of them.
constexpr std::size_t kLoginMessageBytes = 65'535;

// Names and values contain no zero byte, because they come from a start-up packet.
std::string text_of(const Settings& settings) {
  std::string text;
  for (const auto& [name, value] : settings) text += name + '\0' + value + '\0';
  text.shrink_to_fit();  // it stays as long as the client
  return text;
}

// The inverse.
Settings settings_in(std::string_view text) {
  const auto next = [&text] {
    const std::size_t end = text.find('\0');
    PGVEIL_ASSERT(end != std::string_view::npos);
    std::string word(text.substr(0, end));
    text.remove_prefix(end + 1);
    return word;
  };
  Settings settings;
  while (!text.empty()) {
    std::string name = next();
    settings.emplace_back(std::move(name), next());
  }
  return settings;
}

wire::ErrorResponse fatal(std::string_view sqlstate, std::string_view message, std::string_view hint = {}) {
  return error_response(client_error(sqlstate, message, hint), Severity::fatal);
}

}  // namespace

// With a pool, application_name is set by SET, so that clients that differ in nothing else can share
// connections.
void BackendLease::begin(const StartupRequest& request) {
  StartupRequest shared = request;
  if (state_.pool_mode != PoolMode::none && has_setting(request.forwarded, kNameSetting)) {
    std::erase_if(shared.forwarded, [&](const auto& each) {
      if (!has_setting({each}, kNameSetting)) return false;
      name_ = each.second;
      return true;
    });
    if (!name_.empty()) wanted_ = {{std::string(kNameSetting), name_}};
  }
  const Settings settings = startup_settings(state_, shared);
  const auto path = std::ranges::find(settings, rewriter::kPathSetting, &Settings::value_type::first);
  PGVEIL_ASSERT(path != settings.end());
  state_.path_at_start = path->second;
  start_up_ = text_of(settings);
  ask();
}

void BackendLease::begin(const Settings& as_they_are) {
  PGVEIL_ASSERT(state_.is_bypass && state_.pool_mode == PoolMode::none);
  start_up_ = text_of(as_they_are);
  ask();
}

void BackendLease::ask(MustBeNew must_be_new, std::size_t attempt, std::string refused_password) {
  state_.phase = Phase::connecting;
  state_.backend = BackendLink::connecting;
  state_.command(ConnectBackend{.lender = {state_.role, state_.database, start_up_},
                                .must_be_new = must_be_new == MustBeNew::yes,
                                .attempt = attempt,
                                .is_bypass = state_.is_bypass,
                                .refused_password = std::move(refused_password)});
}

void BackendLease::on(const BackendConnected& event) {
  PGVEIL_ASSERT(state_.phase == Phase::connecting);
  state_.backend_secured = std::nullopt;
  if (event.is_secured) state_.backend_secured = Secured{event.end_point};
  state_.backend = BackendLink::open;
  state_.phase = Phase::backend_login;
  from_backend_.set_limit(std::min(kLoginMessageBytes, state_.config.limits.backend_message_bytes));
  attempt_ = event.attempt;
  login_.start(settings_in(start_up_), event);
}

void BackendLease::on(const BackendLent& event) {
  PGVEIL_ASSERT(state_.phase == Phase::connecting && state_.pool_mode != PoolMode::none);
  PGVEIL_ASSERT(event.state != nullptr && from_backend_.size() == 0);
  state_.backend = BackendLink::open;
  state_.server = event.state;
  prepare();
}

void BackendLease::on(const BackendFailed& event) {
  PGVEIL_ASSERT(state_.phase == Phase::connecting);
  state_.backend = BackendLink::none;
  state_.log_warning("the database server is not reachable: " + event.reason);
  state_.end(fatal(sqlstate::kConnectionFailure, "the database server is not reachable"));
}

void BackendLease::on(const BackendTimedOut&) {
  PGVEIL_ASSERT(state_.phase == Phase::connecting);
  state_.backend = BackendLink::none;
  state_.log_warning("no connection of the pool became free in time");
  state_.end(fatal(sqlstate::kTooManyConnections, "no connection to the database server became free in time",
                   "try again later, or have pool.size raised"));
}

void BackendLease::on_frame(const wire::FrameView& frame) {
  switch (state_.phase) {
    case Phase::backend_login: return on_login(login_.on_frame(frame));
    case Phase::preparing: return on_prepared(own_statement_.on_frame(frame));
    case Phase::settling: return on_settled(own_statement_.on_frame(frame));
    case Phase::startup:
    case Phase::securing:
    case Phase::sasl_initial:
    case Phase::looking_up:
    case Phase::sasl_final:
    case Phase::connecting:
    case Phase::ready:
    case Phase::parked:
    case Phase::relay:
    case Phase::console:
    case Phase::closed: break;
  }
  PGVEIL_ASSERT(false);
}

void BackendLease::on_login(BackendLoginMachine::Outcome outcome) {
  switch (outcome) {
    case BackendLoginMachine::Outcome::under_way: return;
    case BackendLoginMachine::Outcome::ready:
      has_renewed_token_ = false;
      from_backend_.set_limit(state_.config.limits.backend_message_bytes);
      return state_.pool_mode == PoolMode::none ? serve() : prepare();
    case BackendLoginMachine::Outcome::elsewhere: drop(); return ask(MustBeNew::yes, attempt_ + 1);
    case BackendLoginMachine::Outcome::refused: break;
  }
  drop();
  if (!std::exchange(has_renewed_token_, true))
    return ask(MustBeNew::yes, attempt_, state_.backend_role.password);
  state_.end(fatal(sqlstate::kConnectionFailure, "cannot log in to the database server"));
}

bool BackendLease::went_elsewhere() {
  if (state_.phase != Phase::backend_login || login_.is_last_attempt()) return false;
  drop();
  ask(MustBeNew::yes, attempt_ + 1);
  return true;
}

void BackendLease::prepare() {
  if (state_.server->settings == wanted_) return serve();
  state_.phase = Phase::preparing;
  own_statement_.start(text_to_apply(wanted_));
}

// A setting that was left on a lent connection (for example statement_timeout) may make our own statement
// fail. That must not be this client's problem.
void BackendLease::on_prepared(OwnStatement::Outcome outcome) {
  switch (outcome) {
    case OwnStatement::Outcome::under_way: return;
    case OwnStatement::Outcome::done: note_settings(*state_.server, wanted_); return serve();
    case OwnStatement::Outcome::failed: break;
  }
  drop();
  if (!std::exchange(has_retried_, true)) return ask(MustBeNew::yes);
  state_.log_warning("the session's settings could not be put in force");
  state_.end(
      fatal(sqlstate::kConnectionFailure, "the session's settings can't be restored", "connect again"));
}

void BackendLease::serve() {
  state_.phase = state_.is_bypass ? Phase::relay : Phase::ready;
  has_retried_ = false;
  answered_before_ = state_.answered;
  if (state_.pool_mode != PoolMode::none) {
    const Result<void> told = relay_changed_parameters(state_);
    if (!told) return state_.end(told.error());
  }
  if (!state_.is_bypass) report_path(conversation_);
  if (!std::exchange(is_greeted_, true)) greet(state_);
}

bool BackendLease::is_at_rest() const {
  return state_.phase == Phase::ready && state_.backend == BackendLink::open &&
         conversation_.expected.empty() && conversation_.status == wire::TransactionStatus::idle &&
         !conversation_.is_unsynced && from_backend_.size() == 0;
}

void BackendLease::settle() {
  if (state_.pool_mode != PoolMode::transaction || !is_at_rest()) return;
  if (conversation_.registry.holds_cursor()) return;  // its rows are on this connection
  if (!conversation_.has_set) return give_back(Cleaning::not_needed);
  state_.phase = Phase::settling;
  own_statement_.start(text_to_read_settings());
}

void BackendLease::settle_if_used() {
  if (state_.answered != answered_before_) settle();
}

void BackendLease::on_settled(OwnStatement::Outcome outcome) {
  switch (outcome) {
    case OwnStatement::Outcome::under_way: return;
    case OwnStatement::Outcome::done: break;
    case OwnStatement::Outcome::failed:
      state_.log_warning("the session's settings could not be read");
      return state_.end(
          fatal(sqlstate::kConnectionFailure, "the session's settings can't be kept", "connect again"));
  }
  if (from_backend_.size() > 0)
    return state_.end(wire::protocol_error("the database server broke the protocol"));
  conversation_.has_set = false;
  note_settings(*state_.server, own_statement_.take_rows());
  wanted_ = state_.server->settings;
  // RESET returns to what the client asked for at its start.
  if (!name_.empty() && !has_setting(wanted_, kNameSetting)) wanted_.emplace_back(kNameSetting, name_);
  std::ranges::sort(wanted_);
  give_back(Cleaning::not_needed);
}

void BackendLease::leave() {
  if (state_.pool_mode != PoolMode::none && is_at_rest()) give_back(Cleaning::needed);
}

void BackendLease::give_back(Cleaning cleaning) {
  BackendState& server = *state_.server;
  server.unnamed.clear();  // its key has a meaning in this session only
  const bool has_unclosed = !std::exchange(conversation_.unclosed, {}).empty();
  const bool must_be_cleaned = cleaning == Cleaning::needed || server.is_soiled || has_unclosed;
  state_.command(ReturnBackend{.state = std::move(state_.server), .must_be_cleaned = must_be_cleaned});
  state_.server = nullptr;
  state_.backend = BackendLink::none;
  state_.phase = Phase::parked;
}

void BackendLease::drop() {
  from_backend_.drop();
  state_.command(CloseBackend{});
  state_.server = nullptr;
  state_.backend = BackendLink::none;
}

}  // namespace pgveil::session
