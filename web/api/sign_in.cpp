// Who is signed in to the page: by a password, or by a link that the console made.
#include <fmt/format.h>

#include "common/log.hpp"
#include "common/sqlstate.hpp"
#include "proxy/net/random.hpp"
#include "proxy/session/session.hpp"
#include "web/api/api.hpp"
#include "web/api/guard.hpp"
#include "web/api/json.hpp"

namespace pgveil::app {
namespace {

using net::HttpRequest;
using net::HttpResponse;

// Over TLS, uses a name that no page on another port without TLS can set.
std::string_view cookie_name(const HttpRequest& request) {
  return request.is_encrypted ? "__Host-pgveil_session" : "pgveil_session";
}

std::string cookie_line(const HttpRequest& request, std::string_view token, std::chrono::seconds age) {
  return fmt::format("{}={}; Path=/; HttpOnly; SameSite=Strict; Max-Age={}{}", cookie_name(request), token,
                     age.count(), request.is_encrypted ? "; Secure" : "");
}

// The verifier of a role in the users file that has a standing. Roles that only PostgreSQL knows do not count
// here.
std::optional<session::ScramVerifier> verifier_of(const Present& present, std::string_view role) {
  const auto found = present.users.find(role);
  return found == present.users.end() ? std::nullopt : std::optional(found->second);
}
bool has_standing(const Present& present, std::string_view role) {
  return standing_of(present.config, role) != console::Standing::none;
}

}  // namespace

std::string_view WebApi::token_of(const HttpRequest& request) {
  return cookie(request, cookie_name(request));
}

// Whether a role that once proved its password may still be signed in: it has not lost its standing, its
// password is the same, and the access file lets it in from there.
bool WebApi::may_stay(std::string_view role, std::string_view verifier,
                      const session::ClientOrigin& origin) const {
  const auto now = serving_.present();
  const auto stored = verifier_of(*now, role);
  const bool is_same = stored && session::to_string(*stored) == verifier;
  const auto demand = serving_.may_log_in(role, session::kConsoleDatabase, origin);
  const bool may_sign_in = demand && *demand == session::LoginDemand::password;
  return is_same && may_sign_in && has_standing(*now, role);
}

std::optional<WebSession> WebApi::session_of(std::string_view token, WebSessions::Touch touch) {
  auto found = sessions_.find(token, std::chrono::steady_clock::now(), touch);
  if (!found) return std::nullopt;
  if (may_stay(found->role, found->verifier, found->origin)) return found;
  sessions_.end(token);
  return std::nullopt;
}

HttpResponse WebApi::who(const HttpRequest& request) {
  const auto session = session_of(token_of(request), WebSessions::Touch::rests);
  if (!session) return json_response(200, nullptr);
  const auto now = serving_.present();
  const auto standing = standing_of(now->config, session->role);
  const auto is_listed = [&](const std::vector<std::string>& roles, std::string_view key) {
    return check_listed(now->config, session->role, roles, key).has_value();
  };
  return json_response(200, {{"role", session->role},
                             {"standing", standing == console::Standing::admin ? "admin" : "stats"},
                             {"raw_rows", is_listed(now->config.page.raw_rows, "raw_rows")},
                             {"table_jobs", is_listed(now->config.page.table_jobs, "table_jobs")},
                             {"policy_authors", is_listed(now->config.page.policy_authors, "policy_authors")},
                             {"csrf", session->csrf},
                             {"version", "pgveil " PGVEIL_VERSION}});
}

// Runs the proxy's own SCRAM exchange and plays both sides. So the same code checks all passwords, and a role
// that does not exist takes the same steps.
Result<std::string> WebApi::check_password(const HttpRequest& request, const std::string& role,
                                           const std::string& password) {
  const std::string database(session::kConsoleDatabase);
  const auto demand = serving_.may_log_in(role, database, {request.visitor.host, request.is_encrypted});
  if (!demand) return demand.error();
  if (*demand != session::LoginDemand::password)
    return Error{ErrorKind::authentication, std::string(sqlstate::kInvalidAuthorization),
                 "this login needs a certificate, which the page can't ask for", "use psql"};
  const auto now = serving_.present();
  const auto stored = verifier_of(*now, role);
  session::ScramServer server(stored ? *stored : session::mock_verifier(role, mock_secret_),
                              net::random_nonce(), !stored);
  session::ScramClient client(password, net::random_nonce());
  const auto challenge = server.on_client_first(client.client_first());
  if (!challenge) return challenge.error();
  const auto proof = client.on_server_first(*challenge);
  if (!proof) return proof.error();
  const auto proved = server.on_client_final(*proof);
  if (proved && stored && has_standing(*now, role)) return session::to_string(*stored);
  return Error{ErrorKind::authentication, std::string(sqlstate::kInvalidPassword),
               "the role or the password is wrong, or the role may not use the console",
               "admin.admin_users and admin.stats_users list who may"};
}

HttpResponse WebApi::too_many_tries() {
  auto response = error_response(429, "too many tries to sign in", "wait a minute");
  response.headers.emplace_back("Retry-After", std::to_string(SignInLimit::kWindow.count()));
  return response;
}

// The number of the session that begins. nullopt: the audit log can't be written.
std::optional<std::uint64_t> WebApi::record_login(const HttpRequest& request, session::LoginMethod method,
                                                  const std::string& role, const Result<void>& checked) {
  const std::uint64_t number = sessions_.next_number();
  const session::AuditedLogin login{method, false, checked ? std::string() : checked.error().sqlstate};
  if (!keep(request, number, {0, role, std::string(session::kConsoleDatabase), login})) return std::nullopt;
  if (!checked) log::warning("page", "a sign-in failed");
  return number;
}

HttpResponse WebApi::begin_session(const HttpRequest& request, const SignedIn& who) {
  sessions_.end(token_of(request));  // the token from before is never reused
  const std::string token = net::random_nonce();
  const WebSession session{who.number, who.role, net::random_nonce(), who.verifier,
                           session::ClientOrigin{request.visitor.host, request.is_encrypted}};
  sessions_.begin(token, session, std::chrono::steady_clock::now());
  HttpRequest with_cookie = request;
  with_cookie.headers["cookie"] = fmt::format("{}={}", cookie_name(request), token);
  auto response = this->who(with_cookie);
  response.headers.emplace_back("Set-Cookie", cookie_line(request, token, WebSessions::kLongest));
  return response;
}

HttpResponse WebApi::sign_in(const HttpRequest& request) {
  const auto body = read_body(request.body, {"role", "password"});
  if (!body) return error_response(body.error());
  const auto role = text_at(*body, "role");
  const auto password = text_at(*body, "password");
  if (!role || !password) return error_response(role ? password.error() : role.error());
  if (!limit_.may_try(*role, std::chrono::steady_clock::now())) return too_many_tries();
  const auto checked = check_password(request, *role, *password);
  const auto outcome = checked ? Result<void>() : Result<void>(checked.error());
  const auto number = record_login(request, session::LoginMethod::scram_sha_256, *role, outcome);
  if (!number) return not_on_record();
  if (!checked) return error_response(checked.error());
  return begin_session(request, {*number, *role, *checked});
}

// The link stands for the password, so everything else is required as of the password: the access file, the
// standing, and that the password is still the one of then. All reasons look alike.
Result<void> WebApi::check_link(const HttpRequest& request,
                                const std::optional<SignInLinks::Holder>& holder) const {
  const session::ClientOrigin origin{request.visitor.host, request.is_encrypted};
  if (holder && may_stay(holder->role, holder->verifier, origin)) return {};
  return Error{ErrorKind::authentication, std::string(sqlstate::kInvalidPassword),
               "this sign-in link does not work: it was used, it is older than ten minutes, or another one "
               "replaced it",
               "sign in with the password, or ask the console for another link: SIGN IN LINK"};
}

// Guesses share one limit, because nobody knows yet whose link it is. No role has an empty name.
HttpResponse WebApi::sign_in_by_link(const HttpRequest& request) {
  const auto body = read_body(request.body, {"link"});
  if (!body) return error_response(body.error());
  const auto link = text_at(*body, "link");
  if (!link) return error_response(link.error());
  const auto now = std::chrono::steady_clock::now();
  if (!limit_.may_try("", now)) return too_many_tries();
  const auto holder = links_.take(*link, now);
  const auto checked = check_link(request, holder);
  const std::string role = holder ? holder->role : std::string();
  const auto number = record_login(request, session::LoginMethod::sign_in_link, role, checked);
  if (!number) return not_on_record();
  if (!checked) return error_response(checked.error());
  return begin_session(request, {*number, role, holder->verifier});
}

HttpResponse WebApi::sign_out(const Visit& visit) {
  sessions_.end(visit.token);
  static_cast<void>(keep(visit, session::AuditedLogout{}));
  auto response = json_response(200, nullptr);
  response.headers.emplace_back("Set-Cookie", cookie_line(visit.request, "", std::chrono::seconds(0)));
  return response;
}

}  // namespace pgveil::app
