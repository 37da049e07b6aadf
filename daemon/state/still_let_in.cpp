#include "daemon/state/still_let_in.hpp"

#include <fmt/format.h>

#include "common/sqlstate.hpp"
#include "daemon/state/login_account.hpp"

namespace pgveil::app {
namespace {

using session::LoginDemand;

Error not_any_more(std::string message) {
  return {ErrorKind::authentication, std::string(sqlstate::kInvalidAuthorization), std::move(message),
          "connect again, or ask the operator"};
}

// Whether a client that has presented `shown` has also presented `wanted`.
bool covers(LoginDemand shown, LoginDemand wanted) {
  switch (wanted) {
    case LoginDemand::password: return shown != LoginDemand::certificate;
    case LoginDemand::certificate:
      return shown == LoginDemand::certificate || shown == LoginDemand::password_and_certificate;
    case LoginDemand::password_and_certificate: return shown == LoginDemand::password_and_certificate;
    case LoginDemand::password_and_any_certificate:
      return shown == LoginDemand::password_and_any_certificate ||
             shown == LoginDemand::password_and_certificate;
  }
  return false;
}

Result<void> check_origin(const Present& present, const session::Admitted& session) {
  auto wanted = LoginDemand::password;
  if (present.hba) {
    const HbaRule* rule = find_rule(*present.hba, session.who.role, session.database, session.origin);
    if (rule == nullptr || !rule->demand)
      return not_any_more(fmt::format("the access file no longer lets \"{}\" in", session.who.role));
    wanted = *rule->demand;
  }
  if (covers(session.shown, wanted)) return {};
  return not_any_more(
      fmt::format("a login of \"{}\" now requires more than this session has shown", session.who.role));
}

// An account found by auth_query: checked again by the current rules, without asking PostgreSQL.
Result<void> check_looked_up(const Present& present, const session::Admitted& session) {
  const auto account =
      login_account(present, session.who.role, AuthQuery::Found{session.verifier, false}).account;
  const bool is_the_same = account && account->is_looked_up && account->reads_as == session.reads_as;
  if (is_the_same) return {};
  return not_any_more(fmt::format("the account of \"{}\" has changed", session.who.role));
}

Result<void> check_password(const Present& present, const session::Admitted& session) {
  const auto account = present.users.find(session.who.role);
  const bool counts =
      session.verifier && account != present.users.end() && gets_more_than_masks(present, session.who.role);
  if (!counts || to_string(account->second) == to_string(*session.verifier)) return {};
  return not_any_more(fmt::format("the password of \"{}\" has changed", session.who.role));
}

Result<void> check_bypass(const Present& present, const session::Admitted& session) {
  if (!session.passed_on_as) return {};
  const BypassRole* bypass = find_bypass(present.config, session.who.role);
  const bool is_the_same = bypass != nullptr && bypass->backend.user == session.passed_on_as->user &&
                           bypass->backend.password == session.passed_on_as->password;
  if (is_the_same) return {};
  return not_any_more(
      fmt::format("\"{}\" is no longer a bypass role, or has another backend role", session.who.role));
}

}  // namespace

Result<void> still_let_in(const Present& present, const session::Admitted& session) {
  if (auto allowed = check_origin(present, session); !allowed) return allowed;
  if (session.who.is_looked_up) return check_looked_up(present, session);
  if (auto allowed = check_password(present, session); !allowed) return allowed;
  return check_bypass(present, session);
}

}  // namespace pgveil::app
