#include "proxy/session/backend_login.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "common/assert.hpp"
#include "common/sqlstate.hpp"
#include "proxy/session/error_filter.hpp"
#include "proxy/wire/startup.hpp"
#include "rewriter/lists/session_settings.hpp"

namespace pgveil::session {

Settings startup_settings(const SessionState& state, const StartupRequest& request) {
  Settings settings = request.forwarded;
  for (const auto& [name, value] : rewriter::pinned_settings()) {
    const bool is_asked_for = (rewriter::is_message_level_setting(name) ||
                               rewriter::is_notice_setting(name) || name == rewriter::kEncodingSetting) &&
                              has_setting(request.forwarded, name);
    if (!is_asked_for) override_settings(settings, {{std::string(name), std::string(value)}});
  }
  const rewriter::SchemaNames schemas = state.gate.schemas(state.database);
  rewriter::SchemaNames pinned = schemas;
  pinned.emplace_back("pg_temp");  // comes last, because without a name it would be searched first
  override_settings(settings, {{"search_path", rewriter::schema_list_text(pinned)}});
  override_settings(settings, {{std::string(rewriter::kPathSetting),
                                rewriter::schema_list_text(request.search_path.value_or(schemas))}});
  return settings;
}

void BackendLoginMachine::start(const Settings& settings, const BackendConnected& connected) {
  step_ = Step::asked;
  scram_.reset();
  is_last_attempt_ = connected.is_last;
  wanted_ = connected.kind;
  kind_ = ServerKind::primary;
  has_token_ = connected.password.has_value() && !state_.is_bypass;
  if (has_token_) state_.backend_role.password = *connected.password;
  may_send_token_ = connected.may_send_token;
  requires_channel_binding_ = connected.requires_channel_binding;
  state_.server = std::make_shared<BackendState>();
  minor_ = state_.config.backend.newest_minor;
  wire::StartupMessage message{.minor = minor_};
  message.parameters = {{"user", state_.backend_role.user}, {"database", state_.database}};
  message.parameters.insert(message.parameters.end(), settings.begin(), settings.end());
  wire::encode(message, state_.out.to_backend);
}

// We ask for no options, so none can be unknown, and the only version below ours is 3.0.
void BackendLoginMachine::on_lower_version(const wire::NegotiateProtocolVersion& answer) {
  const bool may_come = step_ == Step::asked && minor_ > 0;
  const bool is_ours = answer.newest == wire::protocol_version(0) && answer.unknown_options.names.empty();
  if (!may_come || !is_ours) return fail("it answered with a version that we did not ask for");
  minor_ = 0;
}

void BackendLoginMachine::on_key(const wire::BackendKeyData& key) {
  if (minor_ == 0 && key.secret.bytes.size() != wire::CancelSecret::kMinBytes)
    return fail("its cancel key is longer than protocol 3.0 has it");
  state_.server->pid = key.pid;
  state_.server->secret = key.secret;
}

void BackendLoginMachine::fail(std::string_view why, std::string private_detail) {
  state_.log_warning("login at the database server failed: " + std::string(why), std::move(private_detail));
  state_.end(error_response(
      client_error(sqlstate::kConnectionFailure, "cannot log in to the database server"), Severity::fatal));
}

// Chooses PLUS if both sides can. A server that offers PLUS without TLS is refused, as in libpq, because it
// is not what it claims to be.
std::optional<ScramBinding> BackendLoginMachine::choose_binding(const std::vector<std::string>& offered) {
  const auto offers = [&](ScramMechanism mechanism) {
    return std::find(offered.begin(), offered.end(), name(mechanism)) != offered.end();
  };
  const auto& secured = state_.backend_secured;
  const bool offers_plus = offers(ScramMechanism::plus);
  if (offers_plus && !secured) {
    fail("it offers channel binding without TLS");
  } else if (offers_plus && !secured->end_point.empty()) {
    return ScramBinding{ScramBinding::Kind::bound, secured->end_point};
  } else if (requires_channel_binding_) {
    fail("channel binding is required, and it can't be had");
  } else if (!offers(ScramMechanism::plain)) {
    fail("it does not offer SCRAM-SHA-256");
  } else {
    const bool could = secured && !secured->end_point.empty();
    return ScramBinding{could ? ScramBinding::Kind::not_offered : ScramBinding::Kind::unsupported, {}};
  }
  return std::nullopt;
}

void BackendLoginMachine::on_mechanisms(const wire::AuthenticationSasl& message) {
  if (step_ != Step::asked) return fail("SASL was asked for twice");
  if (state_.backend_role.password.empty()) return fail("it asks for a password and none is configured");
  auto binding = choose_binding(message.mechanisms.names);
  if (!binding) return;
  const bool is_bound = binding->kind == ScramBinding::Kind::bound;
  PGVEIL_ASSERT(state_.config.make_nonce != nullptr);
  scram_ = std::make_unique<ScramClient>(state_.backend_role.password, state_.config.make_nonce(),
                                         std::move(*binding));
  state_.to_backend(wire::SaslInitialResponse{
      .mechanism = std::string(name(is_bound ? ScramMechanism::plus : ScramMechanism::plain)),
      .response = scram_->client_first()});
  step_ = Step::sasl_sent;
}

void BackendLoginMachine::on_challenge(const wire::AuthenticationSaslContinue& message) {
  if (step_ != Step::sasl_sent) return fail("a SASL message came out of turn");
  Result<std::string> proof = scram_->on_server_first(message.data.bytes);
  if (!proof) return fail(proof.error().public_message, proof.error().private_detail);
  state_.to_backend(wire::SaslResponse{.response = {std::move(*proof)}});
  step_ = Step::proof_sent;
}

void BackendLoginMachine::on_verdict(const wire::AuthenticationSaslFinal& message) {
  if (step_ != Step::proof_sent) return fail("a SASL message came out of turn");
  const Result<void> proven = scram_->on_server_final(message.data.bytes);
  if (!proven) return fail(proven.error().public_message, proven.error().private_detail);
  scram_.reset();
  step_ = Step::proof_checked;
}

// A server that breaks off SCRAM and still lets us in has not proved that it knows our verifier.
void BackendLoginMachine::on_ok() {
  if (step_ != Step::asked && step_ != Step::proof_checked && step_ != Step::token_sent)
    return fail("it let us in in the middle of SCRAM");
  if (step_ != Step::proof_checked && requires_channel_binding_)
    return fail("channel binding is required, and it let us in without a password");
  step_ = Step::let_in;
}

// Services that accept tokens compare them themselves, so they have to be sent. Whoever gets a token can use
// it until it expires.
void BackendLoginMachine::on_token_wanted() {
  if (step_ != Step::asked) return fail("a token was asked for out of turn");
  if (!has_token_ || !may_send_token_ || !state_.backend_secured)
    return fail(
        "it asks for the password itself, which only a token of password_command may answer, over TLS "
        "with verify-ca or verify-full");
  if (requires_channel_binding_)
    return fail("channel binding is required, and it asks for the password itself");
  state_.to_backend(wire::PasswordMessage{.password = state_.backend_role.password});
  step_ = Step::token_sent;
}

void BackendLoginMachine::on_authentication(const wire::BackendMessage& message) {
  if (std::holds_alternative<wire::AuthenticationOk>(message)) return on_ok();
  if (const auto* sasl = std::get_if<wire::AuthenticationSasl>(&message)) return on_mechanisms(*sasl);
  if (const auto* challenge = std::get_if<wire::AuthenticationSaslContinue>(&message))
    return on_challenge(*challenge);
  if (std::holds_alternative<wire::AuthenticationCleartextPassword>(message)) return on_token_wanted();
  if (const auto* verdict = std::get_if<wire::AuthenticationSaslFinal>(&message)) return on_verdict(*verdict);
  fail("it asks for a kind of authentication that is not SCRAM-SHA-256");
}

bool BackendLoginMachine::may_be_about_version(const wire::ErrorResponse& error) const {
  if (step_ != Step::asked || minor_ == 0) return false;
  const std::string sqlstate = sqlstate_of(error.diagnostics);
  return sqlstate == sqlstate::kFeatureNotSupported || sqlstate == sqlstate::kProtocolViolation;
}

// A client of a bypass role sees what its server says, except whether our password for it fits.
BackendLoginMachine::Outcome BackendLoginMachine::on_error(const wire::ErrorResponse& error) {
  const Filtered filtered = filter_login_error(error);
  const auto state = sqlstate_of(error.diagnostics);
  if (has_token_ && step_ != Step::let_in && state.starts_with("28")) {
    state_.log_warning("the database server did not accept the token", filtered.private_detail);
    return Outcome::refused;
  }
  if (!is_last_attempt_ && state == sqlstate::kCannotConnectNow) return Outcome::elsewhere;
  state_.log_warning(fmt::format("login at the database server failed (SQLSTATE {})", state),
                     filtered.private_detail);
  if (may_be_about_version(error))
    state_.log_warning("if it does not take protocol 3.2, set backend.max_protocol_version to 3.0");
  const bool is_ours = sqlstate_of(error.diagnostics).starts_with("28") || step_ != Step::let_in;
  state_.end(state_.is_bypass && !is_ours ? error : wire::ErrorResponse{filtered.diagnostics});
  return Outcome::under_way;
}

void BackendLoginMachine::on_notice(const wire::NoticeResponse& notice) {
  if (state_.is_bypass) return state_.to_client(notice);
  state_.log_info("notice of the database server at login",
                  filter_notice(notice, Protection::is_protected).private_detail);
}

// An upgraded server has other functions and catalogs than the ones that statements were judged by.
bool BackendLoginMachine::is_of_another_major(const wire::ParameterStatus& status) {
  if (status.name != "server_version") return false;
  int major = 0;
  std::from_chars(status.value.data(), status.value.data() + status.value.size(), major);
  const int known = state_.gate.serving(state_.database).server_major;
  if (known == 0 || known == major) return false;
  state_.gate.note_stale_versions(state_.database);
  state_.log_warning(
      fmt::format("the server of this database is PostgreSQL {} now, and its catalog was read from "
                  "PostgreSQL {}; it is read again",
                  status.value, known));
  state_.end(error_response(
      client_error(
          sqlstate::kCannotConnectNow,
          "the database server was switched to another major version of PostgreSQL, and its catalog is not "
          "read yet: connect again in a moment; if that fails, pgveil's log says why"),
      Severity::fatal));
  return true;
}

// With a pool, the client is told later, once its own settings are in force.
void BackendLoginMachine::on_parameter(const wire::ParameterStatus& status) {
  if (status.name == "in_hot_standby" && status.value == "on") kind_ = ServerKind::standby;
  if (state_.is_bypass) return state_.to_client(status);
  if (is_of_another_major(status)) return;
  if (state_.pool_mode != PoolMode::none) return note_parameter(*state_.server, status.name, status.value);
  const Result<void> relayed = relay_parameter(state_, status);
  if (!relayed) state_.end(relayed.error());
}

BackendLoginMachine::Outcome BackendLoginMachine::on_ready(const wire::ReadyForQuery& ready) {
  if (ready.status != wire::TransactionStatus::idle) {
    fail("it is in a transaction from the start");
    return Outcome::under_way;
  }
  if (!wanted_ || *wanted_ == kind_) return Outcome::ready;
  if (!is_last_attempt_) return Outcome::elsewhere;
  const std::string_view wanted = *wanted_ == ServerKind::primary ? "a primary" : "a standby";
  state_.log_warning(fmt::format("no database server that answers is {}", wanted));
  state_.end(error_response(
      client_error(sqlstate::kCannotConnectNow, fmt::format("no database server that answers is {}", wanted),
                   "try again later"),
      Severity::fatal));
  return Outcome::under_way;
}

BackendLoginMachine::Outcome BackendLoginMachine::on_other(const wire::BackendMessage& message) {
  if (const auto* status = std::get_if<wire::ParameterStatus>(&message)) {
    on_parameter(*status);
  } else if (const auto* key = std::get_if<wire::BackendKeyData>(&message)) {
    on_key(*key);
  } else if (const auto* notice = std::get_if<wire::NoticeResponse>(&message)) {
    on_notice(*notice);
  } else if (const auto* ready = std::get_if<wire::ReadyForQuery>(&message)) {
    return on_ready(*ready);
  }
  return Outcome::under_way;
}

BackendLoginMachine::Outcome BackendLoginMachine::on_frame(const wire::FrameView& frame) {
  if (kLoginTags.find(frame.tag) == std::string_view::npos) {
    fail("a message came out of turn");
    return Outcome::under_way;
  }
  const Result<wire::BackendMessage> message = wire::decode_backend(frame);
  if (!message) {
    fail("a malformed message came");
    return Outcome::under_way;
  }
  if (const auto* error = std::get_if<wire::ErrorResponse>(&*message)) {
    return on_error(*error);
  }
  if (frame.tag == wire::AuthenticationOk::tag) {
    on_authentication(*message);
    return Outcome::under_way;
  }
  if (const auto* answer = std::get_if<wire::NegotiateProtocolVersion>(&*message)) {
    on_lower_version(*answer);
    return Outcome::under_way;
  }
  if (step_ != Step::let_in && frame.tag != wire::NoticeResponse::tag) {
    fail("a message came before it let us in");
    return Outcome::under_way;
  }
  return on_other(*message);
}

}  // namespace pgveil::session
