#include "proxy/session/authentication.hpp"

#include "common/assert.hpp"
#include "common/sqlstate.hpp"

namespace pgveil::session {

Result<void> Authentication::check_certificate() const {
  if (state_.demand == LoginDemand::password) return {};
  const std::string* name = state_.client_secured && state_.client_secured->certificate_name
                                ? &*state_.client_secured->certificate_name
                                : nullptr;
  if (name == nullptr)
    return client_error(sqlstate::kInvalidAuthorization, "this login needs a certificate",
                        "connect with sslcert and sslkey");
  if (state_.demand == LoginDemand::password_and_any_certificate || *name == state_.role) return {};
  return client_error(sqlstate::kInvalidAuthorization,
                      "certificate authentication failed for user \"" + state_.role + "\"",
                      "the certificate's common name has to be the role's name");
}

bool Authentication::start() {
  if (const auto shown = check_certificate(); !shown) {
    state_.audit(
        AuditedLogin{.method = state_.login_method(), .is_bypass = false, .sqlstate = shown.error().sqlstate},
        0);
    state_.end(shown.error());
    return false;
  }
  if (state_.demand == LoginDemand::certificate) {
    state_.to_client(wire::AuthenticationOk{});
    return true;
  }
  switch (state_.config.authentication) {
    case ClientAuthentication::trust:
    case ClientAuthentication::vouched: state_.to_client(wire::AuthenticationOk{}); return true;
    case ClientAuthentication::scram_sha_256: break;
  }
  wire::AuthenticationSasl offer;
  if (!end_point().empty()) offer.mechanisms.names.emplace_back(name(ScramMechanism::plus));
  offer.mechanisms.names.emplace_back(name(ScramMechanism::plain));
  state_.to_client(offer);
  state_.phase = Phase::sasl_initial;
  return false;
}

std::string Authentication::end_point() const {
  return state_.client_secured ? state_.client_secured->end_point : std::string();
}

// Uses the same words for a wrong proof and for a role that does not exist.
void Authentication::fail(const Error& error) {
  if (error.kind != ErrorKind::authentication) return state_.end(error);
  Error told = known_.is_incomplete
                   ? client_error(sqlstate::kCannotConnectNow, "this login can't be checked now",
                                  "try again later; the operator's log says why")
                   : client_error(sqlstate::kInvalidPassword,
                                  "password authentication failed for user \"" + state_.role + "\"");
  state_.audit(
      AuditedLogin{.method = LoginMethod::scram_sha_256, .is_bypass = false, .sqlstate = told.sqlstate}, 0);
  state_.log_warning("login of " + printable(state_.role) + " failed", error.private_detail);
  state_.end(error_response(told, Severity::fatal));
}

void Authentication::on_initial(const wire::FrameView& frame) {
  const auto message = wire::decode_as<wire::SaslInitialResponse>(frame.body);
  if (!message) return state_.end(message.error());
  const bool is_plus = message->mechanism == name(ScramMechanism::plus) && !end_point().empty();
  const bool is_known = is_plus || message->mechanism == name(ScramMechanism::plain);
  if (!is_known || !message->response) {
    return state_.end(wire::protocol_error("client selected an invalid SASL authentication mechanism"));
  }
  mechanism_ = is_plus ? ScramMechanism::plus : ScramMechanism::plain;
  first_message_ = *message->response;
  if (auto known = state_.gate.account(state_.role, state_.database)) return challenge(std::move(*known));
  state_.phase = Phase::looking_up;
  state_.command(LookUpAccount{state_.role});
}

void Authentication::on_looked_up(const LookUp& found) {
  PGVEIL_ASSERT(state_.phase == Phase::looking_up);
  challenge(found);
}

void Authentication::challenge(LookUp found) {
  known_ = std::move(found);
  const auto& account = known_.account;
  PGVEIL_ASSERT(state_.config.make_nonce != nullptr);
  scram_.emplace(account ? account->verifier : mock_verifier(state_.role, state_.config.mock_secret),
                 state_.config.make_nonce(), !account, end_point(), mechanism_);
  Result<std::string> answer = scram_->on_client_first(first_message_);
  if (!answer) return fail(answer.error());
  state_.to_client(wire::AuthenticationSaslContinue{.data = {std::move(*answer)}});
  state_.phase = Phase::sasl_final;
}

bool Authentication::on_final(const wire::FrameView& frame) {
  const auto message = wire::decode_as<wire::SaslResponse>(frame.body);
  if (!message) {
    state_.end(message.error());
    return false;
  }
  Result<std::string> answer = scram_->on_client_final(message->response.bytes);
  if (!answer) {
    fail(answer.error());
    return false;
  }
  PGVEIL_ASSERT(known_.account.has_value());
  state_.reads_as = known_.account->reads_as;
  state_.is_looked_up = known_.account->is_looked_up;
  state_.verifier = known_.account->verifier;
  state_.to_client(wire::AuthenticationSaslFinal{.data = {std::move(*answer)}});
  state_.to_client(wire::AuthenticationOk{});
  return true;
}

bool Authentication::on_message(const wire::FrameView& frame) {
  if (state_.phase == Phase::sasl_final) return on_final(frame);
  on_initial(frame);
  return false;
}

}  // namespace pgveil::session
