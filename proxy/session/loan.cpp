#include "proxy/session/loan.hpp"

#include <algorithm>

#include "common/assert.hpp"
#include "common/sqlstate.hpp"

namespace pgveil::session {

namespace {

constexpr std::string_view kNameSetting = "application_name";

// Names and values hold no zero byte: they come out of a start-up packet.
std::string text_of(const Settings& settings) {
  std::string text;
  for (const auto& [name, value] : settings) text += name + '\0' + value + '\0';
  return text;
}

wire::ErrorResponse fatal(std::string_view sqlstate, std::string_view message, std::string_view hint = {}) {
  return error_response(client_error(sqlstate, message, hint), Severity::fatal);
}

}  // namespace

// With a pool application_name is put in force by SET: clients that differ in nothing else share connections.
void Loan::begin(const StartupRequest& request) {
  StartupRequest shared = request;
  if (link_.pool_mode != PoolMode::none && has_setting(request.forwarded, kNameSetting)) {
    std::erase_if(shared.forwarded, [&](const auto& each) {
      if (!has_setting({each}, kNameSetting)) return false;
      name_ = each.second;
      return true;
    });
    if (!name_.empty()) wanted_ = {{std::string(kNameSetting), name_}};
  }
  start_up_ = startup_settings(link_, shared);
  ask();
}

void Loan::begin(const Settings& as_they_are) {
  PGVEIL_ASSERT(link_.is_bypass && link_.pool_mode == PoolMode::none);
  start_up_ = as_they_are;
  ask();
}

void Loan::ask(MustBeNew must_be_new) {
  link_.phase = Phase::connecting;
  link_.backend = BackendLink::connecting;
  link_.command(ConnectBackend{.lender = {link_.role, link_.database, text_of(start_up_)},
                               .must_be_new = must_be_new == MustBeNew::yes});
}

void Loan::on(const BackendConnected& event) {
  PGVEIL_ASSERT(link_.phase == Phase::connecting);
  link_.backend_secured = std::nullopt;
  if (event.is_secured) link_.backend_secured = Secured{event.end_point};
  link_.backend = BackendLink::open;
  link_.phase = Phase::backend_login;
  login_.start(start_up_);
}

void Loan::on(const BackendLent& event) {
  PGVEIL_ASSERT(link_.phase == Phase::connecting && link_.pool_mode != PoolMode::none);
  PGVEIL_ASSERT(event.state != nullptr && from_backend_.size() == 0);
  link_.backend = BackendLink::open;
  link_.server = event.state;
  prepare();
}

void Loan::on(const BackendFailed& event) {
  PGVEIL_ASSERT(link_.phase == Phase::connecting);
  link_.backend = BackendLink::none;
  link_.log_warning("the database server is not reachable: " + event.reason);
  link_.end(fatal(sqlstate::kConnectionFailure, "the database server is not reachable"));
}

void Loan::on(const BackendTimedOut&) {
  PGVEIL_ASSERT(link_.phase == Phase::connecting);
  link_.backend = BackendLink::none;
  link_.log_warning("no connection of the pool became free in time");
  link_.end(fatal(sqlstate::kTooManyConnections, "no connection to the database server became free in time",
                  "try again later, or have pool.size raised"));
}

void Loan::on_frame(const wire::FrameView& frame) {
  switch (link_.phase) {
    case Phase::backend_login:
      if (!login_.on_frame(frame)) return;
      return link_.pool_mode == PoolMode::none ? serve() : prepare();
    case Phase::preparing: return on_prepared(errand_.on_frame(frame));
    case Phase::settling: return on_settled(errand_.on_frame(frame));
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

void Loan::prepare() {
  if (link_.server->settings == wanted_) return serve();
  link_.phase = Phase::preparing;
  errand_.start(text_to_apply(wanted_));
}

// What was left on a lent connection (a statement_timeout, say) may be in the way of our own statement, which must not
// be held against this client.
void Loan::on_prepared(Errand::Outcome outcome) {
  switch (outcome) {
    case Errand::Outcome::under_way: return;
    case Errand::Outcome::done: link_.server->settings = wanted_; return serve();
    case Errand::Outcome::failed: break;
  }
  drop();
  if (!std::exchange(has_retried_, true)) return ask(MustBeNew::yes);
  link_.log_warning("the session's settings could not be put in force");
  link_.end(fatal(sqlstate::kConnectionFailure, "the session's settings can't be restored", "connect again"));
}

void Loan::serve() {
  link_.phase = link_.is_bypass ? Phase::relay : Phase::ready;
  has_retried_ = false;
  answered_before_ = link_.answered;
  if (link_.pool_mode != PoolMode::none) {
    const Result<void> told = relay_changed_parameters(link_);
    if (!told) return link_.end(told.error());
  }
  if (!std::exchange(is_greeted_, true)) greet(link_);
}

bool Loan::is_at_rest() const {
  return link_.phase == Phase::ready && link_.backend == BackendLink::open &&
         conversation_.expected.empty() && conversation_.status == wire::TransactionStatus::idle &&
         !conversation_.is_unsynced && from_backend_.size() == 0;
}

void Loan::settle() {
  if (link_.pool_mode != PoolMode::transaction || !is_at_rest()) return;
  if (!conversation_.has_set) return give_back(Cleaning::not_needed);
  link_.phase = Phase::settling;
  errand_.start(text_to_read_settings());
}

void Loan::settle_if_used() {
  if (link_.answered != answered_before_) settle();
}

void Loan::on_settled(Errand::Outcome outcome) {
  switch (outcome) {
    case Errand::Outcome::under_way: return;
    case Errand::Outcome::done: break;
    case Errand::Outcome::failed:
      link_.log_warning("the session's settings could not be read");
      return link_.end(
          fatal(sqlstate::kConnectionFailure, "the session's settings can't be kept", "connect again"));
  }
  if (from_backend_.size() > 0)
    return link_.end(wire::protocol_error("the database server broke the protocol"));
  conversation_.has_set = false;
  link_.server->settings = errand_.take_rows();
  wanted_ = link_.server->settings;
  // RESET returns to what the client had asked for at its start.
  if (!name_.empty() && !has_setting(wanted_, kNameSetting)) wanted_.emplace_back(kNameSetting, name_);
  std::ranges::sort(wanted_);
  give_back(Cleaning::not_needed);
}

void Loan::leave() {
  if (link_.pool_mode != PoolMode::none && is_at_rest()) give_back(Cleaning::needed);
}

void Loan::give_back(Cleaning cleaning) {
  BackendState& server = *link_.server;
  server.unnamed.clear();  // its key means something to this session only
  const bool must_be_cleaned = cleaning == Cleaning::needed || server.is_soiled;
  link_.command(ReturnBackend{.state = std::move(link_.server), .must_be_cleaned = must_be_cleaned});
  link_.server = nullptr;
  link_.backend = BackendLink::none;
  link_.phase = Phase::parked;
}

void Loan::drop() {
  from_backend_.drop();
  link_.command(CloseBackend{});
  link_.server = nullptr;
  link_.backend = BackendLink::none;
}

}  // namespace pgveil::session
