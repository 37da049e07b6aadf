#include "proxy/session/startup.hpp"

#include "common/sqlstate.hpp"

namespace pgveil::session {

namespace {
constexpr char kTlsHandshake = '\x16';  // the first byte of a ClientHello; no start-up packet is that long
}

bool Startup::note_asked(Asked& asked, std::size_t left_bytes) {
  if (asked == Asked::yes) {
    state_.end(wire::protocol_error("encryption was asked for twice"));
  } else if (left_bytes > 0) {
    state_.end(wire::protocol_error("unencrypted data after an encryption request"));
  }
  asked = Asked::yes;
  return !state_.is_closed();
}

void Startup::on_ssl(std::size_t left_bytes) {
  if (!note_asked(ssl_, left_bytes)) return;
  if (state_.config.encryption == ClientEncryption::declined) return state_.out.to_client.push_back('N');
  state_.out.to_client.push_back('S');
  gss_ = Asked::yes;  // nobody asks for one encryption inside another
  state_.phase = Phase::securing;
  state_.command(SecureClient{});
}

bool Startup::is_direct_tls(std::string_view first_bytes) const {
  const bool is_first = ssl_ == Asked::no && gss_ == Asked::no && !state_.client_secured;
  return is_first && first_bytes.starts_with(kTlsHandshake);
}

void Startup::on_direct_tls(std::string_view first_bytes) {
  if (state_.config.encryption == ClientEncryption::declined) {
    state_.log_warning("a client began with TLS, which is off");
    return state_.end_silently();
  }
  ssl_ = gss_ = Asked::yes;
  state_.phase = Phase::securing;
  state_.command(SecureClient{.is_direct = true, .received = std::string(first_bytes)});
}

void Startup::on_cancel(const wire::CancelRequest& request) {
  state_.command(CancelOther{.pid = request.pid, .secret = request.secret});
  state_.end_silently();
}

// A client that gets what it asked for is not told. There is no 3.1, so its place is taken by 3.0.
void Startup::negotiate(std::uint16_t asked_minor) {
  state_.client_minor = asked_minor >= wire::kNewestMinor ? wire::kNewestMinor : 0;
  if (state_.client_minor == asked_minor && whole_.unknown_options.empty()) return;
  state_.to_client(wire::NegotiateProtocolVersion{.newest = wire::protocol_version(state_.client_minor),
                                                  .unknown_options = {whole_.unknown_options}});
}

bool Startup::on_message(const wire::StartupMessage& message) {
  if (state_.config.encryption == ClientEncryption::required && !state_.client_secured) {
    state_.end(client_error(sqlstate::kInvalidAuthorization, "connections without TLS are not accepted here",
                            "connect with sslmode=require, or better verify-full"));
    return false;
  }
  if (message.major != wire::kProtocolMajor) {
    state_.end(
        client_error(sqlstate::kFeatureNotSupported, "unsupported frontend protocol", "use protocol 3"));
    return false;
  }
  Result<WholeStartup> whole = read_whole_startup(message);
  request_ = read_startup(message);
  const bool waits_for_login = state_.config.authentication != ClientAuthentication::trust;
  if (!whole || (!request_ && !waits_for_login)) {
    state_.end(whole ? request_.error() : whole.error());
    return false;
  }
  whole_ = std::move(*whole);
  // The origin of our own connections says nothing about whom they are for.
  const bool is_ours = state_.config.authentication == ClientAuthentication::vouched;
  const ClientOrigin origin{state_.config.client_address, state_.client_secured.has_value()};
  const auto allowed = is_ours ? Result<LoginDemand>(LoginDemand::password)
                               : state_.gate.may_log_in(whole_.user, whole_.database, origin);
  if (!allowed) {
    state_.role = whole_.user;
    state_.database = whole_.database;
    state_.audit(
        AuditedLogin{
            .method = state_.login_method(), .is_bypass = false, .sqlstate = allowed.error().sqlstate},
        0);
    state_.end(allowed.error());
    return false;
  }
  state_.demand = *allowed;
  negotiate(message.minor);
  state_.role = whole_.user;
  state_.database = whole_.database;
  return true;
}

bool Startup::on_packet(const wire::FrameView& packet, std::size_t left_bytes) {
  const Result<wire::StartupPacket> decoded = wire::decode_startup(packet.body);
  if (!decoded) {
    state_.end(decoded.error());
    return false;
  }
  if (std::holds_alternative<wire::SslRequest>(*decoded)) {
    on_ssl(left_bytes);
  } else if (std::holds_alternative<wire::GssEncRequest>(*decoded)) {
    if (note_asked(gss_, left_bytes)) state_.out.to_client.push_back('N');
  } else if (const auto* cancel = std::get_if<wire::CancelRequest>(&*decoded)) {
    on_cancel(*cancel);
  } else {
    return on_message(std::get<wire::StartupMessage>(*decoded));
  }
  return false;
}

}  // namespace pgveil::session
