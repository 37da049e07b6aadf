#include "daemon/state/login_account.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string>

#include "common/log.hpp"
#include "console/quote.hpp"

namespace pgveil::app {
namespace {

// Null: no rule fits, so the role has no account here.
const LetIn* rule_for(const AuthQueryConfig& query, std::string_view role) {
  const auto rule = std::ranges::find_if(
      query.let_in, [&](const LetIn& each) { return each.user == kEverybody || each.user == role; });
  return rule == query.let_in.end() ? nullptr : &*rule;
}

void say_why_not(std::string_view role, std::string_view why) {
  log::info("auth_query", fmt::format("role {} is not let in: {}", console::shown_name(role), why));
}

}  // namespace

bool is_exempt_somewhere(const Specs& specs, std::string_view role) {
  return std::ranges::any_of(specs, [&](const auto& spec) {
    return std::ranges::find(spec->exempt_roles, role) != spec->exempt_roles.end();
  });
}

bool gets_more_than_masks(const Present& present, std::string_view role) {
  return standing_of(present.config, role) != console::Standing::none ||
         find_bypass(present.config, role) != nullptr || is_exempt_somewhere(present.specs, role);
}

session::LookUp login_account(const Present& present, std::string_view role,
                              const std::optional<AuthQuery::Found>& found) {
  const bool has_failed = found && found->has_failed;
  if (const auto listed = present.users.find(role); listed != present.users.end())
    return {session::Account{listed->second, std::string(role), false}, has_failed};
  if (!found || !found->verifier || !present.config.auth_query) return {std::nullopt, has_failed};
  const LetIn* rule = rule_for(*present.config.auth_query, role);
  if (rule == nullptr) {
    say_why_not(role, "no rule of auth_query.let_in fits");
    return {};
  }
  const std::string reads_as = rule->as.empty() ? std::string(role) : rule->as;
  if (gets_more_than_masks(present, role) || gets_more_than_masks(present, reads_as)) {
    say_why_not(role, "admins, bypass roles and exempt roles need an account in users_file");
    return {};
  }
  return {session::Account{*found->verifier, reads_as, true}, false};
}

}  // namespace pgveil::app
